"""The parts of the paper, each a row of cells that are measured or taken from the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.overlap import NeighbourOverlap
from textveil.measure.tasks.tables import rows_of
from textveil.measure.tasks.task import order_of
from textveil.reproduce.measuring import EVERYTHING, Cell, Measuring, Records
from textveil.reproduce.nadp.mechanisms import (
    GAUSSIAN,
    JACCARD,
    LAPLACIAN,
    MAHALANOBIS,
    NADP,
    OURS,
    THRESHOLD,
    Facts,
    facts_of,
    released,
)
from textveil.reproduce.nadp.neighbours import authors_sensitivities, nearest_words
from textveil.reproduce.nadp.privacy import histogram, released_privacy
from textveil.reproduce.nadp.showing import CLEAN, SHUFFLED
from textveil.reproduce.nadp.utility import Tasks, released_scores
from textveil.reproduce.repeats import folder_digest
from textveil.reproduce.sentdp.files import words_of
from textveil.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textveil.reproduce.nadp.paper import Plan

FILES = (
    *(f"sim/{name}.tsv.gz" for name in ("wordsim", "stsb", "odd_man_out")),
    *(f"cls/{name}.tsv.gz" for name in ("mr", "cr", "mpqa")),
    "reference/nadp_delta.tsv.xz",
)
# Cells of an older way of measuring are not taken.
_VERSION = 1


class Parts:
    """The data, read when it is needed, and the parts of the paper, each a row of cells.

    Parameters
    ----------
    data : folder of the public data sets
    plan : how much is done
    """

    def __init__(self, data: Path, plan: Plan) -> None:
        self.data, self.plan = data, plan
        subject = [_VERSION, asdict(plan), folder_digest(data, FILES), self.vocabulary.digest]
        self.cells = Measuring("nadp", subject)

    def cells_of_all(self) -> Iterator[Cell]:
        """Every cell of the figures."""
        yield from self.figure_2()
        yield from self.figure_3()
        yield from self.figure_4()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The paper's words that GloVe 6B has, with its vectors."""
        table = words_of(self.data, EVERYTHING)
        listed = {word for (word,) in rows_of(self.data, "reference/nadp_delta.tsv.xz", "word")}
        rows = [row for row, word in enumerate(table.words) if word in listed][: self.plan.words]
        if len(rows) < 2:
            raise InvalidInputError("reference/nadp_delta.tsv.xz has no words of the vectors in the folder")
        return Vocabulary(table.words_of(np.array(rows)), table.points[rows])

    @cached_property
    def facts(self) -> Facts:
        """What the mechanisms need to know of the vocabulary."""
        return facts_of(self.vocabulary, self.plan.thresholds)

    @cached_property
    def tasks(self) -> Tasks:
        """Those of Figure 2."""
        return Tasks.of(self.data, self.vocabulary, self.plan.rows)

    @cached_property
    def compare(self) -> NeighbourOverlap:
        """Some words and their neighbours."""
        words = np.sort(order_of(len(self.vocabulary), "nadp words")[: self.plan.sampled])
        return NeighbourOverlap(self.vocabulary.points, words)

    def figure_2(self) -> Iterator[Cell]:
        """Utility."""

        def clean(tasks: Callable[[], Tasks]) -> Callable[[], list[dict[str, float]]]:
            return lambda: [tasks().scores(self.vocabulary.points[self.tasks.ids])]

        yield self.cells.cell("Figure 2", CLEAN, None, clean(lambda: self.tasks))
        yield self.cells.cell("Figure 2", SHUFFLED, None, clean(self._shuffled))
        yield self.cells.cell("Figure 2", "chance", None, lambda: [self.tasks.chance()])
        for name in (NADP, GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS):
            for epsilon in self.plan.epsilons:
                yield self.cells.cell("Figure 2", name, epsilon, self._utility(name, epsilon))

    def figure_3(self) -> Iterator[Cell]:
        """Skewness, and what it has to do with privacy."""
        ways = [(name, name, THRESHOLD) for name in (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS)]
        ways += [(f"{NADP}, τ = {threshold:g}", NADP, threshold) for threshold in self.plan.thresholds]
        for title, name, threshold in ways:
            for epsilon in self.plan.skewed_epsilons:
                yield self.cells.cell("Figure 3", title, epsilon, self._privacy(name, epsilon, threshold))

    def figure_4(self) -> Iterator[Cell]:
        """Histograms of overlaps with Gaussian noise."""

        def records(deviation: float) -> Records:
            found = self.cells.kept.get(f"Figure 4 | {deviation}", self._histogram(deviation))
            about = {"part": "Figure 4", "data": "", "mechanism": GAUSSIAN, "epsilon": deviation}
            shares = {f"overlap bin {place}": share for place, share in enumerate(found["histogram"])}
            values = {"skewness": found["skewness"], "recovered": found["recovered"], **shares}
            return [{**about, "measure": name, "mean": one, "around": None, "runs": 1} for name, one in values.items()]

        for deviation in self.plan.deviations:
            yield partial(records, deviation)

    def table_1(self) -> list[dict[str, str]]:
        """The neighbours of five words."""
        rows: list[dict[str, str]] = self.cells.kept.get(
            "Table 1", lambda: nearest_words(self.facts, (min(self.plan.thresholds), THRESHOLD))
        )
        return rows

    def about(self) -> dict[str, Any]:
        """Return how many words get no noise, here and in the authors' own table."""
        facts = self.facts
        bare = {f"{one:g}": float((found == 0).mean()) for one, found in facts.sensitivities.items()}
        return {
            "words": len(self.vocabulary),
            "task words": len(self.tasks.ids),
            "sentence_pairs": len(self.tasks.sentences.ratings),
            "puzzles": len(self.tasks.odd.puzzles),
            "task words without noise": float((facts.sensitivities[THRESHOLD][self.tasks.ids] == 0).mean()),
            "without noise": bare,
            "longest edge, l2": facts.longest[0],
            "longest edge, l1": facts.longest[1],
            "authors": authors_sensitivities(self.data),
        }

    def _shuffled(self) -> Tasks:
        return self.tasks.shuffled()

    def _utility(self, name: str, epsilon: float) -> Callable[[], list[dict[str, float]]]:
        return lambda: released_scores(self.tasks, released(self.facts, name, epsilon), self.plan.runs)

    def _privacy(self, name: str, epsilon: float, threshold: float) -> Callable[[], list[dict[str, float]]]:
        return lambda: released_privacy(
            self.compare, released(self.facts, name, epsilon, threshold), self.plan.skewed_runs
        )

    def _histogram(self, deviation: float) -> Callable[[], dict[str, Any]]:
        return lambda: histogram(self.compare, self.vocabulary.points, deviation)
