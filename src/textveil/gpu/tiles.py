"""The best 8-bit score v of each query in each block of points, and the bound E on its error.

All scores are never written.

The functions of this file that say `plain` are what the kernels must compute; they run on any device. They multiply
codes in float64, which holds the sums exactly and which no setting of torch makes shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textveil.gpu.codes import PointCodes, QueryCodes

# Points of one block: those that share a scale and a bound.
BLOCK = 128
# Codes are filled up to a multiple of this many bytes, as matrix units want them.
WIDTH = 64

# Products held at one time.
_PRODUCTS = 1 << 25
_PAIRS_AT_ONCE = 4096


def plain_ends(queries: QueryCodes, points: PointCodes) -> tuple[Any, Any]:
    """Return v - E and v + E, v the best score of each block for each query: both (blocks, queries), float32."""
    import torch

    wide = queries.codes.double()
    best = torch.empty((len(points.scales), len(wide)), dtype=torch.float32, device=wide.device)
    at_once = max(1, _PRODUCTS // (BLOCK * max(1, len(wide))))
    for first in range(0, len(best), at_once):
        blocks = slice(first, first + at_once)
        rows = slice(first * BLOCK, (first + at_once) * BLOCK)
        products = (wide @ points.codes[rows].double().T).float().reshape(len(wide), -1, BLOCK)
        factors = queries.scales[:, None, None] * points.scales[None, blocks, None]
        best[blocks] = (products * factors - points.halves[rows].reshape(1, -1, BLOCK)).amax(dim=2).T
    for_codes, for_rest, besides = points.bounds.T[:, :, None]
    error = for_codes * queries.norms + for_rest * queries.errors + besides
    return best - error, best + error


def plain_above(queries: QueryCodes, points: PointCodes, pairs: Any, least: Any) -> Any:
    """Return which points of some pairs (block, query) have v + E >= least of the query: shape (pairs, BLOCK)."""
    import torch

    block, query = pairs
    out = torch.empty((len(block), BLOCK), dtype=torch.bool, device=block.device)
    table, halves = points.codes.reshape(-1, BLOCK, points.codes.shape[1]), points.halves.reshape(-1, BLOCK)
    for first in range(0, len(block), _PAIRS_AT_ONCE):
        own, asked = block[first : first + _PAIRS_AT_ONCE], query[first : first + _PAIRS_AT_ONCE]
        products = torch.bmm(table[own].double(), queries.codes[asked].double()[:, :, None])[:, :, 0].float()
        scores = products * (queries.scales[asked] * points.scales[own])[:, None] - halves[own]
        for_codes, for_rest, besides = points.bounds[own].T
        error = for_codes * queries.norms[asked] + for_rest * queries.errors[asked] + besides
        out[first : first + _PAIRS_AT_ONCE] = (scores >= (least[asked] - error)[:, None]) & scores.isfinite()
    return out


def ends(queries: QueryCodes, points: PointCodes) -> tuple[Any, Any]:
    """Return what `plain_ends` does, by a fused kernel on CUDA."""
    if queries.codes.device.type == "cuda":
        from textveil.gpu.fused import fused_ends

        return fused_ends(queries, points)
    return plain_ends(queries, points)


def above(queries: QueryCodes, points: PointCodes, pairs: Any, least: Any) -> Any:
    """Return what `plain_above` does, by a kernel on CUDA."""
    if queries.codes.device.type == "cuda":
        from textveil.gpu.fused import fused_above

        return fused_above(queries, points, pairs, least)
    return plain_above(queries, points, pairs, least)
