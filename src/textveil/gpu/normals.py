"""From uniform bits to normal and Gamma numbers, as Triton compiles it.

Each step is one of `textveil.noise.transforms` and `textveil.elementary`, in the same order and with the same
roundings: products and sums are fused where those fuse them and nowhere else, so the kernels are started with
`enable_fp_fusion=False`. So the numbers are those of the CPU, bit for bit. `textveil.gpu.noise` looks that they are.
"""

from __future__ import annotations

import math
from typing import Any

import triton
import triton.language as tl

from textveil.gpu.devices import device_of

_SIZE = 256


@triton.jit
def float64(value: tl.constexpr):  # type: ignore[no-untyped-def]
    """A float64: a bare number in a call may become a float32."""
    return tl.full((1,), value, tl.float64)


@triton.jit
def fma(a, b, c):  # type: ignore[no-untyped-def]
    """Return a b + c, rounded once."""
    a, b = tl.broadcast(a, b)
    b, c = tl.broadcast(b, c)
    a, c = tl.broadcast(a, c)
    return tl.fma(a, b, c)


@triton.jit
def _unit(word):  # type: ignore[no-untyped-def]
    bits = (word >> 12) | 0x3FF0000000000000
    return (bits.to(tl.float64, bitcast=True) - 1.0) + float64(2.0**-53)


@triton.jit
def _log(x):  # type: ignore[no-untyped-def]
    bits = x.to(tl.int64, bitcast=True)
    mantissa = bits & 0x000FFFFFFFFFFFFF
    carry = ((mantissa + 0x95F6400000000) >> 52) & 1
    exponent = (bits >> 52) - 1023 + carry
    f = (mantissa | (0x3FF0000000000000 - (carry << 52))).to(tl.float64, bitcast=True) - 1.0
    k = exponent.to(tl.float64)
    s = f / (f + 2.0)
    z = s * s
    p = fma(z, float64(1.479819860511658591e-01), float64(1.531383769920937332e-01))
    p = fma(z, p, float64(1.818357216161805012e-01))
    p = fma(z, p, float64(2.222219843214978396e-01))
    p = fma(z, p, float64(2.857142874366239149e-01))
    p = fma(z, p, float64(3.999999999940941908e-01))
    p = fma(z, p, float64(6.666666666666735130e-01))
    half_square = 0.5 * f * f
    rest = fma(s, fma(z, p, half_square), k * float64(1.90821492927058770002e-10))
    return fma(k, float64(6.93147180369123816490e-01), f - (half_square - rest))


@triton.jit
def _sine(x):  # type: ignore[no-untyped-def]
    """The sine of an angle up to an eighth of a turn."""
    z = x * x
    p = fma(z, float64(1.58969099521155010221e-10), float64(-2.50507602534068634195e-08))
    p = fma(z, p, float64(2.75573137070700676789e-06))
    p = fma(z, p, float64(-1.98412698298579493134e-04))
    p = fma(z, p, float64(8.33333333332248946124e-03))
    p = fma(z, p, float64(-1.66666666666666324348e-01))
    return fma(z * x, p, x)


@triton.jit
def _cosine(x):  # type: ignore[no-untyped-def]
    """The cosine of an angle up to an eighth of a turn."""
    z = x * x
    p = fma(z, float64(-1.13596475577881948265e-11), float64(2.08757232129817482790e-09))
    p = fma(z, p, float64(-2.75573143513906633035e-07))
    p = fma(z, p, float64(2.48015872894767294178e-05))
    p = fma(z, p, float64(-1.38888888888741095749e-03))
    p = fma(z, p, float64(4.16666666666666019037e-02))
    return fma(z * z, p, fma(float64(-0.5), z, float64(1.0)))


@triton.jit
def _normal_pair(radial, angular, deviation):  # type: ignore[no-untyped-def]
    sign = angular & 0x8000000000000000
    signed = (deviation.to(tl.uint64, bitcast=True) ^ sign).to(tl.float64, bitcast=True)
    radius = signed * tl.sqrt(_log(_unit(radial)) * -2.0)
    x = (_unit(angular << 2) - 0.5) * float64(1.5707963267948966)
    across, along = radius * _sine(x), radius * _cosine(x)
    swap = ((angular >> 62) & 1) != 0
    return tl.where(swap, across, along), tl.where(swap, along, across)


