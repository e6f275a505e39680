"""Figures 3 and 4: positive or negative words, by a linear support vector machine on released vectors.

For Figure 4 vectors of fewer dimensions are trained from the start (A1): on a part of IMDB, since nobody can train on
the corpus of GloVe 6B here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.learn.glove import Corpus, Recipe, train
from textveil.measure.tasks import Lexicon, Scores, of_table, tokens_of
from textveil.measure.tasks.tables import rows_of
from textveil.measure.tasks.task import known
from textveil.mechanisms.vectors import VectorMechanism
from textveil.randomness import RandomSource
from textveil.reproduce.repeats import public_source

# Different words of the reviews, at most.
_WORDS = 10_000


class Table(NamedTuple):
    """Words and their public vectors."""

    words: Sequence[str]
    vectors: NDArray[Any]

    def restricted(self, words: list[str]) -> Table:
        """Return those of some words that the table has."""
        found = of_table(self.words, self.vectors)(words)
        kept = known(found)
        return Table([word for word, is_known in zip(words, kept, strict=True) if is_known], found[kept])

    def scaled_like(self, other: Table) -> Table:
        """Return the same vectors times a constant: as far from each other, in the mean square, as others are."""
        return Table(self.words, self.vectors * (_spread(other.vectors) / _spread(self.vectors)))


def opinion_scores(task: Lexicon, table: Table, mechanism: VectorMechanism | None, run: int) -> Scores:
    """Return accuracy and AUC on words that were released once each; of clean vectors without a mechanism."""
    if mechanism is None:
        return replace(task, run=run).scores(of_table(table.words, table.vectors))
    released = mechanism.release(table.vectors, source=noise_source(run))
    return replace(task, run=run).scores(of_table(table.words, np.asarray(released)))


def noise_source(run: int) -> RandomSource:
    """Return what the noise of a run is drawn from."""
    return public_source("privemb words", run)


def reviews(data: Path, texts: int) -> Corpus:
    """Return the words of some reviews of IMDB, from all over the file: it is in the order of its classes."""
    found = [text for (text,) in rows_of(data, "cls/imdb.tsv.xz", "text")]
    chosen = np.unique(np.linspace(0, len(found) - 1, min(texts, len(found))).astype(np.int64))
    return Corpus.of((tokens_of(found[row].replace("<br />", " ")) for row in chosen), words=_WORDS)


def trained(corpus: Corpus, dimension: int, epochs: int) -> Table:
    """Return vectors of the corpus, trained in this dimension."""
    made = train(corpus, Recipe(dimension=dimension, epochs=epochs))
    return Table(made.words, made.vectors.astype(np.float64))


def _spread(vectors: NDArray[Any]) -> float:
    """Return the root mean square distance from the mean."""
    return float(np.sqrt(np.square(vectors - vectors.mean(axis=0)).sum(axis=1).mean()))
