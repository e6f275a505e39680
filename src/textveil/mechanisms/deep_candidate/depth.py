"""How deep candidates lie among the sentences of a document, along public directions, in exact arithmetic (SPEC 5).

Along one direction the closed depth of a candidate is the number of sentences at or above it, or at or below it,
whichever is less; its depth is the least over all directions. Sentences are rounded to the lattice and directions are
whole numbers, so that products are whole numbers below 2^53, which a float64 matrix product computes without any
rounding: a sentence has the same place whatever stands beside it, and equal vectors tie.

Places are then numbered among the candidates' own: the n-th lowest candidate has number 2n + 1, and what lies between
two has an even one. With the numbers s_1 <= ... <= s_k of the sentences, a candidate f has depth t or more exactly if
s_t <= f <= s_(k+1-t): one comparison of 16-bit numbers for each t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.gpu.depth import DeviceDepth
from textveil.mechanisms.vectors import Vectors
from textveil.vocabulary.lattice import STEP

Integers = NDArray[np.int64]
Depths = NDArray[np.uint16]

_EXACT = 2.0**53
# Numbers of this many candidates have 16 bits, and for 50 directions fill half of a second-level cache.
_BLOCK = 5120
_TESTS = 4


class _Block(NamedTuple):
    """Some candidates: along each direction their places, sorted without repetition, and their numbers."""

    candidates: slice
    places: Vectors
    sizes: Integers
    numbers: NDArray[np.uint16]


class Depth:
    """Depth of candidates among sentences.

    Parameters
    ----------
    candidates : shape (m, d), multiples of 2^-20
    directions : shape (p, d), whole numbers
    closed : whether a sentence at the place of a candidate counts for both sides; if not, it counts as above it
    device : of torch, where depths are counted; they are the same
    """

    # The most that one sentence adds to a depth.
    steps = 1

    def __init__(
        self, candidates: NDArray[np.floating], directions: Vectors, *, closed: bool = True, device: Any = None
    ) -> None:
        self.count = len(candidates)
        self._directions = np.ascontiguousarray(directions.T)
        self._closed = closed
        # Any sum of products of numbers up to these is exact.
        self.limit = np.floor(_EXACT / (directions.shape[1] * max(1.0, float(np.abs(directions).max()))))
        whole = candidates.astype(np.float64) / STEP
        if not (np.abs(whole) <= self.limit).all():
            raise InvalidInputError(
                f"candidates of dimension {directions.shape[1]} must be within {self.limit * STEP:.6g} in every "
                "coordinate; divide all vectors by a public constant"
            )
        self._there = None if device is None else DeviceDepth(whole, self._directions, closed=closed, device=device)
        starts = range(0, len(whole), _BLOCK) if self._there is None else ()
        self._blocks = [_block(whole[start : start + _BLOCK] @ self._directions, start) for start in starts]

    def among(self, sentences: Vectors, offsets: Integers) -> Depths:
        """Return the depth of every candidate in every document: shape (documents, m).

        Parameters
        ----------
        sentences : of all documents, one after the other; what is beyond the limit counts as at the limit
        offsets : where each document begins, and where the last ends
        """
        whole = np.empty(sentences.shape)
        snap(sentences, 1 / STEP, self.limit, whole)
        if self._there is not None:
            return self._there.among(whole, offsets)
        depths: Depths = np.empty((len(offsets) - 1, self.count), dtype=np.uint16)
        places = np.ascontiguousarray((whole @ self._directions).T)
        numbers = np.empty(places.shape, dtype=np.uint16)
        for block in self._blocks:
            _number(places, block.places, block.sizes, numbers)
            _depths(block.numbers, numbers, offsets, self._closed, depths[:, block.candidates])
        return depths


def _block(places: Vectors, start: int) -> _Block:
    count, directions = places.shape
    ordered = np.full((directions, count), np.inf)
    sizes = np.empty(directions, dtype=np.int64)
    numbers = np.empty((directions, count), dtype=np.uint16)
    for j in range(directions):
        distinct, inverse = np.unique(places[:, j], return_inverse=True)
        sizes[j] = len(distinct)
        ordered[j, : len(distinct)] = distinct
        numbers[j] = 2 * inverse + 1
    return _Block(slice(start, start + count), ordered, sizes, numbers)


@compiled
def snap(vectors, scale, limit, whole):  # type: ignore[no-untyped-def]
    """Round to whole numbers of 1/scale, cut off at the limit."""
    for i in range(vectors.shape[0]):
        for k in range(vectors.shape[1]):
            whole[i, k] = min(max(np.rint(vectors[i, k] * scale), -limit), limit)


@compiled
def _number(places, candidates, sizes, numbers):  # type: ignore[no-untyped-def]
    firsts = np.empty(places.shape[1], dtype=np.int64)
    for j in range(places.shape[0]):
        ordered, row = candidates[j, : sizes[j]], places[j]
        # All sentences are looked up side by side, halving without branches.
        firsts[:] = 0
        left = ordered.size
        while left > 1:
            half = left >> 1
            for i in range(firsts.size):
                firsts[i] += half if ordered[firsts[i] + half - 1] < row[i] else 0
            left -= half
        for i in range(firsts.size):
            found = ordered[firsts[i]]
            numbers[j, i] = 2 * firsts[i] + (2 if found < row[i] else 1 if found == row[i] else 0)


@compiled
def _depths(candidates, sentences, offsets, closed, depths):  # type: ignore[no-untyped-def]
    longest = 0
    for i in range(offsets.size - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    lows, spans = np.empty(longest + _TESTS, dtype=np.uint16), np.empty(longest + _TESTS, dtype=np.uint16)
    counts = np.empty(candidates.shape[1], dtype=np.uint16)
    for i in range(offsets.size - 1):
        depth = depths[i]
        depth[:] = offsets[i + 1] - offsets[i]
        for j in range(candidates.shape[0]):
            tests = _intervals(_sorted(sentences[j, offsets[i] : offsets[i + 1]]), closed, lows, spans)
            if tests <= _TESTS:
                _lower(candidates[j], lows, spans, depth)
            else:
                counts[:] = 0
                for first in range(0, tests, _TESTS):
                    _add(candidates[j], lows[first:], spans[first:], counts)
                for c in range(counts.size):
                    depth[c] = min(depth[c], counts[c])


@compiled
def _sorted(numbers):  # type: ignore[no-untyped-def]
    if numbers.size > 32:
        return np.sort(numbers)
    ordered = numbers.copy()
    for i in range(1, ordered.size):
        number, place = ordered[i], i
        while place > 0 and ordered[place - 1] > number:
            ordered[place] = ordered[place - 1]
            place -= 1
        ordered[place] = number
    return ordered


@compiled
def _intervals(ordered, closed, lows, spans):  # type: ignore[no-untyped-def]
    """Write where depth is at least 1, 2, ...; return how many such intervals there are. A span of 0 is empty."""
    k, tests = ordered.size, 0
    for t in range(k):
        low = np.int64(ordered[t]) + (0 if closed else 1)
        span = np.int64(ordered[k - 1 - t]) - low + 1
        if span <= 0:
            break
        lows[t], spans[t] = low, span
        tests += 1
    for t in range(tests, tests + _TESTS):
        lows[t], spans[t] = 0, 0
    return tests


@compiled
def _inside(number, low, span):  # type: ignore[no-untyped-def]
    """One if low <= number < low + span, in 16 bits that wrap around; else 0."""
    return np.uint16(np.uint16(number - low) < span)


@compiled
def _inside_of_four(number, lows, spans):  # type: ignore[no-untyped-def]
    first = _inside(number, lows[0], spans[0]) + _inside(number, lows[1], spans[1])
    return np.uint16(first + _inside(number, lows[2], spans[2]) + _inside(number, lows[3], spans[3]))


@compiled
def _lower(numbers, lows, spans, depth):  # type: ignore[no-untyped-def]
    four = (lows[0], lows[1], lows[2], lows[3])
    widths = (spans[0], spans[1], spans[2], spans[3])
    for c in range(numbers.size):
        depth[c] = min(depth[c], _inside_of_four(numbers[c], four, widths))


@compiled
def _add(numbers, lows, spans, counts):  # type: ignore[no-untyped-def]
    four = (lows[0], lows[1], lows[2], lows[3])
    widths = (spans[0], spans[1], spans[2], spans[3])
    for c in range(numbers.size):
        counts[c] += _inside_of_four(numbers[c], four, widths)
