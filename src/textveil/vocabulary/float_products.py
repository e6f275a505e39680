"""The best float32 score of each query and the runner-up, found while the scores are in registers.

Queries lie side by side, one to a lane. Six points meet 16 of them at once, with AVX-512 twelve points 32: 12 or 24
registers hold the sums, and when the products of a point are added up, its scores are compared with the best ones, lane
by lane. So no score is ever written, and the table is read as it lies in memory.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from textveil.compiled import compiled
from textveil.elementary import instruction
from textveil.vocabulary.instructions import FLOAT_LANES, FLOAT_POINTS
from textveil.vocabulary.registers import (
    ADDRESS,
    FLOAT,
    SIZE,
    WORD,
    address,
    arrays_of,
    at,
    fetch,
    function,
    load,
    number,
    spread,
    store,
)

# Points and queries that meet at once.
POINTS = FLOAT_POINTS
_VECTORS = 2
QUERIES = FLOAT_LANES * _VECTORS

# Numbers of points, and of queries, that stay in the second-level cache together.
_CACHED = 1 << 16
# Squares of float32, of up to 2^16 numbers, lose less than this; those of shorter vectors may be too small to count.
_SPARE = 1.01
_SHORTEST = 2.0**-50
# So many queries are written side by side at once, and so many numbers of each.
_SQUARE = 8

_FLOATS = ir.VectorType(FLOAT, FLOAT_LANES)
_WORDS = ir.VectorType(WORD, FLOAT_LANES)


def whole_blocks(count: int) -> int:
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
    blocks = max(1, _CACHED // (QUERIES * width))
    packed = np.zeros((blocks, width, QUERIES), dtype=np.float32)
    # The last points overlap those before them, which must not count again.
    last = np.full(POINTS, np.float32(np.inf))
    count = points.shape[0]
    left = count % POINTS
    last[POINTS - left :] = halves[count - left :]
    tile = max(1, _CACHED // (POINTS * width)) * POINTS
    for asked in range(0, queries.shape[0], blocks * QUERIES):
        some = queries[asked : asked + blocks * QUERIES]
        _pack(some, longest, packed, norms[asked:])
        for begin in range(0, count - left, tile):
            end = min(begin + tile, count - left)
            for block in range(-(-some.shape[0] // QUERIES)):
                place = asked + block * QUERIES
                for first in range(begin, end, POINTS):
                    _meet(points, first, packed, block, halves, first, start + first, best, second, word, place)
        if left:
            first = count - POINTS
            for block in range(-(-some.shape[0] // QUERIES)):
                place = asked + block * QUERIES
                _meet(points, first, packed, block, last, 0, start + first, best, second, word, place)


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
    squares = np.empty(_SQUARE, dtype=np.float32)
    for first in range(0, count, _SQUARE):
        last = min(first + _SQUARE, count)
        block, lane = first // QUERIES, first % QUERIES
        squares[:] = 0
        turned = width - width % _SQUARE if last - first == _SQUARE else 0
        for k in range(0, turned, _SQUARE):
            _turn(queries, first, k, packed, block, lane, squares)
        for row in range(first, last):
            for k in range(turned, width):
                value = np.float32(queries[row, k])
                packed[block, k, lane + row - first] = value
                squares[row - first] += value * value
            norm = max(_SPARE * np.sqrt(np.float64(squares[row - first])), _SHORTEST)
            norms[row] = norm if norm < longest else np.inf


@instruction
def _turn(_typing: Any, queries: Any, _row: Any, _k: Any, packed: Any, _block: Any, _lane: Any, squares: Any) -> Any:
    """Write eight numbers, from `k`, of eight queries side by side and add their squares; send for the next eight."""
    signature = types.void(queries, *[types.int64] * 2, packed, *[types.int64] * 2, squares)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        queries, row, k, packed, block, lane, squares = arrays_of(context, builder, signature, args)
        doubles, singles = ir.VectorType(ir.DoubleType(), _SQUARE), ir.VectorType(FLOAT, _SQUARE)
        width = builder.extract_value(queries.shape, 1)
        rows = []
        for i in range(_SQUARE):
            place = builder.add(builder.mul(builder.add(row, number(i)), width), k)
            where = builder.add(address(builder, queries.data), builder.mul(place, number(2 * SIZE)))
            rows.append(builder.fptrunc(load(builder, where, doubles), singles))
            fetch(builder, builder.add(where, builder.mul(width, number(2 * SIZE * _SQUARE))))
        # Each round puts the numbers of two rows in turn; after three of them rows are columns.
        for _ in range(3):
            halves = zip(rows[: _SQUARE // 2], rows[_SQUARE // 2 :], strict=True)
            rows = [_in_turn(builder, *pair, half) for pair in halves for half in range(2)]
        column = builder.add(builder.mul(block, width), k)
        for i in range(_SQUARE):
            place = builder.add(builder.mul(builder.add(column, number(i)), number(QUERIES)), lane)
            store(builder, rows[i], at(builder, packed, place, 0))
        products = [builder.fmul(column, column) for column in rows]
        where = at(builder, squares, number(0), 0)
        store(builder, reduce(builder.fadd, products, load(builder, where, singles)), where)
        return context.get_dummy_value()

    return signature, generate


def _in_turn(builder: Any, first: Any, second: Any, half: int) -> Any:
    """The numbers of the first or second half of two vectors, one of each in turn."""
    start = half * _SQUARE // 2
    places = [place for j in range(start, start + _SQUARE // 2) for place in (j, j + _SQUARE)]
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(WORD, _SQUARE), places))


@instruction
def _meet(
    _typing: Any, points: Any, first: Any, queries: Any, block: Any, halves: Any, half: Any, name: Any, best: Any,
    second: Any, word: Any, place: Any,
) -> Any:  # fmt: skip
    """Compare points, from row `first`, with a block of queries; their half norms begin at `half`."""
    whole = types.int64
    signature = types.void(points, whole, queries, whole, halves, whole, whole, best, second, word, whole)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arguments = arrays_of(context, builder, signature, args)
        points, first, queries, block, halves, half, name, best, second, word, place = arguments
        sums = _products(builder, points, first, queries, block)
        name = builder.trunc(name, WORD)
        for j in range(_VECTORS):
            at_best, at_second, at_word = (at(builder, array, place, FLOAT_LANES * j) for array in (best, second, word))
            highest, next_highest = load(builder, at_best, _FLOATS), load(builder, at_second, _FLOATS)
            whose = load(builder, at_word, _WORDS)
            for i in range(POINTS):
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
        return context.get_dummy_value()

    return signature, generate


def _products(builder: Any, points: Any, first: Any, queries: Any, block: Any) -> list[list[Any]]:
    """The sums of products of points, from row `first`, with the queries of a block: some vectors for each point."""
    multiply = function(builder, f"llvm.fmuladd.v{FLOAT_LANES}f32", _FLOATS, _FLOATS, _FLOATS, _FLOATS)
    width = builder.extract_value(points.shape, 1)
    row = builder.mul(width, number(SIZE))
    rows = [
        builder.add(address(builder, points.data), builder.mul(builder.add(first, number(i)), row))
        for i in range(POINTS)
    ]
    column = builder.add(address(builder, queries.data), builder.mul(builder.mul(block, row), number(QUERIES)))
    before, body, done = builder.block, builder.append_basic_block("body"), builder.append_basic_block("done")
    builder.branch(body)
    builder.position_at_end(body)
    k = builder.phi(ADDRESS)
    sums = [[builder.phi(_FLOATS) for _ in range(_VECTORS)] for _ in range(POINTS)]
    offset = builder.mul(k, number(SIZE))
    own = builder.add(column, builder.mul(offset, number(QUERIES)))
    asked = [load(builder, builder.add(own, number(SIZE * FLOAT_LANES * j)), _FLOATS) for j in range(_VECTORS)]
    added = []
    for i in range(POINTS):
        value = spread(builder, load(builder, builder.add(rows[i], offset), FLOAT), _FLOATS)
        added.append(
            [builder.call(multiply, [value, query, total]) for query, total in zip(asked, sums[i], strict=True)]
        )
    following = builder.add(k, number(1))
    zero = ir.Constant(_FLOATS, [0.0] * FLOAT_LANES)
    k.add_incoming(number(0), before)
    k.add_incoming(following, body)
    for i in range(POINTS):
        for phi, value in zip(sums[i], added[i], strict=True):
            phi.add_incoming(zero, before)
            phi.add_incoming(value, body)
    builder.cbranch(builder.icmp_signed("<", following, width), body, done)
    builder.position_at_end(done)
    return added
