"""The whole of the paper: Figures 1 to 4 and Table 1. Figures 5 to 7 need fastText, which is not in the data.

Every cell is kept on disk, so that a run that was stopped goes on where it was. What is said of the results is computed
from them: `showing.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from textveil.measure.statistics.sampled import clopper_pearson
from textveil.measure.tasks import Classification, Lexicon, read_task, tokens_of
from textveil.measure.tasks.classification import first_rows
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.vectors import VectorMechanism
from textveil.progress import progress
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.privemb.distances import errors, words_compared
from textveil.reproduce.privemb.mechanisms import CLEAN, M1, M2, MAKERS, OURS, snapped, target_of
from textveil.reproduce.privemb.sentences import EACH, ONCE, sentence_scores
from textveil.reproduce.privemb.showing import reported
from textveil.reproduce.privemb.words import Table, opinion_scores, reviews, trained
from textveil.reproduce.repeats import folder_digest, interval, public_source
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sentdp.files import words_of
from textveil.vocabulary import Vocabulary

SETS = {"mr": "MR", "cr": "CR", "mpqa": "MPQA", "sst5": "SST-5", "trec": "TREC-6"}
FILES = ("cls/opinion_lexicon.tsv.gz", *(f"cls/{name}.tsv.gz" for name in SETS), "cls/imdb.tsv.xz")
# Cells of an older way of measuring are not taken.
_VERSION = 1
_EVERYTHING = 10**9


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Parameters
    ----------
    epsilons, betas : of Figures 1 and 2
    pairs : words on each side of them
    runs : of Figures 1 to 3
    word_epsilons, word_betas : of Figure 3
    dimensions : of Figure 4, each with the paper's beta; all vectors of it are trained on so many texts and epochs
    trained_epsilons, trained_runs : of Figure 4
    sentence_runs : of Table 1
    rows : texts of a data set of Table 1, at most
    unchanged : words that are counted for M1 with the nearest word
    """

    epsilons: tuple[float, ...] = (1.0, 2.0, 5.0)
    betas: tuple[float, ...] = (0.5, 0.6, 0.7)
    pairs: int = 100
    runs: int = 10
    word_epsilons: tuple[float, ...] = (1.0, 5.0, 10.0, 20.0, 40.0)
    word_betas: tuple[float, ...] = (0.5, 0.7, 0.9)
    dimensions: tuple[tuple[int, float], ...] = ((50, 0.93), (100, 0.66), (200, 0.468))
    whole: int = 300
    trained_epsilons: tuple[float, ...] = (5.0, 10.0, 20.0)
    trained_runs: int = 5
    texts: int = 6000
    epochs: int = 15
    sentence_runs: int = 5
    rows: int = _EVERYTHING
    unchanged: int = 1500


FULL = Plan()
QUICK = Plan(
    runs=3,
    word_epsilons=(5.0, 20.0),
    word_betas=(0.9,),
    dimensions=((50, 0.93),),
    trained_epsilons=(10.0,),
    trained_runs=2,
    texts=1000,
    epochs=5,
    sentence_runs=1,
    rows=1500,
    unchanged=600,
)


def paper(*, data: Path, quick: bool = False, plan: Plan | None = None) -> Reproduction:
    """Measure everything.

    Parameters
    ----------
    data : folder of the public data sets
    quick : a small part
    plan : how much is done, instead of what `quick` says
    """
    measured = _Paper(data, plan or (QUICK if quick else FULL))
    parts = [measured.unchanged, measured.figures_1_and_2, measured.figure_3, measured.figure_4, measured.table_1]
    records: list[dict[str, Any]] = []
    with progress("PrivEmb", None) as step:
        for part in parts:
            for found in part():
                records += found
                step(title=f"PrivEmb: {found[0]['part']}")
    return reported(records, asdict(measured.plan))


