"""The largest and the mean stretch of a projection over all pairs of a table, on a device, in float64.

Squared distances of lattice points, and those of whole codes, are exact where every product and sum stays below 2^53
steps, so that a ratio carries the rounding of one division.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.gpu.devices import there
from textveil.gpu.pairs import squared_distances
from textveil.spaces import Euclidean

_PAIRS = 1 << 26
_LARGEST_CODE = 2.0**51


def all_secants(points: NDArray[Any], codes: NDArray[np.int64], device: Any) -> tuple[float, int, int, float]:
    """Return the largest |codes_i - codes_j|^2 / |points_i - points_j|^2, its pair, and the mean over all pairs.

    Parameters
    ----------
    points : distinct multiples of 2^-20 with squared norms below 2^11, at least two
    codes : their projections in whole steps, with squared norms below 2^51
    """
    _require_exact(points, codes)
    tables = [there(array, device, np.float64) for array in (points, codes)]
    norms = [(table**2).sum(dim=1) for table in tables]
    count = len(points)
    # Every ratio is 0 or more: this pair has the largest if none is above 0.
    best, total = (0.0, 1, 0), 0.0
    height = max(1, min(count, _PAIRS // count))
    for top in range(0, count, height):
        rows, columns = slice(top, min(top + height, count)), slice(0, min(top + height, count))
        squares, images = (
            squared_distances(table, norm, rows, columns) for table, norm in zip(tables, norms, strict=True)
        )
        if any(bool(numbers.diagonal(top).any()) for numbers in (squares, images)):
            raise InvalidInputError(
                f"nothing can be certified on {device}, since a point is not at distance 0 from itself: it does not "
                "compute exactly; use the CPU, vocabulary.on(None)"
            )
        # Each pair once: below the diagonal.
        if bool((squares > 0).logical_not_().tril_(top - 1).any()):
            raise InvalidInputError(
                f"the points must be distinct, but {device} finds two at no distance; leave out those that repeat"
            )
        ratios = (images / squares).tril_(top - 1)
        total += float(ratios.sum())
        place = int(ratios.argmax())
        largest = float(ratios.flatten()[place])
        if largest > best[0]:
            best = (largest, top + place // columns.stop, place % columns.stop)
    return (*best, total / math.comb(count, 2))


def are_exact(points: NDArray[Any], codes: NDArray[np.int64]) -> bool:
    """Whether all squared distances of these points, and of these codes, are exact in float64."""
    return Euclidean(points.shape[1]).is_exact(points) and _are_small(codes)


def _are_small(codes: NDArray[np.int64]) -> bool:
    return bool((np.square(codes, dtype=np.float64).sum(axis=1) < _LARGEST_CODE).all())


def _require_exact(points: NDArray[Any], codes: NDArray[np.int64]) -> None:
    if len(points) < 2 or len(codes) != len(points):
        raise InvalidInputError(f"there must be two points or more, each with codes (got {len(points)}, {len(codes)})")
    if not Euclidean(points.shape[1]).is_exact(points):
        raise InvalidInputError(
            "points must be multiples of 2^-20 with squared norms below 2^11, as others have no exact distances; use "
            "textveil.mechanisms.privemb.secants"
        )
    if np.asarray(codes).dtype.kind != "i" or not _are_small(codes):
        raise InvalidInputError("codes must be whole numbers with squared norms below 2^51; take a larger step")