@triton.jit
def _words(pointer, inside):  # type: ignore[no-untyped-def]
    return tl.load(pointer, mask=inside, other=0).to(tl.uint64, bitcast=True)


@triton.jit
def _fill_normals(words, deviations, out, count, half, total, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    place = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = place < total
    item, k = place // half, place % half
    radial = _words(words + item * 2 * half + k, inside)
    angular = _words(words + item * 2 * half + half + k, inside)
    deviation = tl.load(deviations + item, mask=inside, other=0.0)
    first, second = _normal_pair(radial, angular, deviation)
    tl.store(out + item * count + k, first, mask=inside)
    tl.store(out + item * count + half + k, second, mask=inside & (half + k < count))


@triton.jit
def _try_gamma(word, d, c, x):  # type: ignore[no-untyped-def]
    root = c * x + 1.0
    v = root * root * root
    u = _unit(word)
    square = x * x
    squeeze = 1.0 - square * float64(0.0331) * square
    exact = 0.5 * x * x + d - d * v + d * _log(tl.where(v > 0.0, v, 1.0))
    return d * v, (v > 0.0) & ((u < squeeze) | (_log(u) < exact))


@triton.jit
def gamma_of(words, d, c, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return a try at a Gamma number from four words, and whether it succeeded."""
    first, second = _normal_pair(words[0], words[1], tl.full((SIZE,), 1.0, tl.float64))
    value, good = _try_gamma(words[2], d, c, first)
    other, also_good = _try_gamma(words[3], d, c, second)
    return tl.where(good, value, other), good | also_good


@triton.jit
def _attempt_gammas(words, parameters, out, accepted, total, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    place = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = place < total
    own = words + 4 * place
    four = (_words(own, inside), _words(own + 1, inside), _words(own + 2, inside), _words(own + 3, inside))
    value, good = gamma_of(four, tl.load(parameters), tl.load(parameters + 1), SIZE)
    tl.store(out + place, value, mask=inside)
    tl.store(accepted + place, good.to(tl.int8), mask=inside)


@triton.jit
def _mixed_deviations(gammas, scale, out, total, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    place = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = place < total
    root = tl.sqrt(tl.load(gammas + place, mask=inside, other=0.0) * 2.0)
    tl.store(out + place, tl.load(scale) * root, mask=inside)


def mixed_deviations(gammas: Any, scale: float) -> Any:
    """Return scale sqrt(2 g), with a square root that is rounded correctly; that of torch need not be."""
    import torch

    out = torch.empty_like(gammas)
    if len(gammas):
        factor = torch.tensor([scale], dtype=torch.float64, device=gammas.device)
        with device_of(out):
            _mixed_deviations[(triton.cdiv(len(gammas), _SIZE),)](gammas, factor, out, len(gammas), SIZE=_SIZE)
    return out


def fill_normals(words: Any, deviations: Any, out: Any) -> None:
    """Write normal numbers into `out`, shape (items, count), from 2 ceil(count / 2) words of each item."""
    items, count = out.shape
    half = count - count // 2
    if items:
        grid = (triton.cdiv(items * half, _SIZE),)
        with device_of(out):
            _fill_normals[grid](words, deviations, out, count, half, items * half, SIZE=_SIZE, enable_fp_fusion=False)


def attempt_gammas(words: Any, shape: float) -> tuple[Any, Any]:
    """Return a try at a Gamma number of this shape, at least 1, from 4 words of each item, and whether it succeeded."""
    import torch

    out = torch.empty(len(words), dtype=torch.float64, device=words.device)
    accepted = torch.empty(len(words), dtype=torch.int8, device=words.device)
    if len(words):
        grid, parameters = (triton.cdiv(len(words), _SIZE),), gamma_parameters(shape, words.device)
        with device_of(out):
            _attempt_gammas[grid](words, parameters, out, accepted, len(words), SIZE=_SIZE, enable_fp_fusion=False)
    return out, accepted.bool()


def gamma_parameters(shape: float, device: Any) -> Any:
    """Return what a try at a Gamma number needs of the shape, on a device."""
    import torch

    d = shape - 1 / 3
    return torch.tensor([d, 1.0 / math.sqrt(9.0 * d)], dtype=torch.float64, device=device)
