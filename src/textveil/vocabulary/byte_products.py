"""Products of 8-bit vectors by an instruction that multiplies 64 bytes at once (AVX-512 VNNI).

Six queries meet 64 points: 24 vector registers hold their 384 sums, each point is loaded once for six queries, and
each query once for 64 points. That is about four times as many products a second as float32 has. The sums become
scores in their registers, and leave them only if one is worth a look.
"""

from __future__ import annotations

import os
from functools import cache, reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from textveil.elementary import instruction

# Queries and points of one call.
QUERIES = 6
POINTS = 64

_LANES = 16
_VECTORS = POINTS // _LANES
_BYTES = 4
_WORD = ir.IntType(32)
_ADDRESS = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, _LANES)
_FLOAT = ir.FloatType()
_FLOATS = ir.VectorType(_FLOAT, _LANES)
_NAME = "llvm.x86.avx512.vpdpbusd.512"
# Points are stored with this added, because one factor must have no sign.
_SHIFT = 128


@cache
def available() -> bool:
    """Whether the processor has the instruction, and numba compiles for this processor."""
    from llvmlite.binding import get_host_cpu_features

    other = os.environ.get("NUMBA_CPU_NAME") or os.environ.get("NUMBA_CPU_FEATURES")
    return not other and bool(get_host_cpu_features().get("avx512vnni"))


