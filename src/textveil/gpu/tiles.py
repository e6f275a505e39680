"""The best 8-bit score of each query in each block of points, without writing the scores: in torch, and in Triton.

The functions of this file that say `plain` are what the kernels must compute; they run on any device.
"""

from __future__ import annotations

from typing import Any

# Points of one block: those that share a scale.
BLOCK = 128
# Codes are filled up to a multiple of this many bytes, as matrix units want them.
WIDTH = 64

# Sums of products of codes below this are whole numbers that float32 holds.
_SINGLE = 2**24
_BLOCKS_AT_ONCE = 64
_PAIRS_AT_ONCE = 4096


def plain_maxima(queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any) -> Any:
    """Return the best score of each block for each query: shape (blocks, queries), float32."""
    import torch

    kind = _exact_kind(queries.shape[1])
    wide = queries.to(kind)
    out = torch.empty((len(scales), len(queries)), device=queries.device)
    for first in range(0, len(scales), _BLOCKS_AT_ONCE):
        blocks = slice(first, first + _BLOCKS_AT_ONCE)
        rows = slice(first * BLOCK, (first + _BLOCKS_AT_ONCE) * BLOCK)
        products = (wide @ points[rows].to(kind).T).float().reshape(len(queries), -1, BLOCK)
        factors = query_scales[:, None, None] * scales[None, blocks, None]
        out[blocks] = (products * factors - halves[rows].reshape(1, -1, BLOCK)).amax(dim=2).T
    return out


def plain_above(
    queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any, pairs: Any, thresholds: Any
) -> Any:
    """Return which points of some pairs (block, query) have a score of at least the threshold: shape (pairs, BLOCK)."""
    import torch

    kind = _exact_kind(queries.shape[1])
    block, query = pairs
    out = torch.empty((len(block), BLOCK), dtype=torch.bool, device=queries.device)
    table, halves_there = points.reshape(-1, BLOCK, points.shape[1]), halves.reshape(-1, BLOCK)
    for first in range(0, len(block), _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        products = torch.bmm(table[block[part]].to(kind), queries[query[part]].to(kind)[:, :, None])[:, :, 0].float()
        factors = query_scales[query[part]] * scales[block[part]]
        scores = products * factors[:, None] - halves_there[block[part]]
        out[part] = (scores >= thresholds[part, None]) & scores.isfinite()
    return out


def maxima(queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any) -> Any:
    """Return what `plain_maxima` does, by a fused kernel on CUDA."""
    if queries.device.type == "cuda":
        from textveil.gpu.fused import fused_maxima

        return fused_maxima(queries, query_scales, points, halves, scales)
    return plain_maxima(queries, query_scales, points, halves, scales)


def above(queries: Any, query_scales: Any, points: Any, halves: Any, scales: Any, pairs: Any, thresholds: Any) -> Any:
    """Return what `plain_above` does, by a kernel on CUDA."""
    if queries.device.type == "cuda":
        from textveil.gpu.fused import fused_above

        return fused_above(queries, query_scales, points, halves, scales, pairs, thresholds)
    return plain_above(queries, query_scales, points, halves, scales, pairs, thresholds)


def _exact_kind(width: int) -> Any:
    """The floats that add products of codes of this width without rounding."""
    import torch

    return torch.float32 if width * 127**2 < _SINGLE else torch.float64
