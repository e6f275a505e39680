"""Moving 32-bit numbers between memory and registers, in LLVM's language.

What multiplies codes and what multiplies floats is written with these. Numbers are 4 bytes apart and need not be
aligned to more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from textveil.elementary import function

SIZE = 4
WORD = ir.IntType(32)
ADDRESS = ir.IntType(64)
FLOAT = ir.FloatType()


def number(value: int) -> Any:
    """Return a whole number that addresses are counted with."""
    return ir.Constant(ADDRESS, value)


def address(builder: Any, data: Any) -> Any:
    """Return where a pointer points to."""
    return builder.ptrtoint(data, ADDRESS)


def at(builder: Any, array: Any, first: Any, more: int) -> Any:
    """Return the address of a place in an array of 32-bit numbers."""
    place = builder.mul(builder.add(first, number(more)), number(SIZE))
    return builder.add(address(builder, array.data), place)


def load(builder: Any, where: Any, kind: Any) -> Any:
    """Return what lies at an address."""
    return builder.load(builder.inttoptr(where, kind.as_pointer()), align=SIZE)


def store(builder: Any, value: Any, where: Any) -> None:
    """Write a value to an address."""
    builder.store(value, builder.inttoptr(where, value.type.as_pointer()), align=SIZE)


def fetch(builder: Any, where: Any) -> None:
    """Have what lies at an address brought into the cache; nothing may lie there."""
    byte = ir.IntType(8).as_pointer()
    hint = function(builder, "llvm.prefetch.p0", ir.VoidType(), byte, WORD, WORD, WORD)
    # To be read, into the second-level cache, as data.
    builder.call(hint, [builder.inttoptr(where, byte), *(ir.Constant(WORD, value) for value in (0, 2, 1))])


def spread(builder: Any, value: Any, kind: Any) -> Any:
    """Return a vector of this kind, every lane of which holds the value."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(WORD, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(WORD, kind.count), [0] * kind.count))


def repeated(
    builder: Any, count: Any, step: int, values: list[Any], body: Callable[[Any, list[Any]], list[Any]]
) -> Any:
    """Return what values become by a loop over 0, `step`, ... below `count`, which is entered at least once."""
    before, inside, done = builder.block, builder.append_basic_block("inside"), builder.append_basic_block("done")
    builder.branch(inside)
    builder.position_at_end(inside)
    k = builder.phi(ADDRESS)
    held = [builder.phi(value.type) for value in values]
    changed = body(k, held)
    following = builder.add(k, number(step))
    for phi, first, then in zip([k, *held], [number(0), *values], [following, *changed], strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(then, inside)
    builder.cbranch(builder.icmp_signed("<", following, count), inside, done)
    builder.position_at_end(done)
    return changed


def arrays_of(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """Return the arguments of a function, those that are arrays as such."""
    return [
        context.make_array(kind)(context, builder, value) if hasattr(kind, "ndim") else value
        for kind, value in zip(signature.args, args, strict=True)
    ]
