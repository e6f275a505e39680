"""Rows of a law, made once per distinct word and kept in bounded memory; drawing from them.

Rows lie one after the other in an arena. When it is full a new one is begun, so memory never passes the
budget however many words a text has; a call that is still drawing keeps the arena it began with. A device may compute
the distances; the integers are always made here, of the same numbers, so that they are the same.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.mechanisms.exponential.law import Law
from textveil.noise import choice
from textveil.randomness import Streams
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Buffers = tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint64]]

BUDGET_BYTES = 512 * 2**20
_ENTRY_BYTES = 24
_ABSENT = -1
_DISTANCES_A_BLOCK = 2**21


@dataclass(frozen=True)
class Row:
    """The law of one word: near candidates, their cumulative weights, its own, everybody's share, the total."""

    word: int
    ids: NDArray[np.int32]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    own: tuple[np.uint64, np.uint64]
    share: tuple[np.uint64, np.uint64]
    total: tuple[np.uint64, np.uint64]


class Arena:
    """Room for rows; memory is taken from the system only as it is filled."""

    def __init__(self, words: int, entries: int) -> None:
        self.rows = choice.Rows(
            starts=np.zeros(words, dtype=np.int64),
            lengths=np.full(words, _ABSENT, dtype=np.int32),
            ids=np.empty(entries, dtype=np.int32),
            prefix=np.empty(entries, dtype=np.uint32),
            high=np.empty(entries, dtype=np.uint64),
            low=np.empty(entries, dtype=np.uint64),
            own_high=np.zeros(words, dtype=np.uint64),
            own_low=np.zeros(words, dtype=np.uint64),
            share_high=np.zeros(words, dtype=np.uint64),
            share_low=np.zeros(words, dtype=np.uint64),
            total_high=np.zeros(words, dtype=np.uint64),
            total_low=np.zeros(words, dtype=np.uint64),
        )
        self.used = 0

    def fits(self, row: Row) -> bool:
        """Whether there is room for this row."""
        return self.used + len(row.ids) <= len(self.rows.ids)

    def lacks(self, words: Ids) -> Ids:
        """Return the places of the words that have no row here."""
        return np.flatnonzero(self.rows.lengths[words] == _ABSENT)

    def add(self, row: Row) -> None:
        """Append a row; its length is written last, so that a reader never sees half of it."""
        rows, start, stop = self.rows, self.used, self.used + len(row.ids)
        rows.ids[start:stop], rows.high[start:stop], rows.low[start:stop] = row.ids, row.high, row.low
        rows.prefix[start:stop] = row.high >> np.uint64(31)
        rows.starts[row.word] = start
        rows.own_high[row.word], rows.own_low[row.word] = row.own
        rows.share_high[row.word], rows.share_low[row.word] = row.share
        rows.total_high[row.word], rows.total_low[row.word] = row.total
        self.used = stop
        rows.lengths[row.word] = len(row.ids)


