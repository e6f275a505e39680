"""Distances of a table's points on a device, in float64: what calibration, certificates and rows need.

Points are multiples of 2^-20 with squared norms below 2^11, so that the float64 products, and with them the squared
distances, are exact whatever computes them (`textveil.spaces.euclidean`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.gpu.devices import finish, there

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Pairs looked at together.
_PAIRS = 1 << 27
# Weights added up together. Sums of parts are added up in turn, so that there are few roundings in a row.
_PART = 1024


class DevicePairs:
    """The distances of all pairs of a table of points on an exact lattice."""

    def __init__(self, points: NDArray[Any], device: Any) -> None:
        self._points = there(points, device, np.float64)
        self._squares = (self._points**2).sum(dim=1)
        self._device = device
        finish(device)

    def log_normalisers(self, rates: Floats, *, radius: float, weights: Floats) -> Floats:
        """Return ln Z(x) for every rate and word; see `textveil.vocabulary.pairs.log_normalisers`."""
        import torch

        heavy, asked = (there(numbers, self._device, np.float64) for numbers in (weights, rates))
        sums = torch.empty((len(heavy), len(asked)), dtype=torch.float64, device=self._device)
        for rows, distances in self._strips(radius, whole=True):
            sums[rows] = _sums(distances, asked, heavy)
        found = sums.log()
        self._require(bool(found.isfinite().all()), "a sum of weights is no positive number")
        return np.ascontiguousarray(found.T.cpu().numpy())

    def steepest(self, values: Floats, *, radius: float, slack: float) -> tuple[Floats, Ids, Ids]:
        """Return, for each row of values, the largest (|v(x) - v(x')| + slack) / min(d, radius), and its pair."""
        functions = there(values, self._device, np.float64)
        best, first, second = np.zeros(len(values)), np.zeros(len(values), np.int64), np.zeros(len(values), np.int64)
        for rows, distances in self._strips(radius):
            slopes, columns, sound = _slopes(distances, functions, slack, rows.start)
            self._require(bool(sound.all()), "a slope is not finite")
            tops, places = slopes.max(dim=0)
            across = columns.gather(0, places[None])[0]
            for k, (slope, row, column) in enumerate(zip(tops.tolist(), places.tolist(), across.tolist(), strict=True)):
                if slope > best[k]:
                    best[k], first[k], second[k] = slope, rows.start + row, column
        return best, first, second

    def within(self, chosen: Ids, radius: float) -> Iterator[tuple[NDArray[np.int32], Floats]]:
        """Yield, for each of some points, the others whose distance is below the radius, in order, and the distances.

        The device compares exact squares, and the CPU takes the roots: both are bit for bit those of the CPU.
        """
        import torch

        own = there(chosen, self._device, np.int64)
        squares = squared_distances(self._points, self._squares, own)
        self._require_exact((squares >= 0).all() & (squares.gather(1, own[:, None]) == 0).all())
        near = (squares < least_square(radius)).scatter_(1, own[:, None], False)
        rows, columns = near.nonzero(as_tuple=True)
        ids, apart = columns.to(torch.int32).cpu().numpy(), np.sqrt(squares[rows, columns].cpu().numpy())
        ends = np.cumsum(near.sum(dim=1).cpu().numpy())
        for start, end in pairwise([0, *ends.tolist()]):
            yield ids[start:end], apart[start:end]

    def _strips(self, radius: float, *, whole: bool = False) -> Iterator[tuple[slice, Any]]:
        """Yield some rows, and their distances, cut at the radius, to all points up to the last of them or to all."""
        count = len(self._points)
        height = max(1, min(count, _PAIRS // count))
        for top in range(0, count, height):
            rows = slice(top, min(top + height, count))
            columns = slice(0, count if whole else rows.stop)
            squares = squared_distances(self._points, self._squares, rows, columns)
            # Written so that NaN fails too.
            self._require_exact((squares.min() >= 0) & (squares.diagonal(top) == 0).all())
            yield rows, squares.sqrt_().clamp_(max=radius)

    def _require_exact(self, is_sound: Any) -> None:
        self._require(bool(is_sound), "a squared distance is negative, or that of a point to itself is not 0")

    def _require(self, is_sound: bool, fault: str) -> None:
        if not is_sound:
            raise InvalidInputError(
                f"nothing can be certified on {self._device}, since {fault}: it does not compute exactly, or was given "
                "numbers out of range; use the CPU, vocabulary.on(None)"
            )


def squared_distances(points: Any, norms: Any, rows: Any, columns: slice = slice(None)) -> Any:
    """Return |x - y|^2 of some points x and y, exact where all products and sums are; `norms` are all |x|^2."""
    return (points[rows] @ points[columns].T).mul_(-2.0).add_(norms[rows, None]).add_(norms[columns])


def least_square(radius: float) -> float:
    """Return the least float64 whose square root, as it is rounded, is not below the radius."""
    square = radius * radius
    while math.sqrt(square) < radius:
        square = math.nextafter(square, math.inf)
    while math.sqrt(below := math.nextafter(square, 0.0)) >= radius:
        square = below
    return square


def _sums(distances: Any, rates: Any, weights: Any) -> Any:
    """Return the sum over each row of weight exp(-rate d), for every rate: shape (rows, rates)."""
    import torch

    if distances.device.type == "cuda":
        from textveil.gpu.passes import fused_sums

        return fused_sums(distances, rates, weights)
    sums = torch.zeros((len(distances), len(rates)), dtype=torch.float64, device=distances.device)
    for apart, own in zip(distances.split(_PART, dim=1), weights.split(_PART), strict=True):
        sums += torch.stack([torch.exp(-rate * apart) @ own for rate in rates], dim=1)
    return sums


def _slopes(distances: Any, values: Any, slack: float, top: int) -> tuple[Any, Any, Any]:
    """Return the largest slope of each row for each function, its column, and whether all in a row are finite."""
    import torch

    if distances.device.type == "cuda":
        from textveil.gpu.passes import fused_slopes

        return fused_slopes(distances, values, slack, top)
    height, width = distances.shape
    inverse = distances.reciprocal().masked_fill_(distances == 0, 0.0)
    found = [
        ((own[top : top + height, None] - own[None, :width]).abs_().add_(slack).mul_(inverse)).max(dim=1)
        for own in values
    ]
    best, where = (torch.stack(column, dim=1) for column in zip(*found, strict=True))
    # torch takes NaN for the largest.
    return best, where, best.isfinite().all(dim=1)
