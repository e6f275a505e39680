"""Texts as averages of the vectors of their words, fast for many tables over the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from textveil.measure.tasks.task import Embed, Vectors

# Words, as those of GloVe are cut: "don't" is "do", "n't".
_TOKEN = re.compile(r"\w+(?=n't)|n't|'\w+|\w+|[^\w\s]")


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text in lower case."""
    return _TOKEN.findall(text.lower())


class Averages:
    """Which known words each text has, how often; counted once for each list of texts.

    Parameters
    ----------
    words : of the table; the first of equal ones counts
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._rows = {word: row for row, word in reversed(list(enumerate(words)))}
        self._counted: dict[tuple[str, ...], Any] = {}

    def of(self, vectors: Vectors) -> Embed:
        """Return the function from texts to averages of these vectors of the words; NaN where no word is known."""

        def embed(texts: Sequence[str]) -> Vectors:
            weights = self.weights(texts)
            averages = np.asarray(weights @ vectors, dtype=np.float64)
            averages[np.diff(weights.indptr) == 0] = np.nan
            return averages

        return embed

    def weights(self, texts: Sequence[str]) -> Any:
        """Return the weight of each word in each text, as a sparse matrix whose rows add to 1."""
        key = tuple(texts)
        if key not in self._counted:
            self._counted[key] = self._count(key)
        return self._counted[key]

    def _count(self, texts: tuple[str, ...]) -> Any:
        from scipy.sparse import csr_array

        found = [[self._rows[token] for token in tokens_of(text) if token in self._rows] for text in texts]
        counts = np.array([len(rows) for rows in found], dtype=np.int64)
        ids = np.array([row for rows in found for row in rows], dtype=np.int64)
        values = np.repeat(1 / np.maximum(counts, 1), counts)
        matrix = csr_array((values, ids, np.append(0, np.cumsum(counts))), shape=(len(texts), len(self._rows)))
        matrix.sum_duplicates()
        return matrix
