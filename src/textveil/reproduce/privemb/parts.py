"""The parts of the paper, each a row of cells that are measured or taken from the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from textveil.measure.statistics.sampled import clopper_pearson
from textveil.measure.tasks import Averages, Classification, Lexicon, Scores, tokens_of
from textveil.measure.tasks.classification import first_rows
from textveil.measure.tasks.folder import opinions, parted_texts_of, questions, texts_of
from textveil.measure.tasks.task import order_of
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.nearest_word import NearestWord
from textveil.reproduce.measuring import EVERYTHING, Cell, Measuring, Records
from textveil.reproduce.privemb.distances import errors, true_sizes, words_compared
from textveil.reproduce.privemb.mechanisms import CLEAN, M1, M2, MAKERS, OURS, Maker, snapped, target_of
from textveil.reproduce.privemb.sentences import EACH, ONCE, sentence_scores
from textveil.reproduce.privemb.words import Table, opinion_scores, reviews, trained
from textveil.reproduce.repeats import folder_digest, public_source
from textveil.reproduce.sentdp.files import words_of
from textveil.vocabulary import Vocabulary

if TYPE_CHECKING:
    from textveil.reproduce.privemb.paper import Plan

SETS: dict[str, Callable[[Path], Classification]] = {
    "MR": partial(texts_of, "mr"),
    "CR": partial(texts_of, "cr"),
    "MPQA": partial(texts_of, "mpqa"),
    "SST-5": partial(parted_texts_of, "sst5"),
    "TREC-6": questions,
}
FILES = (
    *(f"cls/{name}.tsv.gz" for name in ("opinion_lexicon", "mr", "cr", "mpqa", "sst5", "trec")),
    "cls/imdb.tsv.xz",
)
# Of Table 1.
BETA, EPSILON = 0.9, 10.0
UNCHANGED_EPSILONS = (10.0, 15.0, 20.0)
# Cells of an older way of measuring are not taken.
_VERSION = 1


class Parts:
    """The data, read when it is needed, and what is measured with it.

    Parameters
    ----------
    data : folder of the public data sets
    plan : how much is done
    """

    def __init__(self, data: Path, plan: Plan) -> None:
        self.data, self.plan = data, plan
        digest = folder_digest(data, FILES)
        self.cells = Measuring("privemb", [_VERSION, asdict(plan), digest, self.vocabulary.digest])

    def cells_of_all(self) -> Iterator[Cell]:
        """Every cell, in the order of the paper."""
        yield from self.unchanged()
        yield from self.figures_1_and_2()
        yield from self.figure_3()
        yield from self.figure_4()
        yield from self.table_1()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """GloVe 6B in 300 dimensions."""
        return words_of(self.data, EVERYTHING)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The opinion lexicon."""
        return opinions(self.data)

    @cached_property
    def opinion_words(self) -> Table:
        """The vectors of its words."""
        return self._rows(list(self.lexicon.words))

    @cached_property
    def learnt(self) -> dict[int, Table]:
        """Vectors of its words, trained on reviews, by their dimension."""
        corpus, plan = reviews(self.data, self.plan.texts), self.plan
        tables = {}
        for size in (*(dimension for dimension, _ in plan.dimensions), plan.whole):
            found = trained(corpus, size, plan.epochs).restricted(list(self.lexicon.words))
            tables[size] = Table(found.words, snapped(found.vectors))
        return tables

    def unchanged(self) -> Iterator[Cell]:
        """Count how often M1, followed by the nearest word, leaves a word as it is."""
        words = order_of(len(self.vocabulary), "privemb unchanged")[: self.plan.unchanged]

        def count(epsilon: float) -> int:
            mechanism = NearestWord(self.vocabulary, Laplace(epsilon=epsilon, dimension=self.vocabulary.dimension))
            released = mechanism.release_ids(words, source=public_source("privemb unchanged"))
            return int((released == words).sum())

        def records(epsilon: float) -> Records:
            stayed = self.cells.kept.get(f"unchanged {epsilon}", partial(count, epsilon))
            low, high = clopper_pearson(stayed, len(words), 0.05)
            about = {"part": "unchanged", "data": "", "mechanism": "M1, nearest word", "epsilon": epsilon}
            share = {"mean": stayed / len(words), "around": float(high - low) / 2, "runs": len(words)}
            return [{**about, "measure": "unchanged", **share}]

        for epsilon in UNCHANGED_EPSILONS:
            yield partial(records, epsilon)

    def figures_1_and_2(self) -> Iterator[Cell]:
        """Errors of distances and inner products."""
        plan, vectors = self.plan, self.vocabulary.points
        pairs = words_compared(len(vectors), plan.pairs)

        def runs(maker: Maker, beta: float, epsilon: float) -> list[Scores]:
            return [errors(maker(vectors, beta, epsilon, run), vectors, pairs, run) for run in range(plan.runs)]

        for name, maker, beta in self._mechanisms(plan.betas, (M2,)):
            for epsilon in plan.epsilons:
                cell = partial(runs, MAKERS[maker], beta, epsilon)
                yield self.cells.cell("Figures 1 and 2", name, epsilon, cell)

    def true_sizes(self) -> dict[str, float]:
        """Return how large the distances and inner products of the words are, against which their errors are read."""
        return true_sizes(self.vocabulary.points, words_compared(len(self.vocabulary), self.plan.pairs))

    def figure_3(self) -> Iterator[Cell]:
        """Positive or negative words."""
        plan = self.plan
        yield self._opinions("Figure 3", "", CLEAN, None, plan.runs, lambda: self.opinion_words)
        for name, maker, beta in self._mechanisms(plan.word_betas, (M2, OURS)):
            for epsilon in plan.word_epsilons:
                yield self._opinions(
                    "Figure 3", "", name, epsilon, plan.runs, lambda: self.opinion_words, maker=maker, beta=beta
                )
        most, name = max(plan.word_epsilons), f"labels shuffled, {M1}"
        yield self._opinions("Figure 3", "", name, most, plan.runs, lambda: self.opinion_words, maker=M1, shuffled=True)

    def figure_4(self) -> Iterator[Cell]:
        """Fewer dimensions from the start (A1), or by a projection (M2, ours)."""
        plan = self.plan

        def table(dimension: int, scaled: bool) -> Table:
            found = self.learnt[dimension]
            return found.scaled_like(self.learnt[plan.whole]) if scaled else found

        for dimension, beta in plan.dimensions:
            name, count = f"{dimension} dimensions", plan.trained_runs
            own, scaled, whole = (
                partial(table, size, is_scaled)
                for size, is_scaled in ((dimension, False), (dimension, True), (plan.whole, False))
            )
            yield self._opinions("Figure 4", name, f"A1, {CLEAN}", None, count, own)
            yield self._opinions("Figure 4", name, f"{plan.whole} dimensions, {CLEAN}", None, count, whole)
            ways = {"A1": (own, M1), f"A1, as far apart as {plan.whole} dimensions": (scaled, M1)}
            ways |= {M2: (whole, M2), OURS: (whole, OURS)}
            for epsilon in plan.trained_epsilons:
                for way, (used, maker) in ways.items():
                    yield self._opinions("Figure 4", name, way, epsilon, count, used, maker=maker, beta=beta)

    def table_1(self) -> Iterator[Cell]:
        """Classes of sentences."""
        for name, read in SETS.items():
            task = first_rows(read(self.data), self.plan.rows)
            table = self._rows(sorted({token for text in task.texts for token in tokens_of(text)}))
            averages = Averages(table.words)
            clean, shuffled = (partial(_clean, some, table, averages) for some in (task, task.shuffled()))
            yield self.cells.cell("Table 1", CLEAN, None, clean, data=name)
            yield self.cells.cell("Table 1", CLEAN, None, shuffled, data=f"{name}, shuffled labels")
            for maker in MAKERS:
                for reading in (ONCE, EACH):
                    runs = partial(self._sentences, task, table, averages, maker, reading)
                    yield self.cells.cell("Table 1", f"{maker}, {reading}", EPSILON, runs, data=name)

    def _sentences(
        self, task: Classification, table: Table, averages: Averages, maker: str, reading: str
    ) -> list[Scores]:
        count = self.plan.sentence_runs
        # M2 draws a projection for each run; the others are the same in all.
        made = [MAKERS[maker](table.vectors, BETA, EPSILON, run) for run in range(count if maker == M2 else 1)]
        return [sentence_scores(task, table, averages, made[run % len(made)], reading, run) for run in range(count)]

    def _opinions(
        self,
        part: str,
        data: str,
        name: str,
        epsilon: float | None,
        count: int,
        table: Callable[[], Table],
        *,
        maker: str | None = None,
        beta: float = 0.0,
        shuffled: bool = False,
    ) -> Cell:
        def runs() -> list[Scores]:
            used, found = table(), []
            mechanism = None
            for run in range(count):
                if maker is not None and epsilon is not None and (mechanism is None or maker == M2):
                    mechanism = MAKERS[maker](used.vectors, beta, epsilon, run)
                task = self.lexicon.shuffled(run) if shuffled else self.lexicon
                found.append(opinion_scores(task, used, mechanism, run))
            return found

        return self.cells.cell(part, name, epsilon, runs, data=data)

    def _mechanisms(self, betas: tuple[float, ...], projected: tuple[str, ...]) -> Iterator[tuple[str, str, float]]:
        """M1, and the others with each beta."""
        yield M1, M1, 0.0
        for maker in projected:
            for beta in betas:
                size = min(self.vocabulary.dimension, target_of(self.vocabulary.dimension, beta))
                yield f"{maker}, β = {beta:g} ({size} dimensions)", maker, beta

    def _rows(self, words: list[str]) -> Table:
        return Table(self.vocabulary.words, self.vocabulary.points).restricted(words)


def _clean(task: Classification, table: Table, averages: Averages) -> list[Scores]:
    return [{**sentence_scores(task, table, averages), "chance": task.chance["accuracy"]}]
