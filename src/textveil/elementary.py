"""Exponential, logarithm, sine and cosine for compiled loops, written so that the compiler can vectorise them.

The polynomials of the last three are those of fdlibm (Sun Microsystems, freely distributable), in Horner form
with fused multiply-adds. There are no branches and no table look-ups, so a loop over them becomes SIMD code; a
call into the mathematics library would not. Each result is within 2 units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from textveil.compiled import compiled

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_SQRT2_OFFSET = 0x95F6400000000
_MANTISSA = 0x000FFFFFFFFFFFFF
_ONE = 0x3FF0000000000000
_HALF_PI = 1.5707963267948966
_LOG2_E = 1.4426950408889634
# 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
_ROUND = 6755399441055744.0
_LEAST_EXPONENT = -700.0


def instruction(generator: Callable[..., Any]) -> Callable[..., Any]:
    """Offer a few lines of LLVM's language as a function to compiled loops."""
    offered: Callable[..., Any] = intrinsic(generator)
    return offered


def function(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of LLVM, or of the system, by its name."""
    known = builder.module.globals.get(name)
    return known or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


@instruction
def float_bits(_typing: Any, _value: Any) -> Any:
    """Read the 64 bits of a float64 as an integer."""
    return types.int64(types.float64), lambda _c, b, _s, a: b.bitcast(a[0], ir.IntType(64))


@instruction
def float_from_bits(_typing: Any, _bits: Any) -> Any:
    """Read 64 bits as a float64."""
    return types.float64(types.int64), lambda _c, b, _s, a: b.bitcast(a[0], ir.DoubleType())


@instruction
def fma(_typing: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """Compute a * b + c with one rounding."""
    signature = types.float64(types.float64, types.float64, types.float64)
    return signature, lambda _context, builder, _s, args: builder.fma(*args)


@instruction
def multiply_high(_typing: Any, _a: Any, _b: Any) -> Any:
    """Return the upper 64 bits of the 128-bit product of two unsigned numbers."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@compiled
def log(x):  # type: ignore[no-untyped-def]
    """Natural logarithm of a positive normal number."""
    bits = float_bits(x)
    # A mantissa between sqrt(1/2) and sqrt(2) keeps the relative accuracy of logarithms near 1.
    carry = (((bits & _MANTISSA) + _SQRT2_OFFSET) >> 52) & 1
    exponent = (bits >> 52) - 1023 + carry
    f = float_from_bits((bits & _MANTISSA) | (_ONE - (carry << 52))) - 1.0
    k = float(exponent)
    s = f / (2.0 + f)
    z = s * s
    p = fma(z, 1.479819860511658591e-01, 1.531383769920937332e-01)
    p = fma(z, p, 1.818357216161805012e-01)
    p = fma(z, p, 2.222219843214978396e-01)
    p = fma(z, p, 2.857142874366239149e-01)
    p = fma(z, p, 3.999999999940941908e-01)
    p = fma(z, p, 6.666666666666735130e-01)
    half_square = 0.5 * f * f
    rest = fma(s, fma(z, p, half_square), k * _LN2_LOW)
    return fma(k, _LN2_HIGH, f - (half_square - rest))


@compiled
def sine_of_quarter(t):  # type: ignore[no-untyped-def]
    """Return sin(t * pi / 2) for |t| <= 1/2."""
    x = t * _HALF_PI
    z = x * x
    p = fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08)
    p = fma(z, p, 2.75573137070700676789e-06)
    p = fma(z, p, -1.98412698298579493134e-04)
    p = fma(z, p, 8.33333333332248946124e-03)
    p = fma(z, p, -1.66666666666666324348e-01)
    return fma(z * x, p, x)


@compiled
def cosine_of_quarter(t):  # type: ignore[no-untyped-def]
    """Return cos(t * pi / 2) for |t| <= 1/2."""
    x = t * _HALF_PI
    z = x * x
    p = fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09)
    p = fma(z, p, -2.75573143513906633035e-07)
    p = fma(z, p, 2.48015872894767294178e-05)
    p = fma(z, p, -1.38888888888741095749e-03)
    p = fma(z, p, 4.16666666666666019037e-02)
    return fma(z * z, p, fma(-0.5, z, 1.0))


@compiled
def exponential(x):  # type: ignore[no-untyped-def]
    """e^x for -700 <= x <= 700 to 2 ulp; smaller x count as -700."""
    x = max(x, _LEAST_EXPONENT)
    shifted = fma(x, _LOG2_E, _ROUND)
    whole = shifted - _ROUND
    r = fma(-whole, _LN2_LOW, fma(-whole, _LN2_HIGH, x))
    # Taylor to degree 13: the remainder is below 2^-57 for |r| <= ln(2)/2.
    p = 1.0 / 6227020800.0
    p = fma(p, r, 1.0 / 479001600.0)
    p = fma(p, r, 1.0 / 39916800.0)
    p = fma(p, r, 1.0 / 3628800.0)
    p = fma(p, r, 1.0 / 362880.0)
    p = fma(p, r, 1.0 / 40320.0)
    p = fma(p, r, 1.0 / 5040.0)
    p = fma(p, r, 1.0 / 720.0)
    p = fma(p, r, 1.0 / 120.0)
    p = fma(p, r, 1.0 / 24.0)
    p = fma(p, r, 1.0 / 6.0)
    p = fma(p, r, 0.5)
    p = fma(p, r, 1.0)
    p = fma(p, r, 1.0)
    power = float_from_bits((float_bits(shifted) << 52) + _ONE)
    return p * power
