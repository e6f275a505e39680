"""The two passes of `textveil.gpu.pairs` over a strip of distances, as Triton compiles them: all rates in one reading.

A program takes one row of the strip, so that what belongs to a rate stays in its registers. It adds up the sums of
parts, so that there are few roundings in a row (docs/mechanisms/exponential.md, claim 8).
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from textveil.gpu.devices import device_of

_STEP = 128
_PART = 64 * _STEP


@triton.jit
def _sums(  # type: ignore[no-untyped-def]
    distances, rates, weights, out, width, count, COUNT: tl.constexpr, STEP: tl.constexpr, PART: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    k, step = tl.arange(0, COUNT), tl.arange(0, STEP)
    rate = tl.load(rates + k, mask=k < count, other=0.0)
    total = tl.zeros((COUNT,), dtype=tl.float64)
    for start in range(0, width, PART):
        sums = tl.zeros((COUNT, STEP), dtype=tl.float64)
        for first in range(start, tl.minimum(start + PART, width), STEP):
            inside = first + step < width
            apart = tl.load(distances + row * width + first + step, mask=inside, other=0.0)
            weight = tl.load(weights + first + step, mask=inside, other=0.0)
            sums += tl.exp(-rate[:, None] * apart[None, :]) * weight[None, :]
        total += tl.sum(sums, axis=1)
    tl.store(out + row * count + k, total, mask=k < count)


def fused_sums(distances: Any, rates: Any, weights: Any) -> Any:
    """Return the sum over each row of weight exp(-rate d), for every rate: shape (rows, rates)."""
    import torch

    distances = distances.contiguous()
    height, width = distances.shape
    out = torch.empty((height, len(rates)), dtype=torch.float64, device=distances.device)
    if height:
        many = triton.next_power_of_2(len(rates))
        with device_of(out):
            _sums[(height,)](distances, rates, weights, out, width, len(rates), COUNT=many, STEP=_STEP, PART=_PART)
    return out


@triton.jit
def _slopes(  # type: ignore[no-untyped-def]
    distances, values, slack, best, where, sound, top, width, words, count, COUNT: tl.constexpr, STEP: tl.constexpr
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    k, step = tl.arange(0, COUNT), tl.arange(0, STEP)
    asked = k < count
    own = tl.load(values + k * words + top + row, mask=asked, other=0.0)
    more = tl.load(slack)
    highest = tl.zeros((COUNT, STEP), dtype=tl.float64)
    place = tl.zeros((COUNT, STEP), dtype=tl.int32)
    faults = tl.zeros((COUNT, STEP), dtype=tl.int32)
    for first in range(0, width, STEP):
        column = first + step
        inside = column < width
        apart = tl.load(distances + row * width + column, mask=inside, other=0.0)
        inverse = 1.0 / tl.where(apart == 0.0, float("inf"), apart)
        theirs = tl.load(
            values + k[:, None] * words + column[None, :], mask=asked[:, None] & inside[None, :], other=0.0
        )
        slope = (tl.abs(own[:, None] - theirs) + more) * inverse[None, :]
        # NaN is below nothing.
        faults += (slope < float("inf")).to(tl.int32) ^ 1
        place = tl.where(slope > highest, column[None, :], place)
        highest = tl.maximum(slope, highest)
    steepest = tl.max(highest, axis=1)
    is_first = tl.where(highest == steepest[:, None], place, width)
    tl.store(best + row * count + k, steepest, mask=asked)
    tl.store(where + row * count + k, tl.min(is_first, axis=1), mask=asked)
    tl.store(sound + row, tl.sum(tl.sum(faults, axis=1), axis=0) == 0)


def fused_slopes(distances: Any, values: Any, slack: float, top: int) -> tuple[Any, Any, Any]:
    """Return the largest (|v(x) - v(y)| + slack) / d of each row, its column, and whether all of them are finite.

    Parameters
    ----------
    distances : of the words from `top` on, to the words from the first on
    values : a row for each function, of all words

    Returns
    -------
    best, columns : shape (rows, functions)
    sound : shape (rows,)
    """
    import torch

    distances, values = distances.contiguous(), values.contiguous()
    height, width = distances.shape
    count, words = values.shape
    best = torch.empty((height, count), dtype=torch.float64, device=distances.device)
    where = torch.empty((height, count), dtype=torch.int32, device=distances.device)
    sound = torch.empty(height, dtype=torch.bool, device=distances.device)
    more = torch.tensor([slack], dtype=torch.float64, device=distances.device)
    if height:
        many = triton.next_power_of_2(count)
        sizes = (top, width, words, count)
        with device_of(best):
            _slopes[(height,)](distances, values, more, best, where, sound, *sizes, COUNT=many, STEP=_STEP)
    return best, where, sound
