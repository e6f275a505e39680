"""Texts as averages of the vectors of their words, fast for many tables over the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.measure.tasks.task import Embed, Vectors

# Words, as those of GloVe are cut: "don't" is "do", "n't".
_TOKEN = re.compile(r"\w+(?=n't)|n't|'\w+|\w+|[^\w\s]")


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text in lower case."""
    return _TOKEN.findall(text.lower())


class Occurrences(NamedTuple):
    """The known words of texts, one text after the other, and how many each text has."""

    ids: NDArray[np.int64]
    counts: NDArray[np.int64]


class Averages:
    """Texts as averages of vectors of their known words; texts are cut into words once for each list of them.

    Parameters
    ----------
    words : of the table; the first of equal ones counts
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = len(words)
        self._rows = {word: row for row, word in reversed(list(enumerate(words)))}
        self._found: dict[tuple[str, ...], Occurrences] = {}

    def of(self, vectors: Vectors) -> Embed:
        """Return the function from texts to averages of these vectors of the words; NaN where no word is known."""

        def embed(texts: Sequence[str]) -> Vectors:
            ids, counts = self.occurrences(texts)
            averages = np.asarray(means_over(ids, counts, self.words) @ vectors, dtype=np.float64)
            averages[counts == 0] = np.nan
            return averages

        return embed

    def occurrences(self, texts: Sequence[str]) -> Occurrences:
        """Return the numbers of the known words of texts."""
        key = tuple(texts)
        if key not in self._found:
            found = [[self._rows[token] for token in tokens_of(text) if token in self._rows] for text in key]
            ids = np.array([row for rows in found for row in rows], dtype=np.int64)
            self._found[key] = Occurrences(ids, np.array([len(rows) for rows in found], dtype=np.int64))
        return self._found[key]


def means_over(ids: NDArray[np.int64], counts: NDArray[np.int64], width: int) -> Any:
    """Return the sparse matrix that takes means of rows `ids`: of the first counts[0], of the next counts[1], ..."""
    from scipy.sparse import csr_array

    weights = np.repeat(1 / np.maximum(counts, 1), counts)
    return csr_array((weights, ids, np.append(0, np.cumsum(counts))), shape=(len(counts), width))
