"""Exact choice by integer weights (SPEC 8.4, as corrected in 13).

A row holds the cumulative 127-bit weights of its candidates, in two 64-bit halves, scaled so that their
total is just below 2^127; candidates outside the row share one remaining weight equally. A draw
compares a uniform 127-bit integer with them: no float is compared, and the law is exactly the integers'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction
from textveil.elementary import exponential
from textveil.randomness import Streams

# A total of 2^127 (1 - 2^-20) leaves room for rounding and makes a second try rare.
TOTAL = 2.0**127 * (1 - 2.0**-20)
WORDS_A_DRAW = 4
_HALF = 2.0**64
_AGAIN = -1
# Tokens whose random words fit into the cache.
_PORTION = 16_384


class Rows(NamedTuple):
    """Rows of integer weights, one after the other.

    `starts[word]` and `lengths[word]` say where the row of a word lies; `ids`, ascending in a row, are its
    candidates; `high` and `low` their cumulative weights; `total_high[word]` and `total_low[word]` the
    cumulative weight with the remainder included.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    ids: NDArray[np.int32]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    total_high: NDArray[np.uint64]
    total_low: NDArray[np.uint64]


def draw(tokens: NDArray[np.int64], rows: Rows, candidates: int, streams: Streams) -> NDArray[np.int64]:
    """Draw one of `candidates` for each token from the row of its word."""
    chosen = np.empty(len(tokens), dtype=np.int64)
    for first in range(0, len(tokens), _PORTION):
        part = slice(first, first + _PORTION)
        _draw_portion(tokens[part], rows, candidates, streams.select(part), chosen[part])
    return chosen


def _draw_portion(
    tokens: NDArray[np.int64], rows: Rows, candidates: int, streams: Streams, chosen: NDArray[np.int64]
) -> None:
    waiting = np.arange(len(tokens))
    while len(waiting):
        words = np.ascontiguousarray(streams.words(WORDS_A_DRAW))
        drawn = np.empty(len(waiting), dtype=np.int64)
        _draw(tokens[waiting], *rows, candidates, words, drawn)
        chosen[waiting] = drawn
        again = drawn == _AGAIN
        waiting, streams = waiting[again], streams.select(again)


@compiled
def integer_row(distances, rate, radius, weights, boost, own, ids, high, low):  # type: ignore[no-untyped-def]
    """Write the row of one word; return its length and the cumulative weight with the remainder.

    The weight of candidate y is weights[y] exp(-rate min(d, radius)), times `boost` for y other than
    the word itself. If `weights` is empty all are 1, and the candidates at `radius` and beyond
    are not written but share the remainder. The buffers need room for every candidate.
    """
    sparse = weights.size == 0
    count = distances.size
    kept = 0
    for y in range(count):
        ids[kept] = y
        kept += 1 if (not sparse or distances[y] < radius) else 0
    values = np.empty(kept)
    for k in range(kept):
        values[k] = exponential(-rate * min(distances[ids[k]], radius))
    if not sparse:
        for y in range(count):
            values[y] *= weights[y] * (1.0 if y == own else boost)
    far = exponential(-rate * radius) if kept < count else 0.0
    scale = TOTAL / (_sum(values) + far * (count - kept))
    top, bottom = np.uint64(0), np.uint64(0)
    for k in range(kept):
        value_high, value_low = _integer(values[k] * scale)
        top, bottom = _plus(top, bottom, value_high, value_low)
        high[k], low[k] = top, bottom
    value_high, value_low = _times(*_integer(far * scale), count - kept)
    return kept, *_plus(top, bottom, value_high, value_low)


@compiled_reduction
def _sum(values):  # type: ignore[no-untyped-def]
    total = 0.0
    for value in values:
        total += value
    return total


@compiled
def _integer(value):  # type: ignore[no-untyped-def]
    """floor(value) below 2^127 in two halves; every step is exact, for a float64 has 53 bits."""
    whole = np.floor(value)
    high = np.floor(whole / _HALF)
    return np.uint64(high), np.uint64(whole - high * _HALF)


@compiled
def _plus(high, low, other_high, other_low):  # type: ignore[no-untyped-def]
    total = low + other_low
    carry = np.uint64(1) if total < low else np.uint64(0)
    return high + other_high + carry, total


@compiled
def _times(high, low, factor):  # type: ignore[no-untyped-def]
    """A 128-bit integer times a factor below 2^32."""
    factor, half, mask = np.uint64(factor), np.uint64(32), np.uint64(0xFFFFFFFF)
    first = (low & mask) * factor
    second = (low >> half) * factor + (first >> half)
    return high * factor + (second >> half), (second << half) | (first & mask)


@compiled
def _draw(tokens, starts, lengths, ids, high, low, total_high, total_low, candidates, words, chosen):  # type: ignore[no-untyped-def]
    for t in range(tokens.size):
        word = tokens[t]
        top, bottom = words[t, 0] >> np.uint64(1), words[t, 1]
        chosen[t] = _AGAIN
        if not _less(top, bottom, total_high[word], total_low[word]):
            continue
        start, length = starts[word], lengths[word]
        first, last = start, start + length
        while first < last:
            middle = (first + last) >> 1
            if _less(top, bottom, high[middle], low[middle]):
                last = middle
            else:
                first = middle + 1
        place = first - start
        if place < length:
            chosen[t] = ids[first]
        else:
            others = candidates - length
            rank = _below(words[t, 2], others)
            if rank >= 0:
                chosen[t] = _absent(ids, start, length, rank)


@compiled
def _less(high, low, other_high, other_low):  # type: ignore[no-untyped-def]
    return high < other_high or (high == other_high and low < other_low)


@compiled
def _below(word, count):  # type: ignore[no-untyped-def]
    """A uniform integer below `count` from 62 bits, or -1 if they fall into the uneven end."""
    bits = np.int64(word >> np.uint64(2))
    even = (np.int64(2**62) // count) * count
    return bits % count if bits < even else _AGAIN


@compiled
def _absent(ids, start, length, rank):  # type: ignore[no-untyped-def]
    """The rank-th integer from 0 that is not among the ascending ids of a row."""
    first, last = 0, length
    while first < last:
        middle = (first + last) >> 1
        if ids[start + middle] - middle <= rank:
            first = middle + 1
        else:
            last = middle
    return rank + first
