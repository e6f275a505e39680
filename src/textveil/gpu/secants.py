"""The largest and the mean stretch of a projection over all pairs of a table, on a device, in float64.

Squared distances of lattice points, and those of whole codes, are exact where every product and sum stays below 2^53
steps, so that a ratio carries the rounding of one division.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_PAIRS = 1 << 26


def all_secants(points: NDArray[Any], codes: NDArray[np.int64], device: Any) -> tuple[float, int, int, float]:
    """Return the largest |codes_i - codes_j|^2 / |points_i - points_j|^2, its pair, and the mean over all pairs.

    Parameters
    ----------
    points : distinct lattice points with squared norms below 2^11, at least two
    codes : their projections in whole steps, with squared norms below 2^51
    """
    import torch

    tables = [torch.from_numpy(np.array(array, dtype=np.float64)).to(device) for array in (points, codes)]
    norms = [(table**2).sum(dim=1) for table in tables]
    count = len(points)
    best, total = (-1.0, 0, 0), 0.0
    height = max(1, min(count, _PAIRS // count))
    for top in range(0, count, height):
        rows, columns = slice(top, min(top + height, count)), slice(0, min(top + height, count))
        squares, images = (
            (table[rows] @ table[columns].T).mul_(-2.0).add_(norm[rows, None]).add_(norm[None, columns])
            for table, norm in zip(tables, norms, strict=True)
        )
        # Each pair once: below the diagonal.
        ratios = torch.where(squares > 0, images / squares, 0.0).tril_(top - 1)
        total += float(ratios.sum())
        place = int(ratios.argmax())
        largest = float(ratios.flatten()[place])
        if largest > best[0]:
            best = (largest, top + place // columns.stop, place % columns.stop)
    return (*best, total / math.comb(count, 2))