class _Paper:
    """The data, read when it is needed, and the parts of the paper, each a row of cells."""

    def __init__(self, data: Path, plan: Plan) -> None:
        self.data, self.plan = data, plan
        subject = [_VERSION, asdict(plan), folder_digest(data, FILES), self.vocabulary.digest]
        self.cells = KeptCells("privemb", subject)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """GloVe 6B in 300 dimensions."""
        return words_of(self.data, _EVERYTHING)

    @cached_property
    def table(self) -> Table:
        """The same as a table."""
        return Table(list(self.vocabulary.words), self.vocabulary.points)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The opinion lexicon."""
        found = read_task("opinion lexicon", self.data)
        assert isinstance(found, Lexicon)  # noqa: S101
        return found

    @cached_property
    def opinions(self) -> Table:
        """The vectors of its words."""
        return self._rows(self.table, list(self.lexicon.words))

    @cached_property
    def learnt(self) -> dict[int, Table]:
        """Vectors trained on reviews, by their dimension."""
        corpus, plan = reviews(self.data, self.plan.texts), self.plan
        sizes = [*(dimension for dimension, _ in plan.dimensions), plan.whole]
        return {size: self._rows(trained(corpus, size, plan.epochs), list(self.lexicon.words)) for size in sizes}

    def unchanged(self) -> Iterator[list[dict[str, Any]]]:
        """Count how often M1, followed by the nearest word, leaves a word as it is."""
        words = public_words(len(self.vocabulary), self.plan.unchanged)
        for epsilon in (10.0, 15.0, 20.0):

            def count(epsilon: float = epsilon) -> int:
                mechanism = NearestWord(self.vocabulary, Laplace(epsilon=epsilon, dimension=self.vocabulary.dimension))
                released = mechanism.release_ids(words, source=public_source("privemb unchanged"))
                return int((released == words).sum())

            kept = self.cells.get(f"unchanged {epsilon}", count)
            low, high = clopper_pearson(kept, len(words), 0.05)
            share = kept / len(words)
            about = {"part": "unchanged", "data": "", "measure": "unchanged", "mechanism": "M1, nearest word"}
            yield [{**about, "epsilon": epsilon, "mean": share, "around": float(high - low) / 2, "runs": len(words)}]

    def figures_1_and_2(self) -> Iterator[list[dict[str, Any]]]:
        """Errors of distances and inner products."""
        plan, vectors = self.plan, self.table.vectors
        pairs = words_compared(len(vectors), plan.pairs)
        for name, maker, beta in self._mechanisms(plan.betas, ours=False):
            for epsilon in plan.epsilons:

                def runs(maker: Any = maker, beta: float = beta, epsilon: float = epsilon) -> list[dict[str, float]]:
                    return [errors(maker(vectors, beta, epsilon, run), vectors, pairs, run) for run in range(plan.runs)]

                yield self._records("Figures 1 and 2", "", name, epsilon, runs)

    def figure_3(self) -> Iterator[list[dict[str, Any]]]:
        """Positive or negative words."""
        plan, table = self.plan, self.opinions
        yield self._records(
            "Figure 3",
            "",
            CLEAN,
            None,
            lambda: [opinion_scores(self.lexicon, table, None, r) for r in range(plan.runs)],
        )
        for name, maker, beta in self._mechanisms(plan.word_betas):
            for epsilon in plan.word_epsilons:
                yield self._opinions("Figure 3", "", name, epsilon, plan.runs, table, maker, beta)
        yield self._records("Figure 3", "shuffled", f"{M1}, shuffled labels", max(plan.word_epsilons), self._shuffled)

    def figure_4(self) -> Iterator[list[dict[str, Any]]]:
        """Fewer dimensions from the start (A1), or by a projection (M2, ours)."""
        plan = self.plan
        for dimension, beta in plan.dimensions:
            name = f"{dimension} dimensions"
            for epsilon in plan.trained_epsilons:
                ways: dict[str, tuple[Callable[[], Table], str]] = {
                    "A1": (lambda d=dimension: self.learnt[d], M1),  # type: ignore[misc]
                    "A1, as far apart as 300 dimensions": (
                        lambda d=dimension: self.learnt[d].scaled_like(self.learnt[plan.whole]),  # type: ignore[misc]
                        M1,
                    ),
                    M2: (lambda: self.learnt[plan.whole], M2),
                    OURS: (lambda: self.learnt[plan.whole], OURS),
                }
                for way, (table, maker) in ways.items():
                    yield self._opinions("Figure 4", name, way, epsilon, plan.trained_runs, table, MAKERS[maker], beta)

    def table_1(self) -> Iterator[list[dict[str, Any]]]:
        """Classes of sentences."""
        plan, beta, epsilon = self.plan, 0.9, 10.0
        for name, title in SETS.items():
            found = read_task(name, self.data)
            assert isinstance(found, Classification)  # noqa: S101
            task = first_rows(found, plan.rows)
            tokens = sorted({token for text in task.texts for token in tokens_of(text)})
            table = self._rows(self.table, tokens)
            yield self._records(
                "Table 1",
                title,
                CLEAN,
                None,
                lambda: [sentence_scores(task, table, None, ONCE, 0)],  # noqa: B023
            )
            for maker in MAKERS:
                for reading in (ONCE, EACH):

                    def runs(maker: str = maker, reading: str = reading, table: Table = table, task: Any = task) -> Any:
                        made = [MAKERS[maker](table.vectors, beta, epsilon, run) for run in self._seeds(maker)]
                        return [
                            sentence_scores(task, table, made[run % len(made)], reading, run)
                            for run in range(plan.sentence_runs)
                        ]

                    yield self._records("Table 1", title, f"{maker}, {reading}", epsilon, runs)
            majority = task.shuffled()
            yield self._records(
                "Table 1",
                f"{title}, shuffled labels",
                CLEAN,
                None,
                lambda: [sentence_scores(majority, table, None, ONCE, 0) | {"chance": majority.chance["accuracy"]}],  # noqa: B023
            )

    def _seeds(self, maker: str) -> range:
        """M2 draws a projection for each run; the others are the same in all."""
        return range(self.plan.sentence_runs if maker == M2 else 1)

    def _opinions(
        self,
        part: str,
        data: str,
        name: str,
        epsilon: float,
        count: int,
        table: Table | Callable[[], Table],
        maker: Callable[..., VectorMechanism],
        beta: float,
    ) -> list[dict[str, Any]]:
        def runs() -> list[dict[str, float]]:
            used = table() if callable(table) else table
            same = None if maker is MAKERS[M2] else maker(used.vectors, beta, epsilon, 0)
            return [
                opinion_scores(self.lexicon, used, same or maker(used.vectors, beta, epsilon, run), run)
                for run in range(count)
            ]

        return self._records(part, data, name, epsilon, runs)

    def _shuffled(self) -> list[dict[str, float]]:
        task = self.lexicon
        made = MAKERS[M1](self.opinions.vectors, 0.0, max(self.plan.word_epsilons), 0)
        return [opinion_scores(task.shuffled(run), self.opinions, made, run) for run in range(self.plan.runs)]

    def _mechanisms(self, betas: tuple[float, ...], *, ours: bool = True) -> Iterator[tuple[str, Any, float]]:
        yield M1, MAKERS[M1], 0.0
        for maker in (M2, OURS) if ours else (M2,):
            for beta in betas:
                size = min(self.vocabulary.dimension, target_of(self.vocabulary.dimension, beta))
                yield f"{maker}, β = {beta:g} ({size} dimensions)", MAKERS[maker], beta

    def _records(
        self,
        part: str,
        data: str,
        mechanism: str,
        epsilon: float | None,
        runs: Callable[[], list[dict[str, float]]],
    ) -> list[dict[str, Any]]:
        """Return a record for each measure of a cell, which is computed or taken from the disk."""
        found = self.cells.get(f"{part} | {data} | {mechanism} | {epsilon}", runs)
        about = {"part": part, "data": data, "mechanism": mechanism, "epsilon": epsilon}
        return [{**about, "measure": name, **interval([run[name] for run in found])} for name in found[0]]

    @staticmethod
    def _rows(table: Table, words: list[str]) -> Table:
        found = table.restricted(words)
        return Table(found.words, snapped(found.vectors))


def public_words(count: int, chosen: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return some of `count` words, the same in every run."""
    return np.argsort(public_source("privemb words").streams(b"order", np.arange(count)).words(1)[:, 0])[:chosen]
