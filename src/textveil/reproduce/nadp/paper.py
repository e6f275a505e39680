"""The whole of the paper: Figures 2 to 4 and Table 1. Its vectors, GloVe 42B, can't be had; GloVe 6B stands in.

The vocabulary is the paper's own list of words as far as GloVe 6B has them. Every cell is kept on disk, so that a run
that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.overlap import NeighbourOverlap
from textveil.measure.tasks.tables import rows_of
from textveil.measure.tasks.task import order_of
from textveil.progress import progress
from textveil.reproduce.kept_cells import KeptCells
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
from textveil.reproduce.nadp.neighbours import nearest_words, published_sensitivities
from textveil.reproduce.nadp.privacy import histogram, released_privacy
from textveil.reproduce.nadp.showing import CLEAN, SHUFFLED, reported
from textveil.reproduce.nadp.utility import Tasks, released_scores
from textveil.reproduce.repeats import folder_digest, interval
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sentdp.files import words_of
from textveil.vocabulary import Vocabulary

FILES = (
    *(f"sim/{name}.tsv.gz" for name in ("wordsim", "stsb", "odd_man_out")),
    *(f"cls/{name}.tsv.gz" for name in ("mr", "cr", "mpqa")),
    "reference/nadp_delta.tsv.xz",
)
# Cells of an older way of measuring are not taken.
_VERSION = 1
_EVERYTHING = 10**9


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Parameters
    ----------
    words : of the paper's list, the commonest
    epsilons, runs : of Figure 2
    rows : texts of each set of reviews
    thresholds : of NADP in Figure 3; that of Figure 2 must be among them
    skewed_epsilons, skewed_runs : of Figure 3
    sampled : words of Figures 3 and 4
    deviations : of Figure 4
    """

    words: int = _EVERYTHING
    epsilons: tuple[float, ...] = (0.8, 5.0, 10.0, 20.0, 40.0)
    runs: int = 5
    rows: int = 2000
    thresholds: tuple[float, ...] = (0.1, 0.3, THRESHOLD)
    skewed_epsilons: tuple[float, ...] = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0)
    skewed_runs: int = 3
    sampled: int = 2000
    deviations: tuple[float, ...] = tuple(round(0.05 * number, 2) for number in range(21))


FULL = Plan()
QUICK = Plan(
    words=10_000,
    epsilons=(0.8, 10.0, 40.0),
    runs=2,
    rows=600,
    thresholds=(0.1, THRESHOLD),
    skewed_epsilons=(1.0, 10.0, 40.0),
    skewed_runs=2,
    sampled=600,
    deviations=(0.0, 0.05, 0.25, 0.5, 1.0),
)


def paper(*, data: Path, quick: bool = False, plan: Plan | None = None) -> Reproduction:
    """Measure everything.

    Parameters
    ----------
    data : folder of the public data sets
    quick : a small part
    plan : how much is done, instead of what `quick` says
    """
    measured = Parts(data, plan or (QUICK if quick else FULL))
    records: list[dict[str, Any]] = []
    with progress("NADP", None) as step:
        for part in (measured.figure_2, measured.figure_3, measured.figure_4):
            for found in part():
                records += found
                step(title=f"NADP: {found[0]['part']}")
    return reported(records, measured.about(), measured.table_1(), asdict(measured.plan))


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
        self.cells = KeptCells("nadp", subject)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The paper's words that GloVe 6B has, with its vectors."""
        table = words_of(self.data, _EVERYTHING)
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

    def figure_2(self) -> Iterator[list[dict[str, Any]]]:
        """Utility."""

        def clean(tasks: Callable[[], Tasks]) -> Callable[[], list[dict[str, float]]]:
            return lambda: [tasks().scores(self.vocabulary.points[self.tasks.ids])]

        yield self._records("Figure 2", CLEAN, None, clean(lambda: self.tasks))
        yield self._records("Figure 2", SHUFFLED, None, clean(self._shuffled))
        yield self._records("Figure 2", "chance", None, lambda: [self.tasks.chance()])
        for name in (NADP, GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS):
            for epsilon in self.plan.epsilons:
                yield self._records("Figure 2", name, epsilon, self._utility(name, epsilon))

    def figure_3(self) -> Iterator[list[dict[str, Any]]]:
        """Skewness, and what it has to do with privacy."""
        ways = [(name, name, THRESHOLD) for name in (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS)]
        ways += [(f"{NADP}, τ = {threshold:g}", NADP, threshold) for threshold in self.plan.thresholds]
        for title, name, threshold in ways:
            for epsilon in self.plan.skewed_epsilons:
                yield self._records("Figure 3", title, epsilon, self._privacy(name, epsilon, threshold))

    def figure_4(self) -> Iterator[list[dict[str, Any]]]:
        """Histograms of overlaps with Gaussian noise."""
        for deviation in self.plan.deviations:
            found = self.cells.get(f"Figure 4 | {deviation}", self._histogram(deviation))
            about = {"part": "Figure 4", "data": "", "mechanism": GAUSSIAN, "epsilon": deviation}
            yield [
                {**about, "measure": name, "mean": found[name], "around": None, "runs": 1}
                for name in ("skewness", "recovered")
            ] + [
                {**about, "measure": f"overlap bin {place}", "mean": share, "around": None, "runs": 1}
                for place, share in enumerate(found["histogram"])
            ]

    def table_1(self) -> list[dict[str, str]]:
        """The neighbours of five words."""
        rows: list[dict[str, str]] = self.cells.get(
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
            "task words without noise": float((facts.sensitivities[THRESHOLD][self.tasks.ids] == 0).mean()),
            "without noise": bare,
            "longest edge, l2": facts.longest[0],
            "longest edge, l1": facts.longest[1],
            "authors": published_sensitivities(self.data),
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

    def _records(
        self, part: str, mechanism: str, epsilon: float | None, runs: Callable[[], list[dict[str, float]]]
    ) -> list[dict[str, Any]]:
        """Return a record for each measure of a cell, which is computed or taken from the disk."""
        found = self.cells.get(f"{part} | {mechanism} | {epsilon}", runs)
        about = {"part": part, "data": "", "mechanism": mechanism, "epsilon": epsilon}
        return [{**about, "measure": name, **interval([run[name] for run in found])} for name in found[0]]
