"""Short lists that hold the nearest point for certain, chosen by 8-bit products.

A score of whole numbers with a bound on its error says where the true score lies. A point whose upper end is below
the lower end of another can't be the nearest; the few that are left are scored in float64. Proof: docs/search.md.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction
from textveil.gpu.tiles import BLOCK
from textveil.vocabulary.byte_products import (
    POINTS,
    QUERIES,
    first_sums,
    highest,
    lowest_bit,
    pack_points,
    reaching,
    score_bytes,
)
from textveil.vocabulary.codes import QueryCodes, encode_points, encode_queries
from textveil.vocabulary.instructions import KIND

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

# Points on a short list; a query with more is answered another way.
_LONGEST = 1024
_ONE = np.uint64(1)
# One of so many groups of points is looked at first, but not more than so many groups.
_APART = 8
_SAMPLED = 16


class ShortLists:
    """Finds, for each query, the few points that may be the nearest."""

    def __init__(self, points: NDArray[Any], halves: Floats) -> None:
        codes = encode_points(points, halves, KIND)
        self._points, self._halves, self._rows = points, halves, codes.rows
        self._table = (pack_points(codes.codes), codes.halves, codes.scales, codes.bounds)
        self._rooms: list[tuple[NDArray[np.int32], NDArray[np.float32]]] = []

    def encoded(self, queries: Floats) -> QueryCodes:
        """Return queries as codes, filled up to what is asked at once."""
        return encode_queries(queries, QUERIES, KIND)

    def nearest(self, queries: Floats, coded: QueryCodes) -> tuple[Ids, Floats, NDArray[np.bool_]]:
        """Return the row with the best float64 score on each list, its margin there, and whether there is a list.

        The lowest row wins among equal scores. The margin is infinite where one point alone is on the list.

        Parameters
        ----------
        queries : what is asked
        coded : the same as codes, by `encoded`
        """
        count = len(coded.codes)
        least = np.full(count, -np.inf, dtype=np.float32)
        lengths = np.zeros(count, dtype=np.int32)
        asked = (coded.codes, first_sums(coded.sums), coded.scales, coded.norms, coded.errors)
        room = self._room(count)
        short = (least, lengths, room[0][:, :count], room[1][:, :count])
        scores = np.empty((QUERIES, POINTS), dtype=np.float32)
        _make_lists(self._table, asked, short, (*np.empty((3, count), dtype=np.float32), scores))
        answers, margins = np.zeros(len(queries), dtype=np.int64), np.zeros(len(queries))
        _choose(self._points, self._halves, self._rows, queries, short, answers, margins)
        self._rooms.append(room)
        return answers, margins, lengths[: len(queries)] <= _LONGEST

    def _room(self, count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Room for the lists of so many queries, that of an earlier call: fresh pages cost more than the lists.

        A list is a column. Most are short, so that all of them together fill the first few rows.
        """
        with suppress(IndexError):
            room = self._rooms.pop()
            if room[0].shape[1] >= count:
                return room
        return np.empty((_LONGEST, count), np.int32), np.empty((_LONGEST, count), np.float32)


