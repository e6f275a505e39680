"""The largest stretch of a projection over all pairs of a public table, at the speed of two float32 products.

A pair (i, j) has the ratio |y_i - y_j|^2 / |x_i - x_j|^2, y the projections as they are stored, in whole lattice
steps. Tiles of pairs are looked at in float32, with a bound on its error; the pairs of a tile that may be its
largest, and those too close for float32, are computed again from differences, which float64 holds exactly.
Proof: docs/mechanisms/privemb.md, claim 4.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction, over_threads
from textveil.gpu.secants import all_secants as all_secants_there
from textveil.gpu.secants import are_exact
from textveil.progress import progress
from textveil.vocabulary.pairs import TILE, Tile, lower_triangle

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ids = NDArray[np.int64]

_UNIT = 2.0**-24
# Pairs whose squared distance is below this share of their squared norms are computed by differences.
_CANCELLATION = 2.0**-10
# Upper bounds in float32 are rounded themselves, by less than this share.
_ROUNDING = 2.0**-20
_ROWS = 4096
_FEW = 256


@dataclass(frozen=True)
class Secants:
    """The largest squared ratio of all pairs, the first pair that has it, and the mean squared ratio."""

    largest: float
    first: int
    second: int
    mean: float


def all_secants(points: NDArray[Any], codes: Ids, device: Any = None) -> Secants:
    """Return the largest and the mean of |codes_i - codes_j|^2 / |points_i - points_j|^2 over all pairs.

    Parameters
    ----------
    points : distinct lattice points, at least two
    codes : their projections in whole steps
    device : of torch, where pairs are looked at if their distances are exact there; the largest ratio is the same
    """
    if device is not None and are_exact(points, codes):
        _, first, second, mean = all_secants_there(points, codes, device)
        return Secants(float(secant_ratios(points, codes, np.array([[first, second]]))[0]), first, second, mean)
    scanner = _Scanner(points, codes)
    tiles = list(lower_triangle(len(points)))
    best, total = (-1.0, 0, 0), 0.0
    with progress("secants", len(tiles)) as step:
        for found, part in over_threads(scanner.scan, tiles):
            best = max(best, found, key=lambda pair: pair[0])
            total += part
            step()
    return Secants(*best, total / math.comb(len(points), 2))


def secant_ratios(points: NDArray[Any], codes: Ids, pairs: Ids) -> Floats:
    """Return the squared ratios of some pairs, shape (n, 2), to a relative error of (d + m + 4) 2^-53."""
    ratios = np.empty(len(pairs))
    _ratios_by_differences(points, codes, pairs, ratios)
    return ratios


class _Scanner:
    """Looks at tiles of pairs; threads share it."""

    def __init__(self, points: NDArray[Any], codes: Ids) -> None:
        self._points, self._codes = points, codes
        # One row is the origin of both, so that what is near it stays near it.
        origin = _row_near_mean(points)
        self._inputs, self._outputs = _Centred(points, origin), _Centred(codes, origin)
        # Both are powers of two: ratios change their unit without rounding.
        self._unit = (self._outputs.unit / self._inputs.unit) ** 2
        known = np.arange(min(len(points), _ROWS) - 1)
        self._known = float(secant_ratios(points, codes, np.stack([known + 1, known], axis=1)).max())
        self._room = threading.local()

    def scan(self, tile: Tile) -> tuple[tuple[float, int, int], float]:
        """Return the largest ratio of a tile with its pair, and the sum of all its ratios."""
        bounds, close = np.empty((2, tile.right - tile.left), np.float32)
        view = (*self._inputs.view(tile, self._buffer(0)), *self._outputs.view(tile, self._buffer(1)))
        total = self._unit * _look(*view, tile.on_diagonal, bounds, close)
        threshold = self._known
        highest = int(bounds.argmax())
        if bounds[highest] * self._unit >= threshold * (1 - _ROUNDING):
            row = _highest_in_column(*view, tile.on_diagonal, highest)
            pair = np.array([[tile.top + row, tile.left + highest]])
            threshold = max(threshold, float(self._ratios(pair)[0]))
        elif not close.any():
            return (-1.0, 0, 0), total
        least = np.float32(threshold / self._unit * (1 - _ROUNDING))
        suspects, near = _suspects(view, tile, bounds, close, least)
        ratios = self._ratios(suspects)
        total += float(ratios[near].sum())
        if not len(ratios):
            return (-1.0, 0, 0), total
        top = int(ratios.argmax())
        return (float(ratios[top]), int(suspects[top, 0]), int(suspects[top, 1])), total

    def _ratios(self, pairs: Ids) -> Floats:
        return secant_ratios(self._points, self._codes, pairs)

    def _buffer(self, number: int) -> Singles:
        """Room for the products of a tile, one for each thread: fresh pages would cost more than the loop."""
        if not hasattr(self._room, "buffers"):
            self._room.buffers = np.empty((2, TILE * TILE), np.float32)
        buffer: Singles = self._room.buffers[number]
        return buffer


class _Centred:
    """A table in float32, with one of its rows as origin, scaled by a power of two: both are exact in float64."""

    def __init__(self, table: NDArray[Any], origin: int) -> None:
        count, width = table.shape
        centre = table[origin].astype(np.float64)
        largest = max(float(np.abs(table[k : k + _ROWS] - centre).max()) for k in range(0, count, _ROWS))
        self.unit = 2.0 ** math.frexp(largest)[1] if largest else 1.0
        self._values = np.empty((count, width), np.float32)
        self._norms = np.empty(count, np.float32)
        for start in range(0, count, _ROWS):
            exact = (table[start : start + _ROWS] - centre) / self.unit
            self._values[start : start + _ROWS] = exact
            self._norms[start : start + _ROWS] = np.einsum("ij,ij->i", exact, exact)
        self._error = np.float32(1.02 * (width + 24) * _UNIT)

    def view(self, tile: Tile, buffer: Singles) -> tuple[Singles, Singles, Singles, np.float32]:
        """Return the products of a tile, the squared norms of its rows and columns, and the error of a difference."""
        rows, columns = slice(tile.top, tile.bottom), slice(tile.left, tile.right)
        shape = (tile.bottom - tile.top, tile.right - tile.left)
        products = buffer[: shape[0] * shape[1]].reshape(shape)
        np.dot(self._values[rows], self._values[columns].T, out=products)
        return products, self._norms[rows], self._norms[columns], self._error


def _suspects(
    view: Any, tile: Tile, bounds: Singles, close: Singles, least: np.float32
) -> tuple[Ids, NDArray[np.bool_]]:
    """Return the pairs that may be the largest or are too close to tell, and which of them are too close."""
    room = _FEW
    while True:
        pairs, near = np.empty((room, 2), np.int64), np.empty(room, np.bool_)
        count = _list_suspects(*view, tile.on_diagonal, bounds, close, least, pairs, near)
        if count <= room:
            return pairs[:count] + np.array([tile.top, tile.left]), near[:count]
        room = count


def _row_near_mean(table: NDArray[Any]) -> int:
    mean = table.mean(axis=0, dtype=np.float64)
    best, nearest = math.inf, 0
    for start in range(0, len(table), _ROWS):
        squares = ((table[start : start + _ROWS] - mean) ** 2).sum(axis=1)
        least = int(squares.argmin())
        if squares[least] < best:
            best, nearest = float(squares[least]), start + least
    return nearest


@compiled_reduction
def _bound(product, norm, other, error, image, image_norm, image_other, image_error, share):  # type: ignore[no-untyped-def]
    """Return the ratio of a pair in float32, an upper bound of it, and 1 if the pair is too close for that."""
    one, two, nothing = np.float32(1.0), np.float32(2.0), np.float32(0.0)
    norms, image_norms = norm + other, image_norm + image_other
    square, image_square = norms - two * product, image_norms - two * image
    lower, upper = square - error * norms, image_square + image_error * image_norms
    is_close = lower <= share * norms
    ratio = nothing if is_close else image_square / square
    bound = nothing if is_close else upper / lower
    return ratio, bound, one if is_close else nothing


@compiled_reduction
def _look(x, xr, xc, xe, y, yr, yc, ye, diagonal, bounds, close):  # type: ignore[no-untyped-def]
    """Return the sum of the ratios that float32 can tell; write the largest bound and the close pairs of each column.

    Columns are kept apart: element by element they use vector registers, one maximum for all does not.
    """
    share = max(np.float32(_CANCELLATION), np.float32(64.0) * xe)
    sums = np.zeros_like(bounds)
    bounds[:], close[:] = 0.0, 0.0
    for i in range(x.shape[0]):
        for j in range(i if diagonal else x.shape[1]):
            ratio, bound, is_close = _bound(x[i, j], xr[i], xc[j], xe, y[i, j], yr[i], yc[j], ye, share)
            sums[j] += ratio
            bounds[j] = max(bounds[j], bound)
            close[j] += is_close
    total = 0.0
    for j in range(sums.size):
        total += sums[j]
    return total


@compiled_reduction
def _highest_in_column(x, xr, xc, xe, y, yr, yc, ye, diagonal, j):  # type: ignore[no-untyped-def]
    share = max(np.float32(_CANCELLATION), np.float32(64.0) * xe)
    best, where = -1.0, 0
    for i in range(j + 1 if diagonal else 0, x.shape[0]):
        _, bound, _ = _bound(x[i, j], xr[i], xc[j], xe, y[i, j], yr[i], yc[j], ye, share)
        if bound > best:
            best, where = bound * 1.0, i
    return where


@compiled_reduction
def _list_suspects(x, xr, xc, xe, y, yr, yc, ye, diagonal, bounds, close, least, suspects, near):  # type: ignore[no-untyped-def]
    """Write the pairs that are too close, or whose bound is not below `least`; return their number."""
    share = max(np.float32(_CANCELLATION), np.float32(64.0) * xe)
    count = 0
    for j in range(x.shape[1]):
        if bounds[j] >= least or close[j] > 0:
            for i in range(j + 1 if diagonal else 0, x.shape[0]):
                _, bound, is_close = _bound(x[i, j], xr[i], xc[j], xe, y[i, j], yr[i], yc[j], ye, share)
                if bound >= least or is_close > 0:
                    if count < len(suspects):
                        suspects[count, 0], suspects[count, 1], near[count] = i, j, is_close > 0
                    count += 1
    return count


@compiled
def _ratios_by_differences(points, codes, pairs, ratios):  # type: ignore[no-untyped-def]
    for pair in range(len(pairs)):
        i, j = pairs[pair, 0], pairs[pair, 1]
        square, image = 0.0, 0.0
        for k in range(points.shape[1]):
            difference = np.float64(points[i, k]) - np.float64(points[j, k])
            square += difference * difference
        for k in range(codes.shape[1]):
            step = np.float64(codes[i, k] - codes[j, k])
            image += step * step
        ratios[pair] = image / square
