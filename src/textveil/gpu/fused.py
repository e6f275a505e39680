"""Triton's version of `textveil.gpu.tiles`: 8-bit products of which only maxima or comparisons are written."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from textveil.gpu.tiles import BLOCK, WIDTH

_QUERIES = 256
# Blocks of points that a program goes through with the same queries.
_RUN = 16
_PAIRS = 64


@triton.jit
def _maxima(  # type: ignore[no-untyped-def]
    queries, query_scales, points, halves, scales, out, count, blocks,
    WIDTH: tl.constexpr, STEP: tl.constexpr, QUERIES: tl.constexpr, BLOCK: tl.constexpr, RUN: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    column, step = tl.arange(0, BLOCK), tl.arange(0, STEP)
    inside = row < count
    own = queries + row[:, None].to(tl.int64) * WIDTH + step[None, :]
    scale = tl.load(query_scales + row, mask=inside, other=0.0)
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
        scores = products.to(tl.float32) * factor[:, None] - tl.load(halves + place)[None, :]
        tl.store(out + block * count + row, tl.max(scores, axis=1), mask=inside)


def fused_maxima(queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any) -> Any:
    """Return the best score of each block for each query: shape (blocks, queries), float32."""
    import torch

    count, width = queries.shape
    out = torch.empty((len(scales), count), device=queries.device)
    if count:
        grid = (triton.cdiv(count, _QUERIES), triton.cdiv(len(scales), _RUN))
        _maxima[grid](
            queries, query_scales, points, halves, scales, out, count, len(scales),
            WIDTH=width, STEP=WIDTH, QUERIES=_QUERIES, BLOCK=BLOCK, RUN=_RUN, num_warps=8, num_stages=3,
        )  # fmt: skip
    return out


@triton.jit
def _above(  # type: ignore[no-untyped-def]
    queries, query_scales, points, halves, scales, thresholds, pair_queries, firsts, lasts, pair_blocks, out,
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
    least = tl.load(thresholds + pair, mask=inside, other=0.0)
    is_above = (scores >= least[:, None]) & (scores > float("-inf"))
    tl.store(out + pair[:, None] * BLOCK + column[None, :], is_above.to(tl.int8), mask=inside[:, None])


def fused_above(
    queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any, pairs: Any, thresholds: Any
) -> Any:
    """Return which scores of some pairs (block, query), in the order of the blocks, reach their threshold."""
    import torch

    block, query = pairs
    out = torch.empty((len(block), BLOCK), dtype=torch.int8, device=queries.device)
    # A program takes pairs of one block: it begins where the block changes, or after so many of them.
    counts = torch.bincount(block, minlength=len(scales))
    ends = counts.cumsum(0)
    programs = -(-counts // _PAIRS)
    own = torch.repeat_interleave(torch.arange(len(scales), device=block.device), programs)
    number = torch.arange(len(own), device=block.device) - (programs.cumsum(0) - programs)[own]
    firsts = (ends - counts)[own] + number * _PAIRS
    if len(own):
        _above[(len(own),)](
            queries, query_scales, points, halves, scales, thresholds, query.contiguous(), firsts, ends[own], own, out,
            WIDTH=queries.shape[1], STEP=WIDTH, PAIRS=_PAIRS, BLOCK=BLOCK,
        )  # fmt: skip
    return out.bool()
