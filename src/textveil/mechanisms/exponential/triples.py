"""The certificate of a covering law, over all triples of two inputs and an output.

The law P[x|x] = c(x), P[y|x] = t(x) c(y) exp(-rate d(x,y)) keeps rate x distance between inputs x and z iff

    ln t(x) - ln t(z)  <=  rate (d(x,z) + d(x,y) - d(z,y))      for every output y other than x and z
    ln t(x)            <=  2 rate d(x,z)                        for the output z

(the output x is always fine, since t >= 1). The right side is a triangle's excess. Outputs are kept in compact cells; a
whole cell is passed over when the triangle inequality through its centre alone shows that none of it matters.
Nothing is sampled: every triple is looked at or bounded.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled_reduction, over_threads
from textveil.progress import progress
from textveil.spaces import Space

Floats = NDArray[np.float64]
Table = NDArray[np.floating[Any]]

CELL = 128
_BARRED = 1e30
_ROWS_A_TASK = 16


def cell_order(points: Floats) -> NDArray[np.intp]:
    """Return an order in which every run of 128 points is a compact cell: median splits along principal axes."""
    cells: list[NDArray[np.intp]] = []
    waiting = [np.arange(len(points))]
    while waiting:
        cell = waiting.pop()
        if len(cell) <= CELL:
            cells.append(cell)
            continue
        centred = points[cell] - points[cell].mean(axis=0)
        axis = centred[np.argmax((centred * centred).sum(axis=1))]
        for _ in range(10):
            axis = centred.T @ (centred @ axis)
            axis /= max(float(np.linalg.norm(axis)), 1e-300)
        cut = CELL * max(1, round(len(cell) / CELL / 2))
        cell = cell[np.argsort(centred @ axis, kind="stable")]
        waiting += [cell[cut:], cell[:cut]]
    return np.concatenate(cells)


def margins(
    space: Space, points: Floats, table: Table, rate: float, c: Floats, t: Floats, *, radius: float, spare: float
) -> Floats:
    """Return for every row an upper bound on (log-ratio - rate d) / d against all rows and outputs.

    Parameters
    ----------
    points, table : in `cell_order`; their distances, cut off at `radius`, whose rounding is charged to the bound
    spare : rows with ln t(x) <= spare x distance to the nearest other point need no look at triples: the triangle
        inequality does for them. Such are the rows that sum to one with t = 1, up to rounding
    """
    log_t = np.log(t)
    bounds = log_t / (_nearest(table) * (1 - 1e-6))
    rows = np.flatnonzero(bounds > spare)
    if len(rows) == 0:
        return bounds
    cells = np.append(np.arange(0, len(points), CELL), len(points))
    centres = np.stack([points[a:b].mean(axis=0) for a, b in pairwise(cells.tolist())])
    spokes = np.minimum(space.distances(points, centres), radius).astype(table.dtype)
    hub = np.minimum(space.distances(points.mean(axis=0)[None], points), radius)[0].astype(table.dtype)
    rounding = 32 * float(np.finfo(table.dtype).eps) * max(float(spokes.max()), float(hub.max()))
    unused = c <= 0

    def work(part: NDArray[np.intp]) -> list[float]:
        found = []
        for x in part:
            barred = table[x].copy()
            barred[unused] = _BARRED
            barred[x] = _BARRED
            found.append(float(_row_margin(table, barred, log_t, rate, rounding, hub, spokes, cells, x)))
        return found

    parts = [rows[i : i + _ROWS_A_TASK] for i in range(0, len(rows), _ROWS_A_TASK)]
    with progress("triples", len(rows)) as step:
        for part, found in zip(parts, over_threads(work, parts), strict=True):
            bounds[part] = found
            step(len(part))
    return bounds


def _nearest(table: Table) -> Floats:
    """The distance of each point to its nearest other."""
    nearest = np.empty(len(table))
    for x in range(len(table)):
        nearest[x] = min(table[x, :x].min(initial=_BARRED), table[x, x + 1 :].min(initial=_BARRED))
    return nearest


@compiled_reduction
def _row_margin(table, barred, log_t, rate, rounding, hub, spokes, cells, x):  # type: ignore[no-untyped-def]
    count, cell_count = table.shape[0], cells.shape[0] - 1
    reach = np.empty(cell_count)
    hub_reach = _BARRED
    for y in range(count):
        hub_reach = min(hub_reach, barred[y] - hub[y])
    best, first = -_BARRED, True
    for z in range(count):
        if z == x:
            continue
        apart = table[x, z]
        if barred[z] < _BARRED / 10:
            best = max(best, (log_t[x] - 2 * rate * (apart - rounding)) / apart)
        if log_t[z] >= log_t[x]:
            continue
        # Only an excess below this could matter; d(z,y) <= d(z,k) + d(k,y) bounds it from below for whole cells.
        room = (log_t[x] - log_t[z]) / rate + rounding
        if apart - hub[z] + hub_reach >= room:
            continue
        if first:
            first = False
            for k in range(cell_count):
                low = _BARRED
                for y in range(cells[k], cells[k + 1]):
                    low = min(low, barred[y] - spokes[y, k])
                reach[k] = low
        top = -_BARRED
        for k in range(cell_count):
            if apart - spokes[z, k] + reach[k] < room:
                for y in range(cells[k], cells[k + 1]):
                    top = max(top, table[z, y] - barred[y])
        if top > -_BARRED / 10:
            best = max(best, rate * (room - apart + top) / apart)
    return best
