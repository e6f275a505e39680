"""AES-256 on many counters at once, as Triton compiles it: the keystream of `textveil.randomness` on the device.

A column of the state is a 32-bit number, its first byte the lowest. One table holds what a byte gives to a column in
the round of SubBytes and MixColumns; the other bytes of a column give the same, rotated.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import triton
import triton.language as tl
from numpy.typing import NDArray

from textveil.gpu.devices import device_of, there

Table = NDArray[np.uint32]

ROUNDS = 14
_KEY_WORDS = 8
_POLYNOMIAL = 0x11B


def _double(value: int) -> int:
    return (value << 1) ^ (_POLYNOMIAL if value & 0x80 else 0)


def substitution() -> Table:
    """Return the S-box: the inverse in the field of 256 elements, then an affine map (FIPS 197, 5.1.1)."""
    powers = [1]
    for _ in range(254):
        powers.append(powers[-1] ^ _double(powers[-1]))
    places = {power: place for place, power in enumerate(powers)}
    box = np.empty(256, dtype=np.uint32)
    for value in range(256):
        inverse = powers[(255 - places[value]) % 255] if value else 0
        bits = inverse | inverse << 8
        box[value] = (inverse ^ bits >> 7 ^ bits >> 6 ^ bits >> 5 ^ bits >> 4) & 0xFF ^ 0x63
    return box


def round_table(box: Table) -> Table:
    """Return what the first byte of a column gives to it: 2 S, S, S, 3 S from the lowest byte up."""
    twice = np.array([_double(int(value)) for value in box], dtype=np.uint32)
    return (twice | box << 8 | box << 16 | (twice ^ box) << 24).astype(np.uint32)


def round_keys(key: bytes, box: Table) -> Table:
    """Return the 15 round keys of a 256-bit key, four columns each (FIPS 197, 5.2)."""
    words = list(np.frombuffer(key, dtype="<u4"))
    constant = 1
    for place in range(_KEY_WORDS, 4 * (ROUNDS + 1)):
        word = int(words[-1])
        if place % _KEY_WORDS == 0:
            word = word >> 8 | (word & 0xFF) << 24
        if place % 4 == 0:
            word = sum(int(box[word >> shift & 0xFF]) << shift for shift in (0, 8, 16, 24))
        if place % _KEY_WORDS == 0:
            word ^= constant
            constant = _double(constant)
        words.append(np.uint32(int(words[-_KEY_WORDS]) ^ word))
    return np.array(words, dtype=np.uint32)


@triton.jit
def _rotated(value, shift: tl.constexpr):  # type: ignore[no-untyped-def]
    return (value << shift) | (value >> (32 - shift))


@triton.jit
def _column(table, a, b, c, d):  # type: ignore[no-untyped-def]
    """SubBytes, ShiftRows and MixColumns for one column, out of the four that its bytes come from."""
    first = tl.load(table + (a & 0xFF))
    second = _rotated(tl.load(table + (b >> 8 & 0xFF)), 8)
    third = _rotated(tl.load(table + (c >> 16 & 0xFF)), 16)
    return first ^ second ^ third ^ _rotated(tl.load(table + (d >> 24)), 24)


@triton.jit
def _last_column(box, a, b, c, d):  # type: ignore[no-untyped-def]
    first = tl.load(box + (a & 0xFF)) | tl.load(box + (b >> 8 & 0xFF)) << 8
    return first | tl.load(box + (c >> 16 & 0xFF)) << 16 | tl.load(box + (d >> 24)) << 24


@triton.jit
def _encrypt(starts, used, blocks, total, keys, table, box, out, ROUNDS: tl.constexpr, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    place = tl.program_id(0).to(tl.int64) * SIZE + tl.arange(0, SIZE)
    inside = place < total
    item, block = place // blocks, place % blocks
    high = tl.load(starts + 2 * item, mask=inside, other=0).to(tl.uint64, bitcast=True)
    low = tl.load(starts + 2 * item + 1, mask=inside, other=0) + used + block
    low = low.to(tl.uint64, bitcast=True)
    a, b = high.to(tl.uint32) ^ tl.load(keys), (high >> 32).to(tl.uint32) ^ tl.load(keys + 1)
    c, d = low.to(tl.uint32) ^ tl.load(keys + 2), (low >> 32).to(tl.uint32) ^ tl.load(keys + 3)
    for step in range(1, ROUNDS):
        own = keys + 4 * step
        e = _column(table, a, b, c, d) ^ tl.load(own)
        f = _column(table, b, c, d, a) ^ tl.load(own + 1)
        g = _column(table, c, d, a, b) ^ tl.load(own + 2)
        h = _column(table, d, a, b, c) ^ tl.load(own + 3)
        a, b, c, d = e, f, g, h
    own = keys + 4 * ROUNDS
    e = _last_column(box, a, b, c, d) ^ tl.load(own)
    f = _last_column(box, b, c, d, a) ^ tl.load(own + 1)
    g = _last_column(box, c, d, a, b) ^ tl.load(own + 2)
    h = _last_column(box, d, a, b, c) ^ tl.load(own + 3)
    first = e.to(tl.uint64) | f.to(tl.uint64) << 32
    second = g.to(tl.uint64) | h.to(tl.uint64) << 32
    tl.store(out + 2 * place, first.to(tl.int64, bitcast=True), mask=inside)
    tl.store(out + 2 * place + 1, second.to(tl.int64, bitcast=True), mask=inside)


@cache
def _boxes(device: Any) -> tuple[Any, Any]:
    """The tables of all keys, on a device."""
    box = substitution()
    return there(round_table(box), device), there(box, device)


def round_keys_there(key: bytes, device: Any) -> Any:
    """Return the round keys of a 256-bit key, on a device."""
    return there(round_keys(key, substitution()), device)


def keystream(keys: Any, starts: Any, used: int, blocks: int) -> Any:
    """Return the next `blocks` blocks of every item as 64-bit numbers: shape (items, 2 blocks), int64.

    Parameters
    ----------
    keys : the round keys, on the device
    starts : shape (items, 2), int64, on the device
    used : blocks that are behind
    """
    import torch

    total = len(starts) * blocks
    out = torch.empty((len(starts), 2 * blocks), dtype=torch.int64, device=starts.device)
    size = 256
    if total:
        with device_of(out):
            _encrypt[(triton.cdiv(total, size),)](
                starts, used, blocks, total, keys, *_boxes(starts.device), out, ROUNDS=ROUNDS, SIZE=size
            )
    return out
