"""ChaCha8 as Triton compiles it: the blocks of `textveil.noise.chacha`, and normal numbers straight from them.

Random bits, normal numbers and their place in the result are one kernel, which reads the deviation of each item and
writes each number once. The normal numbers are those of `textveil.noise.transforms` but for their last bits: quotients
and roots are not rounded correctly, and polynomials are shorter (docs/mechanisms/laplace.md, Claim 9).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import triton
import triton.language as tl

from textveil.gpu.devices import device_of
from textveil.gpu.normals import float64, fma, gamma_of, gamma_parameters
from textveil.noise.chacha import CONSTANTS, HALF, ROUNDS

# Fastest on an H200, by little.
_SIZE = 128
_WARPS = 2
_REGISTERS = 168
# Blocks of one launch: their numbers have 32 bits.
_MOST_BLOCKS = 1 << 30
# Triton's interpreter has no instructions of a GPU.
_INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
# Polynomials in the square of the argument, the highest power first: 4 artanh(s) / s up to s = 0.17158, sin(x) / x
# and cos(x) up to pi / 4, within 2^-52. The first two coefficients have 20 bits, which fit into an instruction.
_TERMS = tl.constexpr(7)
_LOG = tl.constexpr(
    (
        0.33638668060302734, 0.362473726272583, 0.44446740437407867, 0.5714283430437327, 0.8000000010424514,
        1.333333333331751, 4.0,
    )
)  # fmt: skip
_SINE = tl.constexpr(
    (
        1.5896228777734223e-10, -2.505075258341094e-08, 2.755731369316827e-06, -0.00019841269829963418,
        0.00833333333332291, -0.16666666666666635, 1.0,
    )
)  # fmt: skip
_COSINE = tl.constexpr(
    (
        2.0630643859931297e-09, -2.755523382802494e-07, 2.4801578516655982e-05, -0.0013888888869921143,
        0.04166666666647668, -0.499999999999994, 1.0,
    )
)  # fmt: skip
_PAIRS = tl.constexpr(HALF)
_CONSTANTS = tl.constexpr(CONSTANTS)
_KEY = ("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7")


@triton.jit
def _rotated(value, shift: tl.constexpr):  # type: ignore[no-untyped-def]
    return (value << shift) | (value >> (32 - shift))


@triton.jit
def _quarter_round(a, b, c, d):  # type: ignore[no-untyped-def]
    a += b
    d = _rotated(d ^ a, 16)
    c += d
    b = _rotated(b ^ c, 12)
    a += b
    d = _rotated(d ^ a, 8)
    c += d
    b = _rotated(b ^ c, 7)
    return a, b, c, d


@triton.jit
def _bits(number):  # type: ignore[no-untyped-def]
    return number.to(tl.uint32, bitcast=True)


@triton.jit
def _block(k0, k1, k2, k3, k4, k5, k6, k7, n0, n1, n2, n3, ROUNDS: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return the 16 numbers of the block of (n0, n1, n2, n3)."""
    k0, k1, k2, k3 = _bits(k0), _bits(k1), _bits(k2), _bits(k3)
    k4, k5, k6, k7 = _bits(k4), _bits(k5), _bits(k6), _bits(k7)
    c0, c1 = tl.full((), _CONSTANTS[0], tl.uint32), tl.full((), _CONSTANTS[1], tl.uint32)
    c2, c3 = tl.full((), _CONSTANTS[2], tl.uint32), tl.full((), _CONSTANTS[3], tl.uint32)
    a0, a1, a2, a3, b0, b1, b2, b3 = c0, c1, c2, c3, k0, k1, k2, k3
    e0, e1, e2, e3, d0, d1, d2, d3 = k4, k5, k6, k7, n0, n1, n2, n3
    for _ in tl.static_range(ROUNDS // 2):
        a0, b0, e0, d0 = _quarter_round(a0, b0, e0, d0)
        a1, b1, e1, d1 = _quarter_round(a1, b1, e1, d1)
        a2, b2, e2, d2 = _quarter_round(a2, b2, e2, d2)
        a3, b3, e3, d3 = _quarter_round(a3, b3, e3, d3)
        a0, b1, e2, d3 = _quarter_round(a0, b1, e2, d3)
        a1, b2, e3, d0 = _quarter_round(a1, b2, e3, d0)
        a2, b3, e0, d1 = _quarter_round(a2, b3, e0, d1)
        a3, b0, e1, d2 = _quarter_round(a3, b0, e1, d2)
    first = (a0 + c0, a1 + c1, a2 + c2, a3 + c3, b0 + k0, b1 + k1, b2 + k2, b3 + k3)
    return first, (e0 + k4, e1 + k5, e2 + k6, e3 + k7, d0 + n0, d1 + n1, d2 + n2, d3 + n3)


@triton.jit
def _word(low, high):  # type: ignore[no-untyped-def]
    return low.to(tl.uint64) | high.to(tl.uint64) << 32


@triton.jit
def _low(number):  # type: ignore[no-untyped-def]
    return number.to(tl.uint32)


@triton.jit
def _high(number):  # type: ignore[no-untyped-def]
    return (number.to(tl.uint64, bitcast=True) >> 32).to(tl.uint32)


@triton.jit
def _float(low, high):  # type: ignore[no-untyped-def]
    return _word(low, high).to(tl.float64, bitcast=True)


@triton.jit
def _pair(first, second, PAIR: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return the words of a pair of normal numbers, as 32-bit halves; the fifth is made of what the others leave."""
    if PAIR < 4:
        r0, r1, a0, a1 = first[2 * PAIR], first[2 * PAIR + 1], second[2 * PAIR], second[2 * PAIR + 1]
    else:
        r0 = (first[1] & 0xFFF00000) | (first[3] >> 12 & 0xFFF00) | (second[1] >> 16 & 0xFF)
        r1 = (first[5] >> 12 & 0xFFF00) | (second[3] >> 16 & 0xFF)
        a0 = (first[7] & 0xFFF00000) | (second[5] >> 10 & 0xFFFC0) | (second[1] >> 24 & 0x3F)
        a1 = (second[3] << 4 & 0xC0000000) | (second[7] >> 14 & 0xFFFC) | (second[3] >> 24 & 0x3)
    return r0, r1, a0, a1


@triton.jit(do_not_specialize=[*_KEY, "first_row", "used"])
def _fill_deviations(  # type: ignore[no-untyped-def]
    out, parameters, scale, k0, k1, k2, k3, k4, k5, k6, k7, first_row, used, total,
    ROUNDS: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    row, number, left = place + first_row, place * 0 + used, place < total
    gamma = tl.full((SIZE,), 1.0, tl.float64)
    tries = 0
    # Most succeed at once; a device on which some never do must come to an end.
    while (tl.max(left.to(tl.int32), axis=0) > 0) & (tries < 64):
        block = _block(k0, k1, k2, k3, k4, k5, k6, k7, _low(row), _high(row), _low(number), _high(number), ROUNDS)
        r0, r1, a0, a1 = _pair(block[0], block[1], 0)
        s0, s1, b0, b1 = _pair(block[0], block[1], 1)
        words = (_first_word(r0, r1), _first_word(s0, s1), _second_word(a0, a1), _second_word(b0, b1))
        value, good = gamma_of(words, tl.load(parameters), tl.load(parameters + 1), SIZE)
        gamma = tl.where(left, value, gamma)
        left = left & (good == 0)
        number += 1
        tries += 1
    gamma = tl.where(left, float("nan"), gamma)
    tl.store(out + place, tl.load(scale) * tl.sqrt(gamma * 2.0), mask=place < total)


@triton.jit
def _first_word(low, high):  # type: ignore[no-untyped-def]
    return _word(low, high) << 12


@triton.jit
def _second_word(low, high):  # type: ignore[no-untyped-def]
    return (_word(low, high) & 0xC000000000000000) | _word(low, high & 0xFFFF) << 14 | 0x2000


@triton.jit
def _about_minus_one_over(x, EXACT: tl.constexpr):  # type: ignore[no-untyped-def]
    """-1 / x to some 20 bits."""
    if EXACT:
        found = -1.0 / x
    else:
        code: tl.constexpr = "rcp.approx.ftz.f64 $0, $1; neg.f64 $0, $0;"
        found = tl.inline_asm_elementwise(code, "=d,d", [x], tl.float64, True, 1)
    return found


@triton.jit
def _about_one_over_root(x, EXACT: tl.constexpr):  # type: ignore[no-untyped-def]
    """1 / sqrt(x) to some 20 bits."""
    if EXACT:
        found = 1.0 / tl.sqrt(x)
    else:
        found = tl.inline_asm_elementwise("rsqrt.approx.ftz.f64 $0, $1;", "=d,d", [x], tl.float64, True, 1)
    return found


@triton.jit
def _polynomial(z, COEFFICIENTS: tl.constexpr):  # type: ignore[no-untyped-def]
    p = float64(COEFFICIENTS[0])
    for place in tl.static_range(1, _TERMS):
        p = fma(z, p, float64(COEFFICIENTS[place]))
    return p


@triton.jit
def _minus_two_logs(low, high, EXACT: tl.constexpr):  # type: ignore[no-untyped-def]
    """-2 ln u for the uniform number u of a word: by its exponent, and as 2 artanh(f / (2 + f)) for the rest 1 + f."""
    u = _float(low, (high & 0xFFFFF) | 0x3FF00000) - float64(1.0 - 2.0**-53)
    bits = u.to(tl.uint64, bitcast=True)
    top = (bits >> 32).to(tl.uint32)
    # The exponent, in the upper 12 bits, is one more from 1 / sqrt(2) on.
    exponent = (top + 0x95F64) & 0xFFF00000
    rest = _float(_low(bits), top - exponent + 0x3FF00000)
    twos = _float(exponent, tl.full((1,), 0x43300000, tl.uint32)) - float64(2.0**52 + 1023 * 2.0**20)
    f, around = rest - 1.0, rest + 1.0
    inverse = _about_minus_one_over(around, EXACT)
    error = fma(around, inverse, float64(1.0))
    minus_s = f * fma(inverse, fma(error, error, error), inverse)
    return fma(minus_s, _polynomial(minus_s * minus_s, _LOG), twos * float64(-(2.0**-19) * 6.931471805599453094e-01))


@triton.jit
def _root(x, EXACT: tl.constexpr):  # type: ignore[no-untyped-def]
    inverse = _about_one_over_root(x, EXACT)
    root = x * inverse
    error = fma(root, inverse, float64(-1.0))
    return fma(root, fma(error, float64(0.375), float64(-0.5)) * error, root)


@triton.jit
def _normal_pair(r0, r1, a0, a1, deviation, EXACT: tl.constexpr):  # type: ignore[no-untyped-def]
    """Two normal numbers; the highest bit of the second word is their sign, the next says which is the sine."""
    sign = (a1 & 0x80000000).to(tl.uint64) << 32
    signed = (deviation.to(tl.uint64, bitcast=True) ^ sign).to(tl.float64, bitcast=True)
    radius = signed * _root(_minus_two_logs(r0, r1, EXACT), EXACT)
    # A quarter of a turn, from the lower 48 bits.
    t = _float(a0, (a1 & 0xFFFF) | 0x3FF00000) - float64(1.0 + 2.0**-5)
    x = fma(t, float64(16 * 1.5707963267948966), float64(8.5 * 2.0**-52 * 1.5707963267948966))
    z = x * x
    sine, cosine = x * _polynomial(z, _SINE), _polynomial(z, _COSINE)
    swap = (a1 & 0x40000000) != 0
    return radius * tl.where(swap, sine, cosine), radius * tl.where(swap, cosine, sine)


@triton.jit(do_not_specialize=[*_KEY, "row_low", "row_high", "used_low", "used_high"])
def _fill_normals(  # type: ignore[no-untyped-def]
    out, deviations, k0, k1, k2, k3, k4, k5, k6, k7, row_low, row_high, used_low, used_high, total,
    COUNT: tl.constexpr, BLOCKS: tl.constexpr, ROUNDS: tl.constexpr, EXACT: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = place < total
    item = place // BLOCKS
    block = place - item * BLOCKS
    first, second = _block(
        k0, k1, k2, k3, k4, k5, k6, k7,
        _bits(row_low) + _bits(item), _bits(row_high), _bits(used_low) + _bits(block), _bits(used_high), ROUNDS,
    )  # fmt: skip
    deviation = tl.load(deviations + item, mask=inside, other=1.0)
    # One number a thread and store: wider ones would have to be put together in shared memory first.
    here = out + item.to(tl.int64) * COUNT + tl.max_contiguous(block, 1)
    half: tl.constexpr = COUNT - COUNT // 2
    for pair in tl.static_range(_PAIRS):
        r0, r1, a0, a1 = _pair(first, second, pair)
        one, other = _normal_pair(r0, r1, a0, a1, deviation, EXACT)
        is_one, is_other = inside, inside
        if (pair + 1) * BLOCKS > COUNT // 2:
            is_one = inside & (block + pair * BLOCKS < half)
            is_other = inside & (block + pair * BLOCKS < COUNT // 2)
        tl.store(here + pair * BLOCKS, one, mask=is_one)
        tl.store(here + (half + pair * BLOCKS), other, mask=is_other)


def mixed_deviations(key: bytes, first_row: int, used: int, shape: float, scale: float, out: Any) -> None:
    """Write scale sqrt(2 g) into `out`, with a Gamma number g of this shape, at least 1, for each row.

    Parameters
    ----------
    key : 256 bits
    first_row : that of the first item
    used : blocks of each row that are behind
    shape : of the law of g
    scale : of the result
    out : float64, in one piece
    """
    import torch

    if not len(out):
        return
    factor = torch.tensor([scale], dtype=torch.float64, device=out.device)
    with device_of(out):
        _fill_deviations[(triton.cdiv(len(out), _SIZE),)](
            out, gamma_parameters(shape, out.device), factor, *_numbers(key), first_row, used, len(out),
            ROUNDS=ROUNDS, SIZE=_SIZE, enable_fp_fusion=False,
        )  # fmt: skip


def fill_normals(key: bytes, first_row: int, used: int, deviations: Any, out: Any) -> None:
    """Write normal numbers into `out`, shape (items, count), from the blocks of as many rows.

    Parameters
    ----------
    key : 256 bits
    first_row : that of the first item
    used : blocks of each row that are behind
    deviations : the standard deviation of each item, float64
    out : float64, in one piece
    """
    items, count = out.shape
    blocks = -(-(count - count // 2) // HALF)
    if used % 2**32 + blocks > 2**32:
        raise ValueError("the numbers of the blocks of an item must have the same upper half")
    at_once = max(1, _MOST_BLOCKS // blocks)
    start = 0
    while start < items:
        row = first_row + start
        # The upper halves of rows are the same in a launch.
        stop = min(items, start + at_once, start + 2**32 - row % 2**32)
        total = (stop - start) * blocks
        with device_of(out):
            _fill_normals[(triton.cdiv(total, _SIZE),)](
                out[start:stop], deviations[start:stop], *_numbers(key), *_numbers(row.to_bytes(8, "little")),
                *_numbers(used.to_bytes(8, "little")), total, COUNT=count, BLOCKS=blocks, ROUNDS=ROUNDS,
                EXACT=_INTERPRETED, SIZE=_SIZE, num_warps=_WARPS, maxnreg=_REGISTERS, enable_fp_fusion=False,
            )  # fmt: skip
        start = stop


def _numbers(data: bytes) -> list[int]:
    """Return bytes as numbers of 32 bits with a sign, which Triton takes for one kind whatever they are."""
    found: list[int] = np.frombuffer(data, dtype="<i4").tolist()
    return found
