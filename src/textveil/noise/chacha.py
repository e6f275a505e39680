"""ChaCha8: the keystream of noise that a GPU draws and that nobody asks for again.

A GPU has no instruction for AES, and this cipher (Bernstein 2008) is made of additions, exclusive ors and rotations of
32-bit numbers. Here it is on the CPU, which looks at some of what the GPU has drawn. See docs/randomness.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.randomness import FreshStreams, Streams, Words, subkey

ROUNDS = 8
# 64-bit words of a block. Half of them are in the first half of what is read, the others in the second, so that the two
# words of a pair of normal numbers come from one block; and their bits are put so that a GPU need not move them.
BLOCK_WORDS = 8
HALF = BLOCK_WORDS // 2
# "expand 32-byte k".
CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)


class WideStreams(Streams):
    """The streams of rows of numbers of their own, with 512 bits a block: block b of a row is that of (row, b)."""

    def __init__(self, key: bytes, rows: range | NDArray[np.int64]) -> None:
        self.key, self.rows, self.used = key, rows, 0

    @classmethod
    def instead_of(cls, streams: FreshStreams) -> WideStreams:
        """Return other streams of the same items, under a key of their own."""
        wide = cls(subkey(streams.key, b"chacha8", b""), streams.rows)
        wide.used = streams.used
        return wide

    def __len__(self) -> int:
        return len(self.rows)

    def words(self, count: int) -> Words:
        """Return the next `count` uniform 64-bit numbers of every item: shape (items, count)."""
        blocks = -(-count // BLOCK_WORDS)
        out = np.empty((len(self), BLOCK_WORDS, blocks), dtype=np.uint64)
        key = np.frombuffer(self.key, dtype="<u4").astype(np.uint32)
        _fill(key, np.asarray(self.rows, dtype=np.uint64), np.uint64(self.used), ROUNDS, out)
        self.used += blocks
        halves = out.reshape(len(self), 2, HALF * blocks)
        return np.concatenate([halves[:, 0, : -(-count // 2)], halves[:, 1, : count // 2]], axis=1)

    def select(self, items: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> WideStreams:
        """Return the streams of some items, each read on from where it is."""
        rows = self.rows[items] if isinstance(items, slice) else np.asarray(self.rows)[items]
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
            for word in range(BLOCK_WORDS):
                bits = np.uint64(x[2 * word]) | np.uint64(x[2 * word + 1]) << np.uint64(32)
                out[item, word, block] = _first_half(bits) if word < HALF else _second_half(bits)


@compiled
def _first_half(bits):  # type: ignore[no-untyped-def]
    """Put the lower 52 bits first: a uniform number is made of the first ones."""
    return bits << np.uint64(12) | bits >> np.uint64(52)


@compiled
def _second_half(bits):  # type: ignore[no-untyped-def]
    """Keep the first two bits, and let the lower 52 follow them."""
    following = (bits << np.uint64(12)) >> np.uint64(2)
    return (bits & np.uint64(0xC000000000000000)) | following | (bits >> np.uint64(52) & np.uint64(0x3FF))
