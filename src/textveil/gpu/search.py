"""Exact nearest points on a device, by the certified short lists of docs/search.md.

The best 8-bit score of each block of points, with the bound on its error, says which blocks may hold one of the k
nearest; the scores of those blocks say which points; float64 decides among them. What float64 can't tell apart is left
to the caller, who has integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.gpu.tiles import BLOCK, WIDTH, above, maxima

_QUERIES = 16_384
# Pairs of a query and a block whose scores are written at one time.
_MOST_PAIRS = 1 << 21
_CANDIDATES = 1 << 18
LARGEST_CODE = 127


class Coded(NamedTuple):
    """Queries as whole numbers, with |t Q| and |q - t Q|: `textveil.vocabulary.codes.QueryCodes` on the device."""

    codes: Any
    scales: Any
    norms: Any
    errors: Any


class Candidates(NamedTuple):
    """Pairs of a query and a row of the table, in the order of the queries, that may be an answer."""

    queries: Any
    rows: Any


class DeviceTable:
    """A table of points on a device, with their 8-bit codes.

    Parameters
    ----------
    points : lattice points, float32 or float64
    halves : |x|^2 / 2 of each in float64; infinite for a point that must never be an answer
    codes : a `textveil.vocabulary.codes.PointCodes` of both
    device : of torch
    """

    def __init__(self, points: NDArray[Any], halves: NDArray[np.float64], codes: Any, device: Any) -> None:
        import torch

        def there(array: NDArray[Any]) -> Any:
            return torch.from_numpy(np.array(array)).to(device)

        self.device = device
        self._points, self._halves = there(points), there(halves)
        self._rows, self._code_halves = there(codes.rows), there(codes.halves)
        self._scales, self._bounds = there(codes.scales), there(codes.bounds)
        width = -(-codes.codes.shape[1] // WIDTH) * WIDTH
        self._codes = torch.zeros((len(codes.codes), width), dtype=torch.int8, device=device)
        self._codes[:, : codes.codes.shape[1]] = there(codes.codes)

    def nearest(self, queries: Any) -> tuple[Any, Any]:
        """Return the best row of each query by float64, the lowest among equals, and its margin over the next.

        The margin is in the score q.x - |x|^2 / 2; it is infinite if no other point can be the nearest.
        """
        import torch

        answers = torch.empty(len(queries), dtype=torch.int64, device=self.device)
        margins = torch.empty(len(queries), dtype=torch.float64, device=self.device)
        for start in range(0, len(queries), _QUERIES):
            block = slice(start, start + _QUERIES)
            found = self.candidates(queries[block], 1)
            scores = self.scores(queries[block], found)
            answers[block], margins[block] = _best(found, scores, len(answers[block]))
        return answers, margins

    def candidates(self, queries: Any, k: int) -> Candidates:
        """Return all rows that may be among the k nearest of each query."""
        import torch

        coded = self._coded(queries)
        best = maxima(coded.codes, coded.scales, self._codes, self._code_halves, self._scales)
        error = (
            self._bounds[:, 0, None] * coded.norms + self._bounds[:, 1, None] * coded.errors + self._bounds[:, 2, None]
        )
        # The best points of k blocks are k points: the k-th of their lower ends is one of the k-th nearest.
        lower = best - error
        if k > len(lower):
            least = torch.full_like(lower[0], -torch.inf)
        else:
            least = lower.amax(dim=0) if k == 1 else lower.topk(k, dim=0).values[-1]
        pairs = (best + error >= least).nonzero()
        parts = [self._within(coded, pairs[at : at + _MOST_PAIRS], least) for at in range(0, len(pairs), _MOST_PAIRS)]
        asked, rows = (torch.cat(column) for column in zip(*parts, strict=True))
        order = torch.argsort(asked, stable=True)
        return Candidates(asked[order], rows[order])

    def scores(self, queries: Any, found: Candidates) -> Any:
        """Return q.x - |x|^2 / 2 of candidates in float64."""
        return self._over(found, lambda q, x: (queries[q] * self._points[x]).sum(dim=1) - self._halves[x])

    def squares(self, queries: Any, found: Candidates) -> Any:
        """Return |q - x|^2 of candidates, by differences in float64."""
        return self._over(found, lambda q, x: ((queries[q] - self._points[x].double()) ** 2).sum(dim=1))

    def _over(self, found: Candidates, work: Any) -> Any:
        import torch

        out = torch.empty(len(found.rows), dtype=torch.float64, device=self.device)
        for start in range(0, len(out), _CANDIDATES):
            part = slice(start, start + _CANDIDATES)
            out[part] = work(found.queries[part], found.rows[part])
        return out

    def _within(self, coded: Coded, pairs: Any, least: Any) -> tuple[Any, Any]:
        """Return the queries and the rows of those points of some blocks that may be an answer."""
        block, query = pairs.T
        table = (self._codes, self._code_halves, self._scales)
        bounds = self._bounds[block]
        error = bounds[:, 0] * coded.norms[query] + bounds[:, 1] * coded.errors[query] + bounds[:, 2]
        found = above(coded.codes, coded.scales, *table, (block, query), least[query] - error)
        pair, column = found.nonzero().T
        return query[pair], self._rows[block[pair] * BLOCK + column]

    def _coded(self, queries: Any) -> Coded:
        import torch

        scales = (queries.abs().amax(dim=1) / LARGEST_CODE).float()
        steps = scales.double()[:, None]
        whole = torch.where(steps > 0, queries / steps, 0.0).round().clamp(-LARGEST_CODE, LARGEST_CODE)
        errors = (queries - whole * steps).norm(dim=1)
        codes = torch.zeros((len(queries), self._codes.shape[1]), dtype=torch.int8, device=self.device)
        codes[:, : queries.shape[1]] = whole.to(torch.int8)
        return Coded(codes, scales, (queries.norm(dim=1) + errors).float(), errors.float())


def _best(found: Candidates, scores: Any, count: int) -> tuple[Any, Any]:
    """Return the candidate with the highest score of each query, the lowest row among equals, and its margin."""
    import torch

    lowest = torch.full((count,), -torch.inf, dtype=torch.float64, device=scores.device)
    best = lowest.scatter_reduce(0, found.queries, scores, "amax")
    is_best = scores == best[found.queries]
    nobody = torch.iinfo(torch.int64).max
    rows = torch.full((count,), nobody, device=scores.device)
    answers = rows.scatter_reduce(0, found.queries[is_best], found.rows[is_best], "amin")
    others = torch.where(found.rows == answers[found.queries], -torch.inf, scores)
    return answers, best - lowest.scatter_reduce(0, found.queries, others, "amax")
