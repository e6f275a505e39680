"""Products of 8-bit vectors by an instruction that multiplies 64 bytes at once (AVX-512 VNNI).

Six queries meet 64 points: 24 vector registers hold their 384 sums, each point is loaded once for six queries, and
each query once for 64 points. That is about four times as many products a second as float32 has.
"""

from __future__ import annotations

import os
from functools import cache
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
    """Lay out points, a multiple of 64, for `byte_products`: shape (groups, width / 4, 64, 4)."""
    groups = codes.reshape(-1, POINTS, codes.shape[1] // _BYTES, _BYTES).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(groups).view(np.uint8) + np.uint8(_SHIFT)


def first_sums(queries: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return where the sums of each query begin, so that the shift of the points drops out."""
    return -_SHIFT * queries.sum(axis=1, dtype=np.int32)


@instruction
def byte_products(  # noqa: PLR0917 -- a kernel
    _typing: Any, points: Any, group: Any, queries: Any, first: Any, sums: Any, out: Any
) -> Any:
    """Write the products of six queries, from `first`, with the 64 points of a group: shape (6, 64), int32."""
    signature = types.void(points, types.int64, queries, types.int64, sums, out)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [
            context.make_array(kind)(context, builder, value) if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, args, strict=True)
        ]
        _generate(builder, *arrays)
        return context.get_dummy_value()

    return signature, generate


def _generate(builder: Any, points: Any, group: Any, queries: Any, first: Any, sums: Any, out: Any) -> None:
    add, number = builder.add, lambda value: ir.Constant(_ADDRESS, value)
    width = builder.extract_value(queries.shape, 1)
    point = add(_address(builder, points.data), builder.mul(group, builder.mul(width, number(POINTS))))
    query = add(_address(builder, queries.data), builder.mul(first, width))
    begin = add(_address(builder, sums.data), builder.mul(first, number(_BYTES)))
    starts = [_spread(builder, _load(builder, add(begin, number(_BYTES * i)), _WORD)) for i in range(QUERIES)]
    entry, loop, done = builder.block, builder.append_basic_block("products"), builder.append_basic_block("done")
    builder.branch(loop)
    builder.position_at_end(loop)
    k = builder.phi(_ADDRESS)
    k.add_incoming(number(0), entry)
    totals = [builder.phi(_VECTOR) for _ in range(QUERIES * _VECTORS)]
    for place, total in enumerate(totals):
        total.add_incoming(starts[place // _VECTORS], entry)
    here = add(point, builder.mul(k, number(POINTS)))
    columns = [_load(builder, add(here, number(_LANES * _BYTES * j)), _VECTOR) for j in range(_VECTORS)]
    multiply = builder.module.globals.get(_NAME) or ir.Function(
        builder.module, ir.FunctionType(_VECTOR, (_VECTOR,) * 3), _NAME
    )
    row, following = add(query, k), []
    for i in range(QUERIES):
        spread = _spread(builder, _load(builder, row, _WORD))
        following += [builder.call(multiply, [totals[i * _VECTORS + j], columns[j], spread]) for j in range(_VECTORS)]
        row = add(row, width)
    after = add(k, number(_BYTES))
    for total, value in zip([k, *totals], [after, *following], strict=True):
        total.add_incoming(value, loop)
    builder.cbranch(builder.icmp_signed("<", after, width), loop, done)
    builder.position_at_end(done)
    target = _address(builder, out.data)
    for place, value in enumerate(following):
        builder.store(value, _pointer(builder, add(target, number(_LANES * _BYTES * place)), _VECTOR), align=_BYTES)


def _address(builder: Any, data: Any) -> Any:
    return builder.ptrtoint(data, _ADDRESS)


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder: Any, address: Any, kind: Any) -> Any:
    return builder.load(_pointer(builder, address, kind), align=_BYTES)


def _spread(builder: Any, value: Any) -> Any:
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(_VECTOR, [0] * _LANES))