class Rows:
    """Draws from the rows of a law, making each row when it is first needed."""

    def __init__(self, vocabulary: Vocabulary, law: Law, budget: int = BUDGET_BYTES) -> None:
        self._vocabulary = vocabulary
        self._law = law
        self._entries = max(len(vocabulary), budget // _ENTRY_BYTES)
        self._arena = Arena(len(vocabulary), self._entries)
        self._shares = choice.Shares.of(law.weights) if law.is_weighted else None
        self._whole = float(choice.sum_of(law.weights))
        self._there = vocabulary.pairs_there()
        self._lock = threading.Lock()

    def draw(self, words: Ids, streams: Streams) -> Ids:
        """Draw a word for each word."""
        arena, count = self._arena, len(self._vocabulary)
        if len(arena.lacks(words)) == 0:
            return choice.draw(words, arena.rows, count, streams, self._shares)
        chosen = np.empty(len(words), dtype=np.int64)
        distinct = np.flatnonzero(np.bincount(words, minlength=count))
        while len(distinct):
            arena, ready = self._with_rows(distinct)
            is_ready = np.zeros(count, dtype=bool)
            is_ready[distinct[:ready]] = True
            tokens = np.flatnonzero(is_ready[words])
            chosen[tokens] = choice.draw(words[tokens], arena.rows, count, streams.select(tokens), self._shares)
            distinct = distinct[ready:]
        return chosen

    def probabilities(self, words: Ids) -> Floats:
        """Return P[y | x] for these words x and all y, as the integers have it."""
        matrix = np.empty((len(words), len(self._vocabulary)))
        shares = 1.0 if self._shares is None else _shares_of_one(self._shares)
        for place, row in enumerate(self._rows(words)):
            total = _wide(*row.total)
            matrix[place] = shares * (_wide(*row.share) / total)
            matrix[place, row.ids] += _differences(row.high, row.low) / float(total)
            matrix[place, row.word] += _wide(*row.own) / total
        return matrix

    def _with_rows(self, words: Ids) -> tuple[Arena, int]:
        """Return an arena that holds the rows of the first words, and of how many of them."""
        with self._lock:
            arena = self._arena
            missing = arena.lacks(words)
            for place, row in zip(missing, self._rows(words[missing]), strict=True):
                if not arena.fits(row):
                    if place > 0:
                        break
                    arena = self._arena = Arena(len(self._vocabulary), self._entries)
                arena.add(row)
            # A new arena lacks the rows of the old one.
            missing = arena.lacks(words)
            return arena, int(missing[0]) if len(missing) else len(words)

    def _rows(self, words: Ids) -> Iterator[Row]:
        height = max(1, _DISTANCES_A_BLOCK // len(self._vocabulary))
        blocks = [words[i : i + height] for i in range(0, len(words), height)]
        for rows in over_threads(self._block_of_rows, blocks, threads=1 if len(blocks) == 1 else None):
            yield from rows

    def _block_of_rows(self, words: Ids) -> list[Row]:
        count, law, there = len(self._vocabulary), self._law, self._there
        buffers = np.empty(count + 1, np.int32), np.empty(count, np.uint64), np.empty(count, np.uint64)
        if there is None:
            distances = distances_to_all(self._vocabulary, words)
            return [self._row(int(word), row, buffers) for word, row in zip(words, distances, strict=True)]
        # Where rows have boosts, what is far has weights of its own too.
        near = there.within(words, law.radius if law.row_boosts is None else np.inf)
        return [self._near_row(int(word), *found, buffers) for word, found in zip(words, near, strict=True)]

    def _row(self, word: int, distances: Floats, buffers: Buffers) -> Row:
        if self._law.is_weighted:
            return weighted_row(word, distances, self._law, self._whole, buffers)
        return integer_row(word, word, distances, self._law, self._law.boost(word), buffers)

    def _near_row(self, word: int, others: NDArray[np.int32], distances: Floats, buffers: Buffers) -> Row:
        """Return what `_row` does, given the other words that have entries, and their distances."""
        law, near = self._law, np.append(distances, 0.0)
        buffers[0][: len(near)] = np.append(others, np.int32(word))
        if law.is_weighted:
            row = choice.weighted_integers_of_near(near, law.rate, law.radius, law.weights, self._whole, *buffers)
        else:
            count = len(self._vocabulary)
            row = choice.integers_of_near(near, count, law.rate, law.radius, law.weights, law.boost(word), *buffers)
        length, *numbers = row
        return _packed(word, length, numbers, buffers)


def integer_row(word: int, own: int, distances: Floats, law: Law, boost: float, buffers: Buffers) -> Row:
    """Return the row of a word whose own place among the candidates is `own`."""
    length, *numbers = choice.integer_row(distances, own, law.rate, law.radius, law.weights, boost, *buffers)
    return _packed(word, length, numbers, buffers)


def weighted_row(word: int, distances: Floats, law: Law, whole: float, buffers: Buffers) -> Row:
    """Return the row of a word in a law with weights of outputs that sum to `whole`."""
    length, *numbers = choice.weighted_row(distances, word, law.rate, law.radius, law.weights, whole, *buffers)
    return _packed(word, length, numbers, buffers)


def _packed(word: int, length: int, numbers: list[int], buffers: Buffers) -> Row:
    ids, high, low = buffers
    own_high, own_low, share_high, share_low, total_high, total_low = map(np.uint64, numbers)
    choice.require_total(total_high, total_low)
    return Row(
        word=word,
        ids=ids[:length].copy(),
        high=high[:length].copy(),
        low=low[:length].copy(),
        own=(own_high, own_low),
        share=(share_high, share_low),
        total=(total_high, total_low),
    )


def _shares_of_one(shares: choice.Shares) -> Floats:
    single = _differences(shares.high, shares.low)
    single /= single.sum()
    return single


def _wide(high: np.uint64, low: np.uint64) -> int:
    return (int(high) << 64) + int(low)


def _differences(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> Floats:
    """The single weights of a cumulative row, as floats."""
    before_high, before_low = np.roll(high, 1), np.roll(low, 1)
    before_high[:1] = before_low[:1] = 0
    borrow = (low < before_low).astype(np.uint64)
    differences: Floats = (high - before_high - borrow).astype(np.float64) * 2.0**64 + (low - before_low)
    return differences
