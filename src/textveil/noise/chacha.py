"""ChaCha8: the keystream of noise that a GPU draws and that nobody asks for again.

A GPU has no instruction for AES, and this cipher (Bernstein 2008) is made of additions, exclusive ors and rotations of
32-bit numbers. Here it is on the CPU, which looks at some of what the GPU has drawn. See docs/randomness.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.randomness import FreshStreams, Streams, Words

ROUNDS = 8
# 64-bit words that are made of a block, five in the first half of what is read and five in the second: the words of a
# pair of normal numbers, of which one uses 52 bits and the other 50. They come from one block, and all its bits but
# two are used.
BLOCK_WORDS = 10
HALF = BLOCK_WORDS // 2
# "expand 32-byte k".
CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)


class WideStreams(Streams):
    """Streams with 512 bits a block: block b of a row is that of (row, b).

    Words of the first half have 52 random bits and zeros behind them; those of the second have 50, then 1 and zeros.
    """

    def __init__(self, key: bytes, rows: range | NDArray[np.int64]) -> None:
        self.key, self.rows, self.used = key, rows, 0

    @classmethod
    def instead_of(cls, streams: FreshStreams) -> WideStreams:
        """Return other streams of the same items, under a key of their own."""
        wide = cls(streams.wide_key, streams.rows)
        wide.used = streams.used
        return wide

    def __len__(self) -> int:
        return len(self.rows)

    def words(self, count: int) -> Words:
        """Return the next `count` words of every item: shape (items, count)."""
        blocks = -(-count // BLOCK_WORDS)
        out = np.empty((len(self), BLOCK_WORDS, blocks), dtype=np.uint64)
        key = np.frombuffer(self.key, dtype="<u4").astype(np.uint32)
        _fill(key, np.asarray(self.rows, dtype=np.uint64), np.uint64(self.used), ROUNDS, out)
        self.used += blocks
        halves = out.reshape(len(self), 2, HALF * blocks)
        return np.concatenate([halves[:, 0, : -(-count // 2)], halves[:, 1, : count // 2]], axis=1)

    def select(self, items: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> WideStreams:
        """Return the streams of some items, each read on from where it is."""
        rows: range | NDArray[np.int64]
        if isinstance(items, slice):
            rows = self.rows[items]
        elif isinstance(self.rows, range) and items.dtype != np.bool_:
            # Millions of rows are not written out for some of them.
            rows = (self.rows.start + self.rows.step * items).astype(np.int64)
        else:
            rows = np.asarray(self.rows)[items]
        chosen = WideStreams(self.key, rows)
        chosen.used = self.used
        return chosen


@compiled
def _quarter_round(x, a, b, c, d):  # type: ignore[no-untyped-def]
    x[a] += x[b]
    x[d] = _rotated(x[d] ^ x[a], 16)
    x[c] += x[d]
    x[b] = _rotated(x[b] ^ x[c], 12)
    x[a] += x[b]
    x[d] = _rotated(x[d] ^ x[a], 8)
    x[c] += x[d]
    x[b] = _rotated(x[b] ^ x[c], 7)


@compiled
def _rotated(value, shift):  # type: ignore[no-untyped-def]
    return np.uint32(value << np.uint32(shift)) | np.uint32(value >> np.uint32(32 - shift))


@compiled
def block_of(key, first, second, rounds, start, x):  # type: ignore[no-untyped-def]
    """Write the block of two 64-bit numbers into `x`, 16 numbers of 32 bits; `start` is room for as many."""
    low = np.uint64(0xFFFFFFFF)
    for place in range(4):
        start[place] = CONSTANTS[place]
    start[4:12] = key
    start[12], start[13] = np.uint32(first & low), np.uint32(first >> np.uint64(32))
    start[14], start[15] = np.uint32(second & low), np.uint32(second >> np.uint64(32))
    x[:] = start
    for _ in range(rounds // 2):
        for place in range(4):
            _quarter_round(x, place, 4 + place, 8 + place, 12 + place)
        for place in range(4):
            _quarter_round(x, place, 4 + (place + 1) % 4, 8 + (place + 2) % 4, 12 + (place + 3) % 4)
    for place in range(16):
        x[place] += start[place]


@compiled
def _fill(key, rows, used, rounds, out):  # type: ignore[no-untyped-def]
    start, x = np.empty(16, dtype=np.uint32), np.empty(16, dtype=np.uint32)
    for item in range(out.shape[0]):
        for block in range(out.shape[2]):
            block_of(key, rows[item], used + np.uint64(block), rounds, start, x)
            for pair in range(HALF - 1):
                out[item, pair, block] = _first(x[2 * pair], x[2 * pair + 1])
                out[item, HALF + pair, block] = _second(x[8 + 2 * pair], x[9 + 2 * pair])
            # The bits that these leave make a fifth pair.
            low = (x[1] & 0xFFF00000) | (x[3] >> 12 & 0xFFF00) | (x[9] >> 16 & 0xFF)
            out[item, HALF - 1, block] = _first(low, (x[5] >> 12 & 0xFFF00) | (x[11] >> 16 & 0xFF))
            low = (x[7] & 0xFFF00000) | (x[13] >> 10 & 0xFFFC0) | (x[9] >> 24 & 0x3F)
            high = (x[11] << 4 & 0xC0000000) | (x[15] >> 14 & 0xFFFC) | (x[11] >> 24 & 0x3)
            out[item, BLOCK_WORDS - 1, block] = _second(low, high)


@compiled
def _first(low, high):  # type: ignore[no-untyped-def]
    """Put the lower 52 bits first."""
    return (np.uint64(high) << np.uint64(32) | np.uint64(low)) << np.uint64(12)


@compiled
def _second(low, high):  # type: ignore[no-untyped-def]
    """Put the upper two bits first, then the lower 48, then 1: in the middle of what has these bits."""
    lower = (np.uint64(high & 0xFFFF) << np.uint64(32) | np.uint64(low)) << np.uint64(14)
    return np.uint64(high & 0xC0000000) << np.uint64(32) | lower | np.uint64(1 << 13)
