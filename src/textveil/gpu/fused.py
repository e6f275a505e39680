"""Triton's version of `textveil.gpu.tiles`: 8-bit products of which only maxima or comparisons are written."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from textveil.gpu.codes import PointCodes, QueryCodes
from textveil.gpu.devices import device_of
from textveil.gpu.tiles import BLOCK, WIDTH

_QUERIES = 128
# Blocks of points that a program goes through with the same queries.
_RUN = 16
_PAIRS = 64
# Pairs of a program that multiplies in float64, and how many of their numbers it takes at a time.
_ROWS_AT_ONCE = 8
_NUMBERS_AT_ONCE = 64


@triton.jit
def _error(bounds, block, norm, error):  # type: ignore[no-untyped-def]
    own = bounds + 3 * block
    return tl.load(own) * norm + tl.load(own + 1) * error + tl.load(own + 2)


@triton.jit
def _ends(  # type: ignore[no-untyped-def]
    queries, query_scales, norms, errors, points, halves, scales, bounds, lower, upper, count, blocks,
    WIDTH: tl.constexpr, STEP: tl.constexpr, QUERIES: tl.constexpr, BLOCK: tl.constexpr, RUN: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    column, step = tl.arange(0, BLOCK), tl.arange(0, STEP)
    inside = row < count
    own = queries + row[:, None].to(tl.int64) * WIDTH + step[None, :]
    scale = tl.load(query_scales + row, mask=inside, other=0.0)
    norm, error = tl.load(norms + row, mask=inside, other=0.0), tl.load(errors + row, mask=inside, other=0.0)
    for turn in range(RUN):
        # The last program goes over the last block again where it has none of its own: the same numbers are written.
        block = tl.minimum(tl.program_id(1) * RUN + turn, blocks - 1).to(tl.int64)
        place = block * BLOCK + column
        theirs = points + place[None, :] * WIDTH + step[:, None]
        products = tl.zeros((QUERIES, BLOCK), dtype=tl.int32)
        for k in range(0, WIDTH, STEP):
            a = tl.load(own + k, mask=inside[:, None], other=0)
            products = tl.dot(a, tl.load(theirs + k), products, out_dtype=tl.int32)
        factor = scale * tl.load(scales + block)
        best = tl.max(products.to(tl.float32) * factor[:, None] - tl.load(halves + place)[None, :], axis=1)
        off = _error(bounds, block, norm, error)
        tl.store(lower + block * count + row, best - off, mask=inside)
        tl.store(upper + block * count + row, best + off, mask=inside)


def fused_ends(queries: QueryCodes, points: PointCodes) -> tuple[Any, Any]:
    """Return v - E and v + E, v the best score of each block for each query: both (blocks, queries), float32."""
    import torch

    count, width = queries.codes.shape
    blocks = len(points.scales)
    lower, upper = torch.empty((2, blocks, count), dtype=torch.float32, device=queries.codes.device)
    if count:
        grid = (triton.cdiv(count, _QUERIES), triton.cdiv(blocks, _RUN))
        with device_of(lower):
            _ends[grid](
                *queries, points.codes, points.halves, points.scales, points.bounds, lower, upper, count, blocks,
                WIDTH=width, STEP=WIDTH, QUERIES=_QUERIES, BLOCK=BLOCK, RUN=_RUN, num_warps=4, num_stages=3,
            )  # fmt: skip
    return lower, upper


@triton.jit
def _above(  # type: ignore[no-untyped-def]
    queries, query_scales, norms, errors, points, halves, scales, bounds, least, pair_queries, firsts, lasts,
    pair_blocks, out,
    WIDTH: tl.constexpr, STEP: tl.constexpr, PAIRS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    pair = tl.load(firsts + program) + tl.arange(0, PAIRS)
    inside = pair < tl.load(lasts + program)
    block = tl.load(pair_blocks + program)
    row = tl.load(pair_queries + pair, mask=inside, other=0)
    column, step = tl.arange(0, BLOCK), tl.arange(0, STEP)
    place = block * BLOCK + column
    own = queries + row[:, None] * WIDTH + step[None, :]
    theirs = points + place[None, :] * WIDTH + step[:, None]
    products = tl.zeros((PAIRS, BLOCK), dtype=tl.int32)
    for k in range(0, WIDTH, STEP):
        products = tl.dot(tl.load(own + k), tl.load(theirs + k), products, out_dtype=tl.int32)
    factor = tl.load(query_scales + row) * tl.load(scales + block)
    scores = products.to(tl.float32) * factor[:, None] - tl.load(halves + place)[None, :]
    off = _error(bounds, block, tl.load(norms + row), tl.load(errors + row))
    is_above = (scores >= (tl.load(least + row) - off)[:, None]) & (scores > float("-inf"))
    tl.store(out + pair[:, None] * BLOCK + column[None, :], is_above.to(tl.int8), mask=inside[:, None])


def fused_above(queries: QueryCodes, points: PointCodes, pairs: Any, least: Any) -> Any:
    """Return which points of some pairs (block, query), in the order of the blocks, have v + E >= least."""
    import torch

    block, query = pairs
    out = torch.empty((len(block), BLOCK), dtype=torch.int8, device=block.device)
    # A program takes pairs of one block: it begins where the block changes, or after so many of them.
    counts = torch.bincount(block, minlength=len(points.scales))
    ends = counts.cumsum(0)
    programs = -(-counts // _PAIRS)
    own = torch.repeat_interleave(torch.arange(len(counts), device=block.device), programs)
    number = torch.arange(len(own), device=block.device) - (programs.cumsum(0) - programs)[own]
    firsts = (ends - counts)[own] + number * _PAIRS
    if len(own):
        with device_of(out):
            _above[(len(own),)](
                *queries, points.codes, points.halves, points.scales, points.bounds, least, query.contiguous(), firsts,
                ends[own], own, out,
                WIDTH=queries.codes.shape[1], STEP=WIDTH, PAIRS=_PAIRS, BLOCK=BLOCK,
            )  # fmt: skip
    return out.bool()


@triton.jit
def _products(queries, points, asked, rows, out, count, width, PAIRS: tl.constexpr, STEP: tl.constexpr):  # type: ignore[no-untyped-def]
    pair = tl.program_id(0).to(tl.int64) * PAIRS + tl.arange(0, PAIRS)
    inside = pair < count
    own = queries + tl.load(asked + pair, mask=inside, other=0)[:, None] * width
    theirs = points + tl.load(rows + pair, mask=inside, other=0)[:, None] * width
    sums = tl.zeros((PAIRS, STEP), dtype=tl.float64)
    for first in range(0, width, STEP):
        k = first + tl.arange(0, STEP)[None, :]
        is_one = inside[:, None] & (k < width)
        a, b = tl.load(own + k, mask=is_one, other=0.0), tl.load(theirs + k, mask=is_one, other=0.0)
        sums += a * b.to(tl.float64)
    tl.store(out + pair, tl.sum(sums, axis=1), mask=inside)


def fused_products(queries: Any, points: Any, asked: Any, rows: Any) -> Any:
    """Return the products of some pairs of a query and a point in float64."""
    import torch

    queries, points = queries.contiguous(), points.contiguous()
    out = torch.empty(len(asked), dtype=torch.float64, device=queries.device)
    if len(out):
        grid = (triton.cdiv(len(out), _ROWS_AT_ONCE),)
        sizes = (len(out), queries.shape[1])
        with device_of(out):
            _products[grid](queries, points, asked, rows, out, *sizes, PAIRS=_ROWS_AT_ONCE, STEP=_NUMBERS_AT_ONCE)
    return out