@compiled
def _make_lists(table, asked, short, room):  # type: ignore[no-untyped-def]
    packed, halves = table[:2]
    queries, sums = asked[:2]
    factors, around, thresholds, scores = room
    least = short[0]
    groups = halves.size // POINTS
    # The best of a few points leaves little of the others to look at.
    every = max(_APART, -(-groups // _SAMPLED))
    for group in range(min(every, groups) // 2, groups, every):
        _begin_block(group * POINTS // BLOCK, table, asked, least, room)
        for start in range(0, queries.shape[0], QUERIES):
            asking = score_bytes(packed, group, queries, start, sums, halves, factors, thresholds, scores)
            while asking:
                i = lowest_bit(asking)
                q = start + i
                least[q] = max(least[q], highest(scores, i) - around[q])
                asking &= asking - _ONE
    for group in range(groups):
        first = group * POINTS
        if first % BLOCK == 0:
            _begin_block(first // BLOCK, table, asked, least, room)
        for start in range(0, queries.shape[0], QUERIES):
            asking = score_bytes(packed, group, queries, start, sums, halves, factors, thresholds, scores)
            while asking:
                i = lowest_bit(asking)
                q = start + i
                _add(scores, i, reaching(scores, i, thresholds[q]), around[q], first, q, short)
                thresholds[q] = least[q] - around[q]
                asking &= asking - _ONE


@compiled
def _begin_block(block, table, asked, least, room):  # type: ignore[no-untyped-def]
    """Write what the scores of a block are multiplied by, how far they may be wrong, and from where on they count."""
    _, _, scales, bounds = table
    _, _, query_scales, norms, errors = asked
    factors, around, thresholds = room[:3]
    for q in range(least.size):
        factors[q] = query_scales[q] * scales[block]
        around[q] = norms[q] * bounds[block, 0] + errors[q] * bounds[block, 1] + bounds[block, 2]
        thresholds[q] = least[q] - around[q]


@compiled
def _add(scores, i, reached, error, first, q, short):  # type: ignore[no-untyped-def]
    """Put points on the list of a query; one that is nearly full is looked through first, and given up if in vain."""
    # Every view of an array would be counted, which takes longer than the rest.
    least, lengths, listed, uppers = short
    length, lowest = lengths[q], least[q]
    if length > _LONGEST:
        return
    if length > _LONGEST - POINTS:
        length = _still_possible(listed, uppers, q, length, lowest)
        if length > _LONGEST // 2:
            lengths[q] = _LONGEST + 1
            return
    while reached:
        j = lowest_bit(reached)
        score = scores[i, j]
        listed[length, q], uppers[length, q] = first + j, score + error
        length += 1
        lowest = max(lowest, score - error)
        reached &= reached - _ONE
    least[q], lengths[q] = lowest, length


@compiled
def _still_possible(listed, uppers, q, length, least):  # type: ignore[no-untyped-def]
    """Move the points that may still be the nearest to the front of a list, and return their number."""
    kept = 0
    for n in range(length):
        if uppers[n, q] >= least:
            listed[kept, q], uppers[kept, q] = listed[n, q], uppers[n, q]
            kept += 1
    return kept


@compiled_reduction
def product(points, row, queries, q):  # type: ignore[no-untyped-def]
    """Return the inner product of a point and a query in float64; both are finite."""
    total = 0.0
    for k in range(points.shape[1]):
        total += np.float64(points[row, k]) * queries[q, k]
    return total


@compiled
def _choose(points, halves, rows, queries, short, answers, margins):  # type: ignore[no-untyped-def]
    """Write the answers; a query whose bounds are not finite may have no list at all.

    A point whose upper end is below the best score so far is not looked at: the margin counts its upper end.
    """
    least, lengths, listed, uppers = short
    for q in range(queries.shape[0]):
        if lengths[q] > _LONGEST:
            continue
        left = _still_possible(listed, uppers, q, lengths[q], least[q])
        if left == 0:
            lengths[q] = _LONGEST + 1
            continue
        likeliest = 0
        for n in range(1, left):
            if uppers[n, q] > uppers[likeliest, q]:
                likeliest = n
        answers[q] = rows[listed[likeliest, q]]
        best, second = -np.inf, -np.inf
        if left > 1:
            best = product(points, answers[q], queries, q) - halves[answers[q]]
        for n in range(left):
            upper = uppers[n, q]
            if n == likeliest:
                continue
            if upper < best:
                second = max(second, upper)
                continue
            row = rows[listed[n, q]]
            score = product(points, row, queries, q) - halves[row]
            if score > best or (score == best and row < answers[q]):
                best, second, answers[q] = score, best, row
            elif score > second:
                second = score
        margins[q] = best - second if left > 1 else np.inf
