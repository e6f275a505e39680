"""Passes over the distances of all pairs of a table on a device, in float64: what calibration and certificates need.

Points are multiples of 2^-20 with squared norms below 2^11, so that the float64 products, and with them the squared
distances, are exact whatever computes them (`textveil.spaces.euclidean`). Each pair is looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Pairs looked at together.
_PAIRS = 1 << 27


class DevicePairs:
    """The distances of all pairs of a table of points on an exact lattice."""

    def __init__(self, points: NDArray[Any], device: Any) -> None:
        import torch

        self._points = torch.from_numpy(np.array(points, dtype=np.float64)).to(device)
        self._squares = (self._points**2).sum(dim=1)
        self._device = device

    def log_normalisers(self, rates: Floats, *, radius: float, weights: Floats) -> Floats:
        """Return ln Z(x) for every rate and word; see `textveil.vocabulary.pairs.log_normalisers`."""
        import torch

        heavy = self._there(weights)
        sums = torch.zeros((len(rates), len(heavy)), dtype=torch.float64, device=self._device)
        gap = float(rates[-1] - rates[0]) / max(1, len(rates) - 1)
        for rows, columns, distances in self._strips(radius):
            weight = torch.exp(-float(rates[0]) * distances)
            weight *= heavy[rows, None]
            weight *= heavy[None, columns]
            ratio = distances.mul_(-gap).exp_()
            for k in range(len(rates)):
                sums[k, rows] += weight.sum(dim=1)
                # The square on the diagonal holds each of its pairs twice already.
                sums[k, : rows.start] += weight[:, : rows.start].sum(dim=0)
                weight *= ratio
        found = (sums / heavy).log()
        self._require(bool(found.isfinite().all()), "a sum of weights is no positive number")
        return np.asarray(found.cpu().numpy())

    def steepest(self, values: Floats, *, radius: float, slack: float) -> tuple[Floats, Ids, Ids]:
        """Return, for each row of values, the largest (|v(x) - v(x')| + slack) / min(d, radius), and its pair."""
        there = self._there(values)
        best, first, second = np.zeros(len(values)), np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
        for rows, columns, distances in self._strips(radius):
            same = distances == 0
            inverse = distances.reciprocal_().masked_fill_(same, 0.0)
            for k, value in enumerate(there):
                slopes = (value[rows, None] - value[None, columns]).abs_().add_(slack).mul_(inverse)
                top = int(slopes.argmax())
                slope = float(slopes.flatten()[top])
                # torch takes NaN for the largest.
                self._require(math.isfinite(slope), "a slope is not finite")
                if slope > best[k]:
                    best[k], first[k], second[k] = slope, rows.start + top // columns.stop, top % columns.stop
        return best, first, second

    def _strips(self, radius: float) -> Iterator[tuple[slice, slice, Any]]:
        """Yield some rows, the columns up to the last of them, and the distances between, cut off at the radius."""
        count = len(self._points)
        height = max(1, min(count, _PAIRS // count))
        for top in range(0, count, height):
            rows, columns = slice(top, min(top + height, count)), slice(0, min(top + height, count))
            products = self._points[rows] @ self._points[columns].T
            squares = products.mul_(-2.0).add_(self._squares[rows, None]).add_(self._squares[None, columns])
            # Written so that NaN fails too.
            self._require(bool(squares.min() >= 0), "a squared distance is negative")
            yield rows, columns, squares.sqrt_().clamp_(max=radius)

    def _require(self, is_sound: bool, fault: str) -> None:
        if not is_sound:
            raise InvalidInputError(
                f"nothing can be certified on {self._device}, since {fault}: it does not compute exactly, or was given "
                "numbers out of range; use the CPU, vocabulary.on(None)"
            )

    def _there(self, numbers: Floats) -> Any:
        import torch

        return torch.from_numpy(np.array(numbers, dtype=np.float64)).to(self._device)
