"""Elementary functions for kernels: no branches and no calls, so that loops over them use vector registers.

They use only +, -, x and bit operations of IEEE 754, so every machine computes the same numbers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from textveil.compiled import compiled

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the low bits
LEAST_EXPONENT = -700.0


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typing_context: Any, value: Any) -> Any:
    """The 64 bits of a float64 as int64."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def float_of(typing_context: Any, bits: Any) -> Any:
    """The float64 that has these 64 bits."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), code


@compiled
def exponential(x: float) -> float:
    """e^x for -700 <= x <= 700 to 2 ulp; smaller x count as -700."""
    if x < LEAST_EXPONENT:
        x = LEAST_EXPONENT
    shifted = x * LOG2_E + _ROUND
    whole = shifted - _ROUND
    r = (x - whole * LN2_HIGH) - whole * LN2_LOW
    # Taylor to degree 13: the remainder is below 2^-57 for |r| <= ln(2)/2.
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power: float = float_of((bits_of(shifted) << 52) + (1023 << 52))
    return p * power