def pack_points(codes: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Lay out points, a multiple of 64, for `score_bytes`: shape (groups, width / 4, 64, 4)."""
    groups = codes.reshape(-1, POINTS, codes.shape[1] // _BYTES, _BYTES).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(groups).view(np.uint8) + np.uint8(_SHIFT)


def first_sums(of_codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return where the sums of each query begin, so that the shift of the points drops out, by the sum of its codes."""
    return -_SHIFT * of_codes


@instruction
def score_bytes(
    _typing: Any, points: Any, group: Any, queries: Any, first: Any, sums: Any, halves: Any, factors: Any,
    thresholds: Any, scores: Any, reached: Any,
) -> Any:  # fmt: skip
    """Compare the scores of six queries, from `first`, with the 64 points of a group to a threshold of each query.

    Returns whether any score is at least the threshold of its query; then the scores are written, and for each query
    a whole number whose bit j says whether point j has such a score. The other arguments are arrays: where sums begin
    (int32), the half norm of each point, the factor and the threshold of each query (float32), and room for the
    scores, shape (6, 64), float32, and for the bits (uint64).
    """
    signature = types.boolean(
        points, types.int64, queries, types.int64, sums, halves, factors, thresholds, scores, reached
    )

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [
            context.make_array(kind)(context, builder, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, args, strict=True)
        ]
        points, group, queries, first, sums, halves, factors, thresholds, scores, reached = arrays
        totals = _products(builder, points, group, queries, first, sums)
        own = [_at(builder, halves, builder.mul(group, _number(POINTS)), _LANES * j) for j in range(_VECTORS)]
        own = [_load(builder, place, _FLOATS) for place in own]
        found, bits = [], []
        for i in range(QUERIES):
            factor, threshold = (
                _spread(builder, _load(builder, _at(builder, array, first, i), _FLOAT), _FLOATS)
                for array in (factors, thresholds)
            )
            of_query = _scores(builder, totals[i * _VECTORS : (i + 1) * _VECTORS], factor, own)
            found += of_query
            bits.append(_reaching(builder, of_query, threshold))
        some = builder.icmp_unsigned("!=", reduce(builder.or_, bits), _number(0))
        with builder.if_then(some, likely=False):
            for place, value in enumerate(found):
                _store(builder, value, _at(builder, scores, _number(0), _LANES * place))
            for i, value in enumerate(bits):
                _store(builder, value, _at(builder, reached, _number(0), 2 * i))
        return some

    return signature, generate


@instruction
def lowest_bit(_typing: Any, _bits: Any) -> Any:
    """Return the place of the lowest bit of a number that has one."""
    certain = ir.Constant(ir.IntType(1), 1)
    return types.int64(types.uint64), lambda _context, builder, _s, args: builder.cttz(args[0], certain)


def _products(builder: Any, points: Any, group: Any, queries: Any, first: Any, sums: Any) -> list[Any]:
    """The sums of products of six queries with 64 points: four vectors a query."""
    add = builder.add
    width = builder.extract_value(queries.shape, 1)
    point = add(_address(builder, points.data), builder.mul(group, builder.mul(width, _number(POINTS))))
    query = add(_address(builder, queries.data), builder.mul(first, width))
    starts = [_spread(builder, _load(builder, _at(builder, sums, first, i), _WORD), _VECTOR) for i in range(QUERIES)]
    entry, loop, done = builder.block, builder.append_basic_block("products"), builder.append_basic_block("done")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(_ADDRESS)
    k.add_incoming(_number(0), entry)
    totals = [builder.phi(_VECTOR) for _ in range(QUERIES * _VECTORS)]
    for place, total in enumerate(totals):
        total.add_incoming(starts[place // _VECTORS], entry)
    here = add(point, builder.mul(k, _number(POINTS)))
    columns = [_load(builder, add(here, _number(_LANES * _BYTES * j)), _VECTOR) for j in range(_VECTORS)]
    multiply = builder.module.globals.get(_NAME) or ir.Function(
        builder.module, ir.FunctionType(_VECTOR, (_VECTOR,) * 3), _NAME
    )
    row, following = add(query, k), []
    for i in range(QUERIES):
        spread = _spread(builder, _load(builder, row, _WORD), _VECTOR)
        following += [builder.call(multiply, [totals[i * _VECTORS + j], columns[j], spread]) for j in range(_VECTORS)]
        row = add(row, width)
    after = add(k, _number(_BYTES))
    for total, value in zip([k, *totals], [after, *following], strict=True):
        total.add_incoming(value, loop)
    builder.cbranch(builder.icmp_signed("<", after, width), loop, done)
    builder.position_at_end(done)
    return following


def _scores(builder: Any, totals: list[Any], factor: Any, halves: list[Any]) -> list[Any]:
    """The scores factor * total - half of the points."""
    return [
        builder.fsub(builder.fmul(builder.sitofp(total, _FLOATS), factor), half)
        for total, half in zip(totals, halves, strict=True)
    ]


def _reaching(builder: Any, scores: list[Any], threshold: Any) -> Any:
    """A whole number whose bits say which scores are at least the threshold."""
    reaching = [builder.fcmp_ordered(">=", score, threshold) for score in scores]
    while len(reaching) > 1:
        reaching = [_joined(builder, *pair) for pair in zip(reaching[::2], reaching[1::2], strict=True)]
    return builder.bitcast(reaching[0], _ADDRESS)


def _joined(builder: Any, first: Any, second: Any) -> Any:
    """The bits of one vector and then those of another."""
    places = range(2 * first.type.count)
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_WORD, len(places)), list(places)))


def _at(builder: Any, array: Any, first: Any, more: int) -> Any:
    """The address of a place in an array of 32-bit numbers."""
    place = builder.mul(builder.add(first, _number(more)), _number(_BYTES))
    return builder.add(_address(builder, array.data), place)


def _number(value: int) -> Any:
    return ir.Constant(_ADDRESS, value)


def _address(builder: Any, data: Any) -> Any:
    return builder.ptrtoint(data, _ADDRESS)


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder: Any, address: Any, kind: Any) -> Any:
    return builder.load(_pointer(builder, address, kind), align=_BYTES)


def _store(builder: Any, value: Any, address: Any) -> None:
    builder.store(value, _pointer(builder, address, value.type), align=_BYTES)


def _spread(builder: Any, value: Any, kind: Any) -> Any:
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(_VECTOR, [0] * _LANES))
