"""Exact nearest points on a device, by the certified short lists of docs/search.md.

The best 8-bit score of each block of points, with the bound on its error, says which blocks may hold one of the k
nearest; the scores of those blocks say which points; float64 decides among them. What float64 can't tell apart is left
to the caller, who has integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.gpu.codes import encode_points, encode_queries
from textveil.gpu.devices import finish, there
from textveil.gpu.tiles import BLOCK, above, ends
from textveil.spaces.euclidean import EXACT_NORM, EXACT_STEP

_QUERIES = 32_768
# Pairs of a query and a block that are looked at together, and of these whose scores are written.
_MOST_ENDS = 1 << 27
_MOST_PAIRS = 1 << 20
_CANDIDATES = 1 << 18


class Candidates(NamedTuple):
    """Pairs of a query and a row of the table, in the order of the queries, that may be an answer."""

    queries: Any
    rows: Any


class DeviceTable:
    """A table of points on a device, with their 8-bit codes.

    Parameters
    ----------
    points : lattice points, float32 or float64
    device : of torch
    halves : |x|^2 / 2 of each in float64, infinite for a point that must never be an answer; computed if left out
    """

    def __init__(self, points: NDArray[Any], device: Any, halves: NDArray[np.float64] | None = None) -> None:
        self.device = device
        self._points = there(points, device)
        if halves is None:
            self._halves = self._points.double().square().sum(dim=1) / 2
        else:
            self._halves = there(halves, device)
        self._codes = encode_points(self._points, self._halves)
        finish(device)

    def __len__(self) -> int:
        return len(self._points)

    @property
    def is_exact(self) -> bool:
        """Whether squared distances of these points have no rounding error: `textveil.spaces.Euclidean.is_exact`."""
        steps = self._points.double() * EXACT_STEP
        # Written so that NaN fails too.
        return bool((steps == steps.round()).all() & (2 * self._halves < EXACT_NORM).all())

    def points(self, rows: NDArray[np.int64] | slice) -> Any:
        """Return some points in float64."""
        return self._points[rows if isinstance(rows, slice) else there(rows, self.device)].double()

    def nearest(self, queries: Any) -> tuple[Any, Any]:
        """Return the best row of each query by float64, the lowest among equals, and its margin over the next.

        The margin is in the score q.x - |x|^2 / 2; it is infinite if no other point can be the nearest.
        """
        import torch

        answers = torch.empty(len(queries), dtype=torch.int64, device=self.device)
        margins = torch.empty(len(queries), dtype=torch.float64, device=self.device)
        for part, found in self.candidates(queries, 1):
            scores = self.scores(queries[part], found)
            answers[part], margins[part] = _best(found, scores, part.stop - part.start)
        return answers, margins

    def candidates(self, queries: Any, k: int) -> Iterator[tuple[slice, Candidates]]:
        """Yield the queries part by part, each with all rows that may be among the k nearest of its queries.

        Candidates are numbered from the first query of their part.
        """
        waiting = [slice(at, min(at + _QUERIES, len(queries))) for at in range(0, len(queries), _QUERIES)][::-1]
        while waiting:
            part = waiting.pop()
            found = self._candidates(queries[part], k)
            if found is not None:
                yield part, found
            else:
                middle = (part.start + part.stop) // 2
                waiting += [slice(middle, part.stop), slice(part.start, middle)]

    def _candidates(self, queries: Any, k: int) -> Candidates | None:
        """Return the candidates of some queries, None if these are too many to be looked at together."""
        import torch

        if len(queries) > 1 and len(queries) * len(self._codes.scales) > _MOST_ENDS:
            return None
        coded = encode_queries(queries)
        lower, upper = ends(coded, self._codes)
        # The best points of k blocks are k points: the k-th of their lower ends is one of the k-th nearest.
        if k > len(lower):
            least = torch.full_like(lower[0], -torch.inf)
        else:
            least = lower.amax(dim=0) if k == 1 else lower.topk(k, dim=0).values[-1]
        pairs = (upper >= least).nonzero()
        # Where the codes tell little apart, nearly all points are left.
        if len(queries) > 1 and len(pairs) > _MOST_PAIRS:
            return None
        block, query = pairs.T
        pair, column = above(coded, self._codes, (block, query), least).nonzero().T
        asked, rows = query[pair], self._codes.rows[block[pair] * BLOCK + column]
        order = torch.argsort(asked, stable=True)
        return Candidates(asked[order], rows[order])

    def scores(self, queries: Any, found: Candidates) -> Any:
        """Return q.x - |x|^2 / 2 of candidates in float64."""
        if self.device.type == "cuda":
            from textveil.gpu.fused import fused_products

            products = fused_products(queries, self._points, found.queries, found.rows)
        else:
            products = self._over(found, lambda q, x: (queries[q] * self._points[x]).sum(dim=1))
        return products - self._halves[found.rows]

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
