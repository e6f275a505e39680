"""The few nearest points of a table to any query, at the speed of a float32 matrix product.

A float32 pass keeps the nearest few of each query and some to spare. Where the gap behind the last one wanted is wider
than the rounding error that is possible at all, the nearest are among those kept, and float64 puts them in order;
other queries are compared with all points in float64. So the answer never depends on the batch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, over_threads, thread_count
from textveil.errors import InvalidInputError, require_count
from textveil.vocabulary.codes import FARTHEST_SINGLE
from textveil.vocabulary.keeping import NOBODY, TO_SPARE, keep_for_rows, squared_distance
from textveil.vocabulary.search import half_norms, score_error

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

_QUERIES = 256
_POINTS = 2048
_DOUBLE_UNIT = 2.0**-53


class NearestSet:
    """The nearest `count` rows of a table, in Euclidean distance.

    Distances are squares of differences summed in float64; among equal ones the lower row comes first.
    """

    def __init__(self, points: NDArray[Any], count: int) -> None:
        if require_count("count", count) > len(points):
            raise InvalidInputError(f"count must be at most {len(points):,}, the number of points (got {count!r})")
        self.count = int(count)
        self._points = np.ascontiguousarray(points)
        halves = half_norms(points)
        self._radius = math.sqrt(2 * float(halves.max()))
        self._halves = halves.astype(np.float32)

    def nearest(self, queries: Floats) -> Ids:
        """Return the nearest rows of each query, nearest first: shape (queries, count)."""
        answers = np.empty((len(queries), self.count), dtype=np.int64)

        def work(start: int) -> None:
            block = slice(start, start + _QUERIES)
            self._answer(np.ascontiguousarray(queries[block], dtype=np.float64), answers[block])

        blocks = range(0, len(queries), _QUERIES)
        for _ in over_threads(work, blocks, threads=min(thread_count(), max(1, len(blocks)))):
            pass
        return answers

    def _answer(self, queries: Floats, answers: Ids) -> None:
        doubtful = np.arange(len(queries))
        if self.count + TO_SPARE < len(self._points):
            kept, is_doubtful = self._scan(queries)
            answers[~is_doubtful] = self._in_order(queries[~is_doubtful], np.sort(kept[~is_doubtful], axis=1))
            doubtful = np.flatnonzero(is_doubtful)
        everybody = np.arange(len(self._points), dtype=np.int32)[None]
        for row in doubtful:
            answers[row] = self._in_order(queries[[row]], everybody)

    def _in_order(self, queries: Floats, kept: NDArray[np.int32]) -> Ids:
        """Return the nearest of some rows, given in their own order: a stable sort leaves the lower of equals first."""
        squares = np.empty(kept.shape)
        _squared_distances(self._points, queries, kept, squares)
        order = np.argsort(squares, axis=1, kind="stable")[:, : self.count]
        return np.take_along_axis(kept, order, axis=1).astype(np.int64)

    def _scan(self, queries: Floats) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return some nearest rows of each query, by float32, and whether the nearest may not be among them."""
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(queries, axis=1)
            error = score_error(norms, self._radius, queries.shape[1], np.float32)
            error += (queries.shape[1] + 4) * _DOUBLE_UNIT * (norms + self._radius) ** 2
        near = norms * (1 + self._radius) < FARTHEST_SINGLE
        singles = np.where(near[:, None], queries, 0.0).astype(np.float32)
        keys = np.full((len(queries), self.count + TO_SPARE), np.inf, dtype=np.float32)
        kept = np.zeros(keys.shape, dtype=np.int32)
        for start in range(0, len(self._points), _POINTS):
            part = self._points[start : start + _POINTS].astype(np.float32, copy=False)
            keep_for_rows(singles @ part.T, self._halves[start : start + _POINTS], start, NOBODY, keys, kept)
        gaps = np.subtract(keys[:, -1], keys[:, self.count - 1], dtype=np.float64)
        return kept, np.asarray(~(near & (gaps > 2 * error)))


@compiled
def _squared_distances(points, queries, kept, squares):  # type: ignore[no-untyped-def]
    for i in range(kept.shape[0]):
        for n in range(kept.shape[1]):
            squares[i, n] = squared_distance(queries[i], points[kept[i, n]])
