"""The best float32 score of each query and the runner-up, found while the scores are in registers.

Queries lie side by side, one to a lane. Four points meet 24 of them at once, with AVX-512 eight points 48: 12 or 24
registers hold the sums, and when the products of a point are added up, its scores are compared with the best ones, lane
by lane. So no score is ever written, and the table is read as it lies in memory. Meanwhile the next queries are brought
into the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from textveil.compiled import compiled
from textveil.elementary import float_bits, float_from_bits, function, instruction
from textveil.standby import array_at, share, shared
from textveil.vocabulary.instructions import FLOAT_LANES, FLOAT_POINTS, FLOAT_VECTORS
from textveil.vocabulary.registers import (
    FLOAT,
    SIZE,
    WORD,
    address,
    arrays_of,
    at,
    fetch,
    load,
    number,
    repeated,
    spread,
    store,
)

# Points and queries that meet at once.
POINTS = FLOAT_POINTS
_VECTORS = FLOAT_VECTORS
QUERIES = FLOAT_LANES * _VECTORS

# Numbers of points, and of queries, that stay in the second-level cache together.
_CACHED = 1 << 16
# For so many numbers of the table one of the queries' is written side by side at once: enough for reading the table to
# take no time, and few, for the cache has those that come next too.
_SHARE = 8
# Squares of float32, of up to 2^16 numbers, lose less than this; those of shorter vectors may be too small to count.
_SPARE = 1.01
_SHORTEST = 2.0**-50
# So many queries are written side by side at once, and so many numbers of each.
_ROWS, _COLUMNS = 8, 4

_FLOATS = ir.VectorType(FLOAT, FLOAT_LANES)
_WORDS = ir.VectorType(WORD, FLOAT_LANES)
_ROW_OF_EIGHT = ir.VectorType(FLOAT, _ROWS)


@compiled
def whole_blocks(count):  # type: ignore[no-untyped-def]
    """Return for how many queries `keep_best` needs room to compare so many."""
    return -(-count // QUERIES) * QUERIES


@compiled
def keep_best(points, halves, start, queries, longest, kept):  # type: ignore[no-untyped-def]
    """Compare points with queries: `kept` has the best score of each, the next best, whose the best is, and norms.

    Points are rows, with their half norms; the first has the number `start`. The first of equal scores is kept, and the
    next best equals it. Norms are at least the true ones. Where a query is not shorter than `longest`, or no number, it
    is infinite, and the scores mean nothing.
    """
    if points.shape[0] < POINTS:
        points, halves = _filled(points, halves)
    best, second, word, norms = kept
    width = points.shape[1]
    blocks = max(1, min(_CACHED, points.size // _SHARE) // (QUERIES * width))
    packed = np.zeros((blocks, width, QUERIES), dtype=np.float32)
    count = points.shape[0]
    left = count % POINTS
    # The last points overlap those before them, which must not count again. Few of them meet queries as half as many.
    few = left <= POINTS // 2
    together = POINTS // 2 if few else POINTS
    last = np.full(together, np.float32(np.inf))
    last[together - left :] = halves[count - left :]
    tile = max(1, _CACHED // (POINTS * width)) * POINTS
    # Bytes of the next queries to send for with each number of a point, so that all are there when they are needed, or
    # all but some where points are few.
    pace = -(-2 * SIZE * QUERIES * POINTS // count)
    for asked in range(0, queries.shape[0], blocks * QUERIES):
        some = queries[asked : asked + blocks * QUERIES]
        coming = np.int64(some.ctypes.data) + some.nbytes
        _pack(some, longest, packed, norms[asked:])
        for begin in range(0, count - left, tile):
            end = min(begin + tile, count - left)
            for block in range(-(-some.shape[0] // QUERIES)):
                place = asked + block * QUERIES
                for first in range(begin, end, POINTS):
                    _meet(
                        points, first, packed, block, halves, first, start + first, best, second, word, place,
                        coming, pace,
                    )  # fmt: skip
                    coming += pace * width
        if left:
            first = count - together
            for block in range(-(-some.shape[0] // QUERIES)):
                place = asked + block * QUERIES
                if few:
                    _meet_few(
                        points, first, packed, block, last, 0, start + first, best, second, word, place, coming, pace
                    )
                else:
                    _meet(points, first, packed, block, last, 0, start + first, best, second, word, place, coming, pace)
                coming += pace * width


def keep_best_together(  # type: ignore[no-untyped-def]
    points, halves, start, queries, longest, kept, parts, board
) -> None:
    """Do the same as `keep_best`, in parts, with those who stand by at a board."""
    if not _share_queries(points, halves, start, queries, longest, *kept, parts, board, _compare_part()):
        raise MemoryError(f"there was no memory to compare {len(queries):,} queries with {len(points):,} points")


@compiled
def _share_queries(  # type: ignore[no-untyped-def]
    points, halves, start, queries, longest, best, second, word, norms, parts, board, work
):
    arguments = np.array(
        [
            _place(points), points.shape[0], points.shape[1], _place(halves), start,
            _place(queries), queries.shape[0], float_bits(longest),
            _place(best), _place(second), _place(word), _place(norms), best.size, parts,
        ]
    )  # fmt: skip
    return share(board, work, arguments, parts)


@compiled
def _place(array):  # type: ignore[no-untyped-def]
    return np.int64(array.ctypes.data)


@shared
def _compare_part(arguments, part):  # type: ignore[no-untyped-def]
    """Compare one part of the queries."""
    given = array_at(arguments, 14, np.int64)
    points = array_at(given[0], (given[1], given[2]), np.float32)
    halves = array_at(given[3], given[1], np.float32)
    queries = array_at(given[5], (given[6], given[2]), np.float64)
    best = array_at(given[8], given[12], np.float32)
    second = array_at(given[9], given[12], np.float32)
    word = array_at(given[10], given[12], np.int32)
    norms = array_at(given[11], given[12], np.float64)
    blocks = whole_blocks(given[6]) // QUERIES
    first, last = part * blocks // given[13] * QUERIES, (part + 1) * blocks // given[13] * QUERIES
    kept = best[first:], second[first:], word[first:], norms[first:]
    keep_best(points, halves, given[4], queries[first:last], float_from_bits(given[7]), kept)
    return 1


@compiled
def _filled(points, halves):  # type: ignore[no-untyped-def]
    """Add points that are never the best, up to what meets queries at once."""
    rows = np.zeros((POINTS, points.shape[1]), dtype=np.float32)
    own = np.full(POINTS, np.float32(np.inf))
    rows[: points.shape[0]], own[: points.shape[0]] = points, halves
    return rows, own


@compiled
def _pack(queries, longest, packed, norms):  # type: ignore[no-untyped-def]
    """Write queries side by side, and at least their norms, or infinity."""
    count, width = queries.shape
    squares = np.empty(_ROWS, dtype=np.float32)
    for first in range(0, count, _ROWS):
        last = min(first + _ROWS, count)
        block, lane = first // QUERIES, first % QUERIES
        if width >= _COLUMNS and last - first == _ROWS:
            _turn(queries, first, packed, block, lane, squares)
        else:
            squares[:] = 0
            for row in range(first, last):
                for k in range(width):
                    value = np.float32(queries[row, k])
                    packed[block, k, lane + row - first] = value
                    squares[row - first] += value * value
        for row in range(first, last):
            norms[row] = squares[row - first]
    for row in range(count):
        norm = max(_SPARE * np.sqrt(norms[row]), _SHORTEST)
        norms[row] = norm if norm < longest else np.inf


@instruction
def _turn(_typing: Any, queries: Any, _row: Any, packed: Any, _block: Any, _lane: Any, squares: Any) -> Any:
    """Write eight queries side by side, and the sums of their squares."""
    signature = types.void(queries, types.int64, packed, *[types.int64] * 2, squares)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        queries, row, packed, block, lane, squares = arrays_of(context, builder, signature, args)
        width = builder.extract_value(queries.shape, 1)
        rows = [
            builder.add(
                address(builder, queries.data),
                builder.mul(builder.mul(builder.add(row, number(i)), width), number(2 * SIZE)),
            )
            for i in range(_ROWS)
        ]
        columns = at(builder, packed, builder.add(builder.mul(builder.mul(block, width), number(QUERIES)), lane), 0)
        nothing = ir.Constant(_ROW_OF_EIGHT, [0.0] * _ROWS)

        def step(k: Any, sums: list[Any]) -> list[Any]:
            # The last numbers begin among those before them, which must not count again.
            start = builder.sub(width, number(_COLUMNS))
            start = builder.select(builder.icmp_signed("<", k, start), k, start)
            offset = builder.mul(start, number(2 * SIZE))
            turned = _turned_over(builder, [builder.add(row, offset) for row in rows])
            products = []
            for i, column in enumerate(turned):
                place = builder.add(start, number(i))
                store(builder, column, builder.add(columns, builder.mul(place, number(SIZE * QUERIES))))
                is_new = builder.icmp_signed(">=", place, k)
                products.append(builder.select(is_new, builder.fmul(column, column), nothing))
            return [builder.fadd(sums[0], reduce(builder.fadd, products))]

        (total,) = repeated(builder, width, _COLUMNS, [nothing], step)
        store(builder, total, at(builder, squares, number(0), 0))
        return context.get_dummy_value()

    return signature, generate


def _turned_over(builder: Any, rows: list[Any]) -> list[Any]:
    """Four numbers of each of eight rows of float64 as four columns of float32."""
    doubles, singles = (ir.VectorType(kind, _COLUMNS) for kind in (ir.DoubleType(), FLOAT))
    few = [builder.fptrunc(load(builder, row, doubles), singles) for row in rows]
    # A row beside the fourth after it; then both halves are turned over alike, which crosses no halves of registers.
    a, b, c, d = (_picked(builder, few[i], few[i + 4], range(8)) for i in range(4))
    low, high = (0, 8, 1, 9, 4, 12, 5, 13), (2, 10, 3, 11, 6, 14, 7, 15)
    first, second = (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)
    pairs = [(_picked(builder, a, b, half), _picked(builder, c, d, half)) for half in (low, high)]
    return [_picked(builder, *pair, places) for pair in pairs for places in (first, second)]


def _picked(builder: Any, first: Any, second: Any, places: Iterable[int]) -> Any:
    """Numbers of two vectors, by their places."""
    chosen = list(places)
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(WORD, len(chosen)), chosen))


def _meeting(some: int) -> Callable[..., Any]:
    """Return what compares so many points at once with a block of queries."""

    @instruction
    def meet(
        _typing: Any, points: Any, first: Any, queries: Any, block: Any, halves: Any, half: Any, name: Any, best: Any,
        second: Any, word: Any, place: Any, _coming: Any, _pace: Any,
    ) -> Any:  # fmt: skip
        """Compare points, from row `first`, with a block of queries; their half norms begin at `half`.

        With each number of a point it sends for the next bytes, so many, of what lies at an address.
        """
        whole = types.int64
        signature = types.void(
            points, whole, queries, whole, halves, whole, whole, best, second, word, whole, whole, whole
        )

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _compare(builder, some, *arrays_of(context, builder, signature, args))
            return context.get_dummy_value()

        return signature, generate

    return meet


def _compare(
    builder: Any, some: int, points: Any, first: Any, queries: Any, block: Any, halves: Any, half: Any, name: Any,
    best: Any, second: Any, word: Any, place: Any, coming: Any, pace: Any,
) -> None:  # fmt: skip
    """Score points and keep the best, lane by lane."""
    sums = _products(builder, some, points, first, queries, block, (coming, pace))
    name = builder.trunc(name, WORD)
    for j in range(_VECTORS):
        at_best, at_second, at_word = (at(builder, array, place, FLOAT_LANES * j) for array in (best, second, word))
        highest, next_highest = load(builder, at_best, _FLOATS), load(builder, at_second, _FLOATS)
        whose = load(builder, at_word, _WORDS)
        for i in range(some):
            own = spread(builder, load(builder, at(builder, halves, half, i), FLOAT), _FLOATS)
            score = builder.fsub(sums[i][j], own)
            is_better = builder.fcmp_ordered(">", score, highest)
            lower = builder.select(is_better, highest, score)
            is_next = builder.fcmp_ordered(">", lower, next_highest)
            next_highest = builder.select(is_next, lower, next_highest)
            highest = builder.select(is_better, score, highest)
            named = spread(builder, builder.add(name, ir.Constant(WORD, i)), _WORDS)
            whose = builder.select(is_better, named, whose)
        for value, where in ((highest, at_best), (next_highest, at_second), (whose, at_word)):
            store(builder, value, where)


_meet, _meet_few = _meeting(POINTS), _meeting(POINTS // 2)


def _products(
    builder: Any, some: int, points: Any, first: Any, queries: Any, block: Any, following: tuple[Any, Any]
) -> list[list[Any]]:
    """The sums of products of points, from row `first`, with the queries of a block: some vectors for each point."""
    coming, pace = following
    multiply = function(builder, f"llvm.fmuladd.v{FLOAT_LANES}f32", _FLOATS, _FLOATS, _FLOATS, _FLOATS)
    width = builder.extract_value(points.shape, 1)
    row = builder.mul(width, number(SIZE))
    rows = [
        builder.add(address(builder, points.data), builder.mul(builder.add(first, number(i)), row)) for i in range(some)
    ]
    column = builder.add(address(builder, queries.data), builder.mul(builder.mul(block, row), number(QUERIES)))

    def step(k: Any, sums: list[Any]) -> list[Any]:
        fetch(builder, builder.add(coming, builder.mul(k, pace)))
        offset = builder.mul(k, number(SIZE))
        own = builder.add(column, builder.mul(offset, number(QUERIES)))
        asked = [load(builder, builder.add(own, number(SIZE * FLOAT_LANES * j)), _FLOATS) for j in range(_VECTORS)]
        values = [spread(builder, load(builder, builder.add(row, offset), FLOAT), _FLOATS) for row in rows]
        factors = [(value, query) for value in values for query in asked]
        return [builder.call(multiply, [*pair, total]) for pair, total in zip(factors, sums, strict=True)]

    zeros = [ir.Constant(_FLOATS, [0.0] * FLOAT_LANES)] * (some * _VECTORS)
    sums = repeated(builder, width, 1, zeros, step)
    return [sums[i : i + _VECTORS] for i in range(0, len(sums), _VECTORS)]
