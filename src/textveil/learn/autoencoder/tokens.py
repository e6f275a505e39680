"""The public words of an auto-encoder: texts become numbers of words, and numbers become texts.

A word is a run of letters and digits, joined by apostrophes, full stops, colons or hyphens inside; everything else only
separates words. Case is folded. Every word that is not in the table is the one unknown word, which is read and never
written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.immutable import SetOnce

Ids = NDArray[np.int64]

# The end of an utterance, which is also what stands before its first word; and all words that are not in the table.
END, UNKNOWN = 0, 1
SPECIAL = 2
_MOST_LENGTH = 4096
_WORD = re.compile(r"[^\W_]+(?:['\u2019.:-][^\W_]+)*")


def words_of(text: str, most: int) -> list[str]:
    """Return the first `most` words of a text, their case folded."""
    return [found.group().casefold() for found in islice(_WORD.finditer(text), most)]


class WordTable(SetOnce):
    """Public words, each with a number.

    Parameters
    ----------
    words : all different, in the form that `words_of` gives them
    length : most words that are read of a text, and written
    """

    def __init__(self, words: Sequence[str], length: int) -> None:
        self.words = tuple(words)
        self.length = require_count("length", length)
        if self.length > _MOST_LENGTH:
            raise InvalidInputError(f"length must be at most {_MOST_LENGTH:,} words (got {length!r})")
        self._ids = {word: SPECIAL + place for place, word in enumerate(self.words)}
        if not self.words or len(self._ids) != len(self.words):
            raise InvalidInputError("words must be at least one, and all different")
        if any(words_of(word, 2) != [word] for word in self.words):
            raise InvalidInputError("words must each be one word, in lower case, without white space")

    def __len__(self) -> int:
        """How many numbers there are, the two special ones included."""
        return SPECIAL + len(self.words)

    @classmethod
    def of(cls, texts: Iterable[str], *, most: int, length: int) -> WordTable:
        """Return the most frequent words of public texts."""
        counts = Counter(word for text in texts for word in words_of(text, length))
        if not counts:
            raise InvalidInputError("the public texts hold no words; give texts of at least one word")
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked[: require_count("words", most)], length)

    def ids(self, text: str) -> list[int]:
        """Return the numbers of a text's words, cut at the length, and the end: never nothing."""
        return [*(self._ids.get(word, UNKNOWN) for word in words_of(text, self.length)), END]

    def text(self, ids: Iterable[int]) -> str:
        """Return the words of these numbers, with spaces between them."""
        return " ".join(self.words[number - SPECIAL] for number in ids)


def padded(sequences: Sequence[Sequence[int]]) -> Ids:
    """Return sequences as the rows of an array, with the end repeated where they are shorter."""
    rows = np.full((len(sequences), max(map(len, sequences))), END, dtype=np.int64)
    for row, sequence in zip(rows, sequences, strict=True):
        row[: len(sequence)] = sequence
    return rows
