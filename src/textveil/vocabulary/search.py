"""Exact nearest-point search, as fast as a float32 matrix product or several times as fast.

The nearest point maximises q.x - |x|^2 / 2. Where it pays, a pass over 8-bit codes leaves a short list of points
that holds the nearest for certain, and float64 chooses among them. Elsewhere a float32 pass keeps the best score
and the runner-up of each query; where their margin is within the rounding error that is possible at all, float64
chooses among the points that come that close. Where even float64 is in doubt, integers decide. The answer is the
nearest point in exact arithmetic, the lowest id among equals, whatever the path, the batch or the number of threads.
Proof: docs/search.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import (
    compiled,
    compiled_reduction,
    one_thread_of_blas,
    over_threads,
    side_by_side,
    thread_count,
)
from textveil.elementary import float_bits
from textveil.errors import InvalidInputError
from textveil.spaces import Space
from textveil.spaces.space import Points
from textveil.standby import standing_by
from textveil.vocabulary.certified import ShortLists, product
from textveil.vocabulary.codes import FARTHEST, FARTHEST_BITS, FARTHEST_SINGLE, WITHOUT_SIGN, require_near
from textveil.vocabulary.float_products import QUERIES, keep_best, keep_best_together, whole_blocks
from textveil.vocabulary.instructions import CHOSEN
from textveil.vocabulary.lattice import MOST_DIMENSIONS, STEP

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

# Queries and words of one matrix product: its scores stay in the cache until they are read.
_QUERIES = 512
_WORDS = 2048
# Numbers of a table, or of queries, that are looked at at once: what has another precision is converted in such pieces.
_CONVERTED = 1 << 22
# Queries of one pass in float32: more where the table is small, that a pass is not too short for a thread of its own,
# and fewer where they are long.
_SINGLE_QUERIES, _MOST_QUERIES, _PASS = 8192, 1 << 16, 1 << 26
# Below this many multiplications a pool of threads costs more than it brings. In float32 threads that stand by help
# if there are fewer for each than the second number, and no fewer than the third.
_SMALL, _SHORT, _SHARE = 1 << 24, 1 << 29, 1 << 20
# Parts that each of them does, if all are equally quick.
_PARTS = 4
_DOUBLE_UNIT = 2.0**-53
# Sums of multiples of 2^-41 below this are exact in float64.
_EXACT_SCORE = 2.0**12
# Codes are made once this many queries have come.
_WORTH_QUERIES = 512
# Queries of one pass over the codes: their own stay in the second-level cache.
_CODED_QUERIES = 384
_CODED_BYTES = 1 << 17
# Queries shorter than this have codes whose scale may underflow in float32.
NEAREST_CODED = 2.0**-60


class NearestPoint:
    """Nearest rows of a table of lattice points, in Euclidean distance."""

    def __init__(self, points: NDArray[Any]) -> None:
        if not 1 <= points.shape[1] <= MOST_DIMENSIONS:
            raise InvalidInputError(
                f"points must have from 1 to {MOST_DIMENSIONS:,} dimensions to be searched (got {points.shape[1]:,}); "
                "project them to fewer"
            )
        # Compiled code would read other numbers as if they were these.
        points = points if points.dtype in (np.float32, np.float64) else points.astype(np.float64)
        self.points = points
        halves = half_norms(points)
        self.radius = math.sqrt(2 * float(halves.max()))
        if not self.radius < FARTHEST_SINGLE:
            raise InvalidInputError(
                f"points must be shorter than 2^60 (the longest is {self.radius:g}); scale them down"
            )
        # The lowest id wins among equal points, so the later ones need not be looked at.
        halves[_repeated(points, halves)] = np.inf
        self.halves = halves
        self._asked = 0
        self._lists: ShortLists | None = None

    def nearest(self, queries: NDArray[Any]) -> Ids:
        """Return the row nearest to each query, the lowest among equals."""
        if queries.ndim != 2 or queries.shape[1] != self.points.shape[1]:
            raise InvalidInputError(
                f"queries must be rows, as points are, of shape (n, {self.points.shape[1]}) (got {queries.shape})"
            )
        answers = np.empty(len(queries), dtype=np.int64)
        doubtful = np.arange(len(queries))
        lists = self._lists_if_worth(len(queries))
        if lists is not None:
            doubtful = self._scan_codes(lists, queries, answers)
        doubtful = self._scan_singles(queries, doubtful, answers)
        for row in doubtful:
            answers[row] = self._decide(np.asarray(queries[row], dtype=np.float64))
        return answers

    def _lists_if_worth(self, count: int) -> ShortLists | None:
        """Return what makes short lists, if that pays for tables of this shape; it is made once enough queries came."""
        self._asked += count
        if CHOSEN is None or self._asked < _WORTH_QUERIES or not CHOSEN.is_worth(*self.points.shape):
            return None
        if self._lists is None:
            self._lists = ShortLists(self.points, self.halves)
        return self._lists

    def _scan_codes(self, lists: ShortLists, queries: NDArray[Any], answers: Ids) -> Ids:
        """Answer queries by short lists and return those that remain in doubt."""

        def work(rows: slice) -> Ids:
            exact = np.ascontiguousarray(queries[rows], dtype=np.float64)
            coded = lists.encoded(exact)
            answers[rows], margins, certain = lists.nearest(exact, coded)
            norms, on_lattice = coded.lengths[: len(exact)], coded.on_lattice[: len(exact)]
            error = self._double_error(norms, on_lattice, exact.shape[1])
            usable = (norms > NEAREST_CODED) & (norms * (1 + self.radius) < FARTHEST_SINGLE)
            answered = usable & certain & ((error == 0) | (margins > 2 * error))
            left: Ids = np.flatnonzero(~answered) + rows.start
            return left

        most = max(_CODED_QUERIES, min(8 * _CODED_QUERIES, _CODED_BYTES // queries.shape[1]))
        left = self._over(work, len(queries), most, _SMALL)
        return np.concatenate(left) if left else np.arange(0)

    def _scan_singles(self, queries: NDArray[Any], rows: Ids, answers: Ids) -> Ids:
        """Answer the `rows` of `queries` in float32, or float64 if need be, and return those that remain in doubt."""
        halves = self.halves.astype(np.float32)
        longest = FARTHEST_SINGLE / (1 + self.radius)
        terms = _error_terms(self.radius, self.points.shape[1], np.float32)
        multiplications = len(rows) * self.points.size
        short = _SHORT * thread_count()
        threads = min(multiplications // _SHARE, len(rows) // QUERIES, thread_count())
        helpers = threads - 1 if multiplications < short else 0

        def work(part: slice) -> Ids:
            chosen = rows[part]
            asked = queries[part] if len(rows) == len(queries) else queries[chosen]
            room = whole_blocks(len(chosen))
            best, second = np.full((2, room), -np.inf, dtype=np.float32)
            word, norms = np.zeros(room, dtype=np.int32), np.zeros(room)
            exact = np.ascontiguousarray(asked, dtype=np.float64)
            with standing_by(helpers) as board:
                for tile in _tiles(len(self.points), max(1, _CONVERTED // self.points.shape[1])):
                    points = np.ascontiguousarray(self.points[tile], dtype=np.float32)
                    given = points, halves[tile], tile.start, exact, longest, (best, second, word, norms)
                    keep_best(*given) if board is None else keep_best_together(*given, _PARTS * threads, board)
            left: Ids = _settle(chosen, (best, second, word), norms, terms, answers)
            some = [left[few] for few in _tiles(len(left), _QUERIES)]
            still = [few[self._look_again(exact, few, best[few], norms[few], chosen[few], answers)] for few in some]
            return chosen[np.concatenate(still)] if still else chosen[:0]

        most = max(_SINGLE_QUERIES, min(_MOST_QUERIES, _PASS // self.points.size))
        most = max(_QUERIES, min(most, _CONVERTED // self.points.shape[1]))
        left = self._over(work, len(rows), most, short)
        return np.concatenate(left) if left else rows

    def _look_again(
        self, queries: Points, places: Ids, best: NDArray[np.float32], norms: Floats, rows: Ids, answers: Ids
    ) -> Ids:
        """Answer the queries at `places`, whose best float32 scores lead by too little; return which remain in doubt.

        The points whose scores are as high as the best, but for what scores may be wrong, are scored in float64.
        """
        singles, error = self._singles_and_error(queries, places)
        # A query that is too long for float32 has no scores there.
        is_near = np.isfinite(norms)
        singles[~is_near] = 0
        wrong = score_error(np.where(is_near, norms, 0.0), self.radius, queries.shape[1], np.float32)
        least = np.where(is_near, best - 2 * wrong, -np.inf)
        first = np.full(len(places), -np.inf)
        kept = first, first.copy(), np.zeros(len(places), dtype=np.int32)
        for tile in _few_rows(self.points):
            with one_thread_of_blas():
                products = np.dot(np.asarray(self.points[tile], dtype=np.float32), singles.T)
            _score_again(products, least, (self.points, self.halves, tile.start), (queries, places), kept)
        left: Ids = _settle(rows, kept, error, (1.0, 0.0), answers)
        return left

    def _over(self, work: Callable[[slice], Ids], count: int, most: int, short: int) -> list[Ids]:
        """Do parts of so many queries, at most so many at once: as many for each thread, all of one size.

        What takes fewer multiplications than `short` is done on this thread alone.
        """
        threads = 1 if count * self.points.size < short else thread_count()
        parts = threads * -(-count // (threads * most))
        size = -(-count // parts) if parts else 1
        slices = [slice(start, start + size) for start in range(0, count, size)]
        if threads == 1:
            return list(map(work, slices))
        return side_by_side(work, slices) if len(slices) == threads else list(over_threads(work, slices))

    def _singles_and_error(self, queries: Points, places: Ids) -> tuple[NDArray[np.float32], Floats]:
        """Return some queries in float32, and bounds of the rounding error of float64 scores, 0 if none is rounded."""
        singles = np.empty((len(places), queries.shape[1]), dtype=np.float32)
        norms, on_lattice = np.empty(len(places)), np.empty(len(places), dtype=np.bool_)
        require_near(_measured(queries, places, singles, norms, on_lattice))
        return singles, self._double_error(norms, on_lattice, queries.shape[1])

    def _double_error(
        self, norms: NDArray[np.float64], on_lattice: NDArray[np.bool_], dimension: int
    ) -> NDArray[np.float64]:
        """Bound the rounding error of float64 scores of queries of these norms; 0 where no score is rounded."""
        largest = norms * self.radius + self.radius**2 / 2
        error = score_error(norms, self.radius, dimension, np.float64)
        return np.where(on_lattice & (1.01 * largest < _EXACT_SCORE), 0.0, error)

    def _decide(self, query: Points) -> int:
        """Return the nearest row by integers, among those that float64 can't tell apart."""
        scores = np.concatenate(
            [
                np.asarray(self.points[tile], dtype=np.float64) @ query - self.halves[tile]
                for tile in _few_rows(self.points)
            ]
        )
        _, (error,) = self._singles_and_error(query[None], np.zeros(1, dtype=np.int64))
        candidates = np.flatnonzero(scores >= scores.max() - 2 * error)
        ratios = [float(value).as_integer_ratio() for value in query]
        scale = max(denominator for _, denominator in ratios)
        numerators = [numerator * (scale // denominator) for numerator, denominator in ratios]
        best, answer = -math.inf, -1
        for row in candidates:
            point = [int(value / STEP) for value in self.points[row].tolist()]
            product = sum(q * x for q, x in zip(numerators, point, strict=True))
            score = 2 * round(1 / STEP) * product - scale * sum(x * x for x in point)
            if answer < 0 or score > best:
                best, answer = score, int(row)
        return answer


def half_norms(points: NDArray[Any]) -> NDArray[np.float64]:
    """Return |x|^2 / 2 of every point, summed in float64."""
    halves = np.empty(len(points))
    for tile in _few_rows(points):
        _half_norms(np.asarray(points[tile], dtype=np.float64), halves[tile])
    return halves


def score_error(
    norms: NDArray[np.float64], radius: float, dimension: int, precision: type[np.floating[Any]]
) -> NDArray[np.float64]:
    """Bound the rounding error of q.x - |x|^2 / 2 computed in this precision, for queries of these norms.

    Parameters
    ----------
    norms : of the queries
    radius : the largest norm of a point
    dimension : of the points
    precision : in which products are summed, in any order
    """
    for_norm, besides = _error_terms(radius, dimension, precision)
    error: NDArray[np.float64] = for_norm * norms + besides
    return error


def _error_terms(radius: float, dimension: int, precision: type[np.floating[Any]]) -> tuple[float, float]:
    """Return what a score may err by for each unit of a query's norm, and besides."""
    unit = float(np.finfo(precision).eps) / 2
    # d roundings in the product, one each for q, x and the difference, and one to spare; the 1.01 covers
    # their second order and the norms. Half norms are summed in float64, rounded and subtracted. The last
    # term is underflow.
    for_norm = 1.01 * (dimension + 4) * unit * radius
    besides = (1.5 * unit + (dimension + 4) * _DOUBLE_UNIT) * radius**2
    return for_norm, besides + (dimension + 4) * (1 + radius) * float(np.finfo(precision).tiny)


def nearest_by_distance(space: Space, points: NDArray[Any], queries: NDArray[Any]) -> Ids:
    """Return the row of `points` nearest to each query in any space, the lowest among equals."""

    def work(start: int) -> tuple[int, Ids]:
        block = _checked(queries[start : start + _QUERIES])
        best = np.full(len(block), np.inf)
        answer = np.zeros(len(block), dtype=np.int64)
        for tile in _tiles(len(points)):
            distances = space.distances(block, np.asarray(points[tile], dtype=np.float64))
            nearest = distances.argmin(axis=1)
            least = distances[np.arange(len(block)), nearest]
            closer = least < best
            best[closer] = least[closer]
            answer[closer] = tile.start + nearest[closer]
        return start, answer

    answers = np.empty(len(queries), dtype=np.int64)
    for start, answer in over_threads(work, range(0, len(queries), _QUERIES)):
        answers[start : start + len(answer)] = answer
    return answers


def _checked(queries: NDArray[Any]) -> Points:
    block = np.asarray(queries, dtype=np.float64)
    require_near(bool((np.abs(block) < FARTHEST).all()))
    return block


def _tiles(count: int, size: int = _WORDS) -> Iterator[slice]:
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def _few_rows(points: NDArray[Any]) -> Iterator[slice]:
    """Rows of a table whose numbers may be converted at once, fewer where they are long."""
    return _tiles(len(points), max(1, min(_WORDS, _CONVERTED // max(1, points.shape[1]))))


def _repeated(points: NDArray[Any], halves: NDArray[np.float64]) -> Ids:
    """Return the rows that equal an earlier one; equal points have equal norms."""
    order = np.argsort(halves, kind="stable")
    same = halves[order][1:] == halves[order][:-1]
    suspects = np.sort(order[np.append(same, False) | np.append(False, same)])
    seen: set[bytes] = set()
    repeated: list[int] = []
    for row in suspects.tolist():
        content = points[row].tobytes()
        if content in seen:
            repeated.append(row)
        seen.add(content)
    return np.array(repeated, dtype=np.int64)


@compiled
def _settle(rows, kept, norms, terms, answers):  # type: ignore[no-untyped-def]
    """Write the answers; return the places whose best score leads by no more than both may be wrong, or by NaN."""
    best, second, word = kept
    for_norm, besides = terms
    doubtful, count = np.empty(rows.size, dtype=np.int64), 0
    for i in range(rows.size):
        answers[rows[i]] = word[i]
        error = for_norm * norms[i] + besides
        margin = np.float64(best[i]) - np.float64(second[i])
        # Where nothing has a score, nothing is certain.
        if not (margin > 2 * error or (error == 0 and best[i] > -np.inf)):
            doubtful[count] = i
            count += 1
    return doubtful[:count]


@compiled_reduction
def _measured(queries, places, singles, norms, on_lattice):  # type: ignore[no-untyped-def]
    """Write queries in float32, their norms, and if all are multiples of half a step; return whether all are near."""
    largest = np.int64(0)
    for i in range(places.size):
        query = queries[places[i]]
        total, between = 0.0, 0
        for k in range(query.size):
            value = query[k]
            half_steps = value * (2 / STEP)
            largest = max(largest, float_bits(value) & WITHOUT_SIGN)
            between += np.rint(half_steps) != half_steps
            total += value * value
            singles[i, k] = np.float32(value)
        norms[i], on_lattice[i] = np.sqrt(total), between == 0
    return largest < FARTHEST_BITS


@compiled
def _score_again(products, least, table, asked, kept):  # type: ignore[no-untyped-def]
    """Keep the best float64 score of each query, the runner-up, and whose the best is, the first of equals.

    Looks at points whose float32 score, a product less a half norm, is not below the least of a query.
    """
    points, halves, start = table
    queries, places = asked
    best, second, word = kept
    for j in range(products.shape[0]):
        row = start + j
        half = np.float32(halves[row])
        for q in range(products.shape[1]):
            if products[j, q] - half < least[q]:
                continue
            score = product(points, row, queries, places[q]) - halves[row]
            if score > best[q]:
                best[q], second[q], word[q] = score, best[q], row
            elif score > second[q]:
                second[q] = score


@compiled
def _half_norms(points, halves):  # type: ignore[no-untyped-def]
    for i in range(points.shape[0]):
        total = 0.0
        for k in range(points.shape[1]):
            total += points[i, k] * points[i, k]
        halves[i] = 0.5 * total
