"""Words and vectors on their way from a file into a vocabulary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import TextveilError
from textveil.vocabulary.lattice import STEP, LatticeTable

_FLUSH = 1024


class RowError(TextveilError):
    """A row that can't be used; whoever reads the file knows its place and says it."""


class Rows:
    """Rows collected one by one: at most `limit`, each word once.

    A word that comes again is an error, or is passed over when `first_only` is set.
    """

    def __init__(self, dimension: int, *, limit: int | None, first_only: bool, kind: type, step: float = STEP) -> None:
        self.words: list[str] = []
        self.table = LatticeTable(dimension, step=step)
        self._limit = limit
        self._first_only = first_only
        self._seen: set[str] = set()
        self._waiting = bytearray()
        self._kind = kind
        self._flushed = 0

    @property
    def full(self) -> bool:
        """Whether no further row is wanted."""
        return self._limit is not None and len(self.words) >= self._limit

    def add(self, encoded: bytes, vector: bytes | memoryview) -> None:
        """Add one word with the bytes of its vector."""
        try:
            word = encoded.decode()
        except UnicodeDecodeError:
            raise RowError(f"the word {encoded[:80]!r} is not UTF-8; re-encode the file") from None
        if not word:
            raise RowError("a vector has no word; remove it")
        if word in self._seen:
            if self._first_only:
                return
            raise RowError(f"the word {word!r} occurs twice; remove one, or pass duplicates='first' to keep the first")
        self._seen.add(word)
        self.words.append(word)
        self._waiting += vector
        if len(self.words) - self._flushed == _FLUSH:
            self._flush()

    def finish(self) -> tuple[list[str], LatticeTable]:
        """Return the words and their table."""
        self._flush()
        return self.words, self.table

    def _flush(self) -> None:
        block: NDArray[Any] = np.frombuffer(bytes(self._waiting), dtype=self._kind)
        self.table.append(self.words[self._flushed :], block.reshape(-1, self.table.dimension))
        self._flushed = len(self.words)
        self._waiting.clear()
