"""Logarithm, sine and cosine for compiled loops, written so that the compiler can vectorise them.

The polynomials are those of fdlibm (Sun Microsystems, freely distributable), in Horner form with fused
multiply-adds. There are no branches and no table look-ups, so a loop over them becomes SIMD code; a call into
the mathematics library would not. Each result is within 2 units in the last place.
"""

from __future__ import annotations

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


@intrinsic  # type: ignore[untyped-decorator]
def float_bits(typing: Any, value: Any) -> Any:
    """Read the 64 bits of a float64 as an integer."""
    return types.int64(types.float64), lambda _c, b, _s, a: b.bitcast(a[0], ir.IntType(64))


@intrinsic  # type: ignore[untyped-decorator]
def float_from_bits(typing: Any, bits: Any) -> Any:
    """Read 64 bits as a float64."""
    return types.float64(types.int64), lambda _c, b, _s, a: b.bitcast(a[0], ir.DoubleType())


@intrinsic  # type: ignore[untyped-decorator]
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Compute a * b + c with one rounding."""
    signature = types.float64(types.float64, types.float64, types.float64)
    return signature, lambda _c, builder, _s, args: builder.fma(*args)


@intrinsic  # type: ignore[untyped-decorator]
def multiply_high(typing: Any, a: Any, b: Any) -> Any:
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
    # The mantissa is taken between sqrt(1/2) and sqrt(2), so that logarithms near 1 keep their relative accuracy.
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
    return k * _LN2_HIGH - ((half_square - (s * (half_square + z * p) + k * _LN2_LOW)) - f)


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
