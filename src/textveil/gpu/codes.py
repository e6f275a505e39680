"""Points and queries as 8-bit whole numbers on a device: `textveil.vocabulary.codes`, computed there."""

from __future__ import annotations

from typing import Any, NamedTuple

from textveil.gpu.tiles import BLOCK, WIDTH

LARGEST = 127
# Covers the rounding of norms and bounds, and that of scores in float32: 16 units of 2^-24.
SPARE = 1.0001
ROUNDING = 2.0**-20

_ROWS = 1 << 16


class PointCodes(NamedTuple):
    """A `textveil.vocabulary.codes.PointCodes` on the device, its codes filled up to a multiple of WIDTH."""

    rows: Any
    codes: Any
    halves: Any
    scales: Any
    bounds: Any


class QueryCodes(NamedTuple):
    """What the device needs of a `textveil.vocabulary.codes.QueryCodes`."""

    codes: Any
    scales: Any
    norms: Any
    errors: Any


def encode_points(points: Any, halves: Any) -> PointCodes:
    """Return the codes of a table; points whose half norm is infinite are left out."""
    import torch

    kept = halves.isfinite().nonzero()[:, 0]
    largest = points[kept].abs().amax(dim=1).double()
    order = torch.argsort(-largest, stable=True)
    count = -(-len(kept) // BLOCK) * BLOCK
    rows = torch.zeros(count, dtype=torch.int64, device=points.device)
    rows[: len(kept)] = kept[order]
    scales = (largest[order[::BLOCK]] / LARGEST).float()
    steps = scales.double().repeat_interleave(BLOCK)
    codes = torch.zeros((count, _width(points.shape[1])), dtype=torch.int8, device=points.device)
    norms, errors = torch.zeros((2, count), dtype=torch.float64, device=points.device)
    for start in range(0, len(kept), _ROWS):
        part = slice(start, min(start + _ROWS, len(kept)))
        norms[part], errors[part] = _encode(points[rows[part]].double(), steps[part], codes[part])
    singles = torch.full((count,), torch.inf, dtype=torch.float32, device=points.device)
    singles[: len(kept)] = halves[rows[: len(kept)]].float()
    norm, error = norms.reshape(-1, BLOCK).amax(dim=1), errors.reshape(-1, BLOCK).amax(dim=1)
    return PointCodes(rows, codes, singles, scales, torch.stack(bounds_of(norm, error), dim=1).float())


def bounds_of(norm: Any, error: Any) -> tuple[Any, Any, Any]:
    """Return what a score errs by for each unit of |t Q|, for each of |q - t Q|, and besides (docs/search.md, claim 1).

    Parameters
    ----------
    norm, error : the largest |x| and |x - s X| of each block
    """
    return SPARE * error + ROUNDING * (norm + error), SPARE * norm, ROUNDING * norm**2


def encode_queries(queries: Any) -> QueryCodes:
    """Return the codes of float64 queries with norms from 2^-60 to 2^60, or 0."""
    import torch

    scales = (queries.abs().amax(dim=1) / LARGEST).float()
    codes = torch.zeros((len(queries), _width(queries.shape[1])), dtype=torch.int8, device=queries.device)
    norms, errors = _encode(queries, scales.double(), codes)
    return QueryCodes(codes, scales, (norms + errors).float(), errors.float())


def _encode(vectors: Any, steps: Any, codes: Any) -> tuple[Any, Any]:
    """Write the codes of vectors, and return |x| and |x - s X| of each."""
    import torch

    steps = steps[:, None]
    whole = torch.where(steps > 0, vectors / steps, 0.0).round_().clamp_(-LARGEST, LARGEST)
    codes[:, : vectors.shape[1]] = whole.to(torch.int8)
    return vectors.norm(dim=1), (vectors - whole * steps).norm(dim=1)


def _width(dimension: int) -> int:
    return -(-dimension // WIDTH) * WIDTH
