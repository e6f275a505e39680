"""The nearest neighbours of every point of a table, on a device: those that the CPU finds, by the same comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.gpu.search import DeviceTable

_ROWS = 8192


def nearest_others(table: DeviceTable, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the k nearest others of every point and their squared distances, the lower row first among equals.

    Parameters
    ----------
    table : the points on the device, none of them left out
    k : below their number
    """
    import torch

    count = len(table)
    ids, squares = np.empty((count, k), dtype=np.int64), np.empty((count, k))
    for start in range(0, count, _ROWS):
        queries = table.points(slice(start, start + _ROWS))
        # A point is among its own nearest k + 1, so that k others are left.
        for part, found in table.candidates(queries, k + 1):
            first, last = start + part.start, start + part.stop
            apart = table.squares(queries[part], found)
            other = found.rows != found.queries + first
            asked, rows, apart = found.queries[other], found.rows[other], apart[other]
            # By query, then by distance, then by row.
            order = torch.argsort(rows, stable=True)
            for key in (apart, asked):
                order = order[torch.argsort(key[order], stable=True)]
            asked, rows, apart = asked[order], rows[order], apart[order]
            lengths = torch.bincount(asked, minlength=last - first)
            places = (lengths.cumsum(0) - lengths)[:, None] + torch.arange(k, device=table.device)
            ids[first:last], squares[first:last] = rows[places].cpu().numpy(), apart[places].cpu().numpy()
    return ids, squares
