"""Products of 8-bit vectors, by the widest instructions that the processor has for them.

With AVX-512 VNNI six queries meet 64 points: 24 vector registers hold their 384 sums, each point is loaded once for six
queries, and each query once for 64 points. That is about four times as many products a second as float32 has. With
AVX2 three queries meet 16 points, and it is two and a half times as many. The sums become scores in their registers.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from textveil.elementary import function, instruction
from textveil.vocabulary.instructions import KIND, VNNI
from textveil.vocabulary.registers import (
    ADDRESS,
    FLOAT,
    SIZE,
    WORD,
    address,
    arrays_of,
    at,
    load,
    number,
    spread,
    store,
)  # fmt: skip

# Points and queries of one call.
POINTS = 64
QUERIES = KIND.queries

_TRUE = ir.Constant(ir.IntType(1), 1)

_VECTOR = ir.VectorType(WORD, KIND.lanes)
_FLOATS = ir.VectorType(FLOAT, KIND.lanes)


def pack_points(codes: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Lay out points, a multiple of 64, for `score_bytes`: those that meet queries at once lie side by side."""
    pieces = codes.reshape(-1, KIND.at_once, codes.shape[1] // SIZE, SIZE).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(pieces).view(np.uint8) + np.uint8(KIND.shift)


def first_sums(of_codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return where the sums of each query begin, so that the shift of the points drops out, by the sum of its codes."""
    return -KIND.shift * of_codes


@instruction
def score_bytes(
    _typing: Any, points: Any, group: Any, queries: Any, first: Any, sums: Any, halves: Any, factors: Any,
    thresholds: Any, scores: Any,
) -> Any:  # fmt: skip
    """Compare the scores of some queries, from `first`, with the 64 points of a group to a threshold of each query.

    Returns a whole number whose bit i says whether query i has a score of at least its threshold; if there is one, the
    scores are written. The other arguments are arrays: where sums begin (int32), the half norm of each point, the
    factor and the threshold of each query (float32), and room for the scores, shape (queries, 64), float32.
    """
    signature = types.uint64(points, types.int64, queries, types.int64, sums, halves, factors, thresholds, scores)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arguments = arrays_of(context, builder, signature, args)
        points, group, queries, first, sums, halves, factors, thresholds, scores = arguments
        before, part, done = builder.block, builder.append_basic_block("part"), builder.append_basic_block("done")
        builder.branch(part)
        builder.position_at_end(part)
        start, some = builder.phi(ADDRESS), builder.phi(ADDRESS)
        place = builder.add(builder.mul(group, number(POINTS)), start)
        totals = _products(builder, points, place, queries, first, sums)
        own = [load(builder, at(builder, halves, place, KIND.lanes * j), _FLOATS) for j in range(KIND.vectors)]
        found, here = [], some
        for i, of_query in enumerate(totals):
            factor, least = (
                spread(builder, load(builder, at(builder, array, first, i), FLOAT), _FLOATS)
                for array in (factors, thresholds)
            )
            found.append(_scores(builder, of_query, factor, own))
            good = [builder.fcmp_ordered(">=", score, least) for score in found[i]]
            has = _is_some(builder, _bits(builder, [reduce(builder.or_, good)]))
            here = builder.or_(here, builder.shl(builder.zext(has, ADDRESS), number(i)))
        # Where all points meet the queries at once, few scores have to leave their registers.
        is_needed = _is_some(builder, here) if KIND.at_once == POINTS else _TRUE
        with builder.if_then(is_needed, likely=False):
            for i, of_query in enumerate(found):
                for j, score in enumerate(of_query):
                    store(builder, score, at(builder, scores, start, i * POINTS + KIND.lanes * j))
        following = builder.add(start, number(KIND.at_once))
        for phi, value in ((start, following), (some, here)):
            phi.add_incoming(number(0), before)
            phi.add_incoming(value, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, number(POINTS)), part, done)
        builder.position_at_end(done)
        return here

    return signature, generate


@instruction
def highest(_typing: Any, scores: Any, _query: Any) -> Any:
    """Return the highest score of a query, of those written."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = _written(context, builder, signature, args)
        while len(found) > 1:
            found = [_larger(builder, *pair) for pair in zip(found[::2], found[1::2], strict=True)]
        left = KIND.lanes
        while left > 1:
            left //= 2
            places = ir.Constant(ir.VectorType(WORD, KIND.lanes), [(j + left) % KIND.lanes for j in range(KIND.lanes)])
            found = [_larger(builder, found[0], builder.shuffle_vector(found[0], found[0], places))]
        return builder.extract_element(found[0], ir.Constant(WORD, 0))

    return types.float32(scores, types.int64), generate


@instruction
def reaching(_typing: Any, scores: Any, _query: Any, _least: Any) -> Any:
    """Return a whole number whose bit j says whether score j of a query, of those written, is at least so large."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        least = spread(builder, args[2], _FLOATS)
        found = _written(context, builder, signature, args)
        return _bits(builder, [builder.fcmp_ordered(">=", score, least) for score in found])

    return types.uint64(scores, types.int64, types.float32), generate


@instruction
def lowest_bit(_typing: Any, _bits: Any) -> Any:
    """Return the place of the lowest bit of a number that has one."""
    return types.int64(types.uint64), lambda _context, builder, _s, args: builder.cttz(args[0], _TRUE)


def _written(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """The scores of a query, in vectors."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    first = builder.mul(args[1], number(POINTS))
    return [load(builder, at(builder, array, first, place), _FLOATS) for place in range(0, POINTS, KIND.lanes)]


def _larger(builder: Any, first: Any, second: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", first, second), first, second)


def _products(builder: Any, points: Any, place: Any, queries: Any, first: Any, sums: Any) -> list[list[Any]]:
    """The sums of products of some queries with the points from a place on: some vectors for each query."""
    width = builder.extract_value(queries.shape, 1)
    point = builder.add(address(builder, points.data), builder.mul(place, width))
    query = builder.add(address(builder, queries.data), builder.mul(first, width))
    start = [spread(builder, load(builder, at(builder, sums, first, i), WORD), _VECTOR) for i in range(QUERIES)]
    k, totals = number(0), [[own] * KIND.vectors for own in start]
    for steps in sorted({KIND.steps, 1}, reverse=True):
        k, totals = _loop(builder, (point, query, width), k, totals, steps)
    return totals


def _loop(builder: Any, where: tuple[Any, Any, Any], k: Any, totals: list[list[Any]], steps: int) -> Any:
    """Add products from byte k on, so many steps at a time, and return where fewer are left, and the totals."""
    point, query, width = where
    before = builder.block
    head, body, done = (builder.append_basic_block(name) for name in ("head", "body", "done"))
    builder.branch(head)
    builder.position_at_end(head)
    here = builder.phi(ADDRESS)
    running = [[builder.phi(_VECTOR) for _ in own] for own in totals]
    after = builder.add(here, number(SIZE * steps))
    builder.cbranch(builder.icmp_signed("<=", after, width), body, done)
    builder.position_at_end(body)
    column = builder.add(point, builder.mul(here, number(KIND.at_once)))
    add_products = _add_by_vnni if KIND is VNNI else _add_by_avx2
    added = add_products(builder, column, builder.add(query, here), width, running, steps)
    columns = (chain([at], *sums) for at, sums in ((here, running), (k, totals), (after, added)))
    for phi, first, following in zip(*columns, strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(following, body)
    builder.branch(head)
    builder.position_at_end(done)
    return here, running


def _add_by_vnni(builder: Any, point: Any, query: Any, width: Any, totals: list[list[Any]], _steps: int) -> Any:
    """The totals and four products each."""
    multiply = function(builder, "llvm.x86.avx512.vpdpbusd.512", _VECTOR, _VECTOR, _VECTOR, _VECTOR)
    columns = _columns(builder, point, _VECTOR)
    added = []
    for own in totals:
        asked = spread(builder, load(builder, query, WORD), _VECTOR)
        added.append(
            [builder.call(multiply, [total, column, asked]) for total, column in zip(own, columns, strict=True)]
        )
        query = builder.add(query, width)
    return added


def _add_by_avx2(builder: Any, point: Any, query: Any, width: Any, totals: list[list[Any]], steps: int) -> Any:
    """The totals and four products each for every step, added up in 16 bits first."""
    bytes_, halves = ir.VectorType(ir.IntType(8), 32), ir.VectorType(ir.IntType(16), 16)
    multiply = function(builder, "llvm.x86.avx2.pmadd.ub.sw", halves, bytes_, bytes_)
    widen = function(builder, "llvm.x86.avx2.pmadd.wd", _VECTOR, halves, halves)
    parts: list[list[Any]] = [[None] * KIND.vectors for _ in totals]
    for step in range(steps):
        columns = _columns(builder, builder.add(point, number(step * SIZE * KIND.at_once)), bytes_)
        row = builder.add(query, number(step * SIZE))
        for own in parts:
            asked = builder.bitcast(spread(builder, load(builder, row, WORD), _VECTOR), bytes_)
            for j, column in enumerate(columns):
                product = builder.call(multiply, [column, asked])
                own[j] = product if own[j] is None else builder.add(own[j], product)
            row = builder.add(row, width)
    ones = ir.Constant(halves, [1] * 16)
    return [
        [builder.add(total, builder.call(widen, [part, ones])) for total, part in zip(own, of_query, strict=True)]
        for own, of_query in zip(totals, parts, strict=True)
    ]


def _columns(builder: Any, point: Any, kind: Any) -> list[Any]:
    size = SIZE * KIND.lanes
    return [load(builder, builder.add(point, number(size * j)), kind) for j in range(KIND.vectors)]


def _scores(builder: Any, totals: list[Any], factor: Any, halves: list[Any]) -> list[Any]:
    """The scores factor * total - half of the points."""
    return [
        builder.fsub(builder.fmul(builder.sitofp(total, _FLOATS), factor), half)
        for total, half in zip(totals, halves, strict=True)
    ]


def _is_some(builder: Any, bits: Any) -> Any:
    return builder.icmp_unsigned("!=", bits, number(0))


def _bits(builder: Any, good: list[Any]) -> Any:
    """A whole number whose bits are the truths of some vectors, one after the other."""
    while len(good) > 1:
        good = [_joined(builder, *pair) for pair in zip(good[::2], good[1::2], strict=True)]
    count = good[0].type.count
    bits = builder.bitcast(good[0], ir.IntType(count))
    return bits if count == POINTS else builder.zext(bits, ADDRESS)


def _joined(builder: Any, first: Any, second: Any) -> Any:
    """The bits of one vector and then those of another."""
    places = range(2 * first.type.count)
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(WORD, len(places)), list(places)))
