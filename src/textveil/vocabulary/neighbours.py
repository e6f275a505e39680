"""The nearest neighbours of every point of a table, exactly, in half the work of one float32 matrix product.

Each tile of the lower triangle is multiplied once, and serves its rows and its columns. A float32 pass keeps the
nearest few of each point and some to spare. Where the gap behind the last one wanted is wider than the rounding
error that is possible at all, the true neighbours are among those kept, and float64 puts them in order; the points
for which it is not are compared with all others in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, over_threads
from textveil.errors import InvalidInputError, require_count
from textveil.gpu.devices import checked_device
from textveil.gpu.neighbours import nearest_others
from textveil.gpu.search import DeviceTable
from textveil.progress import progress
from textveil.vocabulary.keeping import LANES, TO_SPARE, insert, keep_for_rows, squared_distance
from textveil.vocabulary.lattice import LARGEST, MOST_DIMENSIONS
from textveil.vocabulary.search import half_norms, score_error

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_TILE = 512
# Points that are put in order at a time.
_ROWS = 256


def nearest_neighbours(
    points: NDArray[Any], k: int, *, include_self: bool = False, device: Any = None
) -> tuple[Ids, Floats]:
    """Return the k nearest neighbours of every point, nearest first, and their Euclidean distances.

    Among equal distances the lower id comes first. Distances are square roots of squared differences summed
    in float64; for points of a vocabulary with squared norms below 2^11 the sums are exact, and so is the answer.

    Parameters
    ----------
    points : shape (p, d), finite and below 2^32
    k : how many; below p, or up to p with `include_self`
    include_self : whether a point is its own first neighbour, at distance 0
    device : of torch, such as "cuda", where exact sums are computed there; the answer is the same

    Returns
    -------
    ids, distances : both of shape (p, k)
    """
    table, others = _checked(points, k, include_self)
    own = np.arange(len(table))[:, None]
    if others == 0:
        _require_small(table)
        return own, np.zeros(own.shape)
    chosen = None if device is None else checked_device(device)
    has_codes = 1 <= table.shape[1] <= MOST_DIMENSIONS
    there = DeviceTable(table, chosen) if chosen is not None and has_codes else None
    if there is not None and there.is_exact:
        ids, squares = nearest_others(there, others)
    else:
        ids, squares = _others(_require_small(table), others)
    if include_self:
        ids, squares = np.hstack([own, ids]), np.hstack([np.zeros(own.shape), squares])
    return ids, np.sqrt(squares)


def _checked(points: NDArray[Any], k: int, include_self: bool) -> tuple[NDArray[Any], int]:
    table = np.asarray(points)
    if table.ndim != 2 or table.dtype.kind not in "fiu":
        raise InvalidInputError(
            f"points must be real numbers of shape (p, d) (got {table.dtype} of shape {table.shape})"
        )
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    others = require_count("k", k) - int(include_self)
    if others >= len(table):
        most = len(table) - 1 + int(include_self)
        raise InvalidInputError(f"k must be at most {most} for {len(table)} points (got {k})")
    return np.ascontiguousarray(table), others


def _require_small(table: NDArray[Any]) -> NDArray[Any]:
    if not (np.abs(table) < LARGEST).all():
        raise InvalidInputError("points must be finite and below 2^32 in every coordinate")
    return table


def _others(points: NDArray[Any], k: int) -> tuple[Ids, Floats]:
    """Return the k nearest others of every point and their squared distances."""
    count = len(points)
    ids, squares = np.empty((count, k), dtype=np.int64), np.empty((count, k))
    everyone = np.arange(count)
    doubtful = everyone
    if k + TO_SPARE < count:
        kept, doubtful = _scan(points, k)
        _in_order(points, np.setdiff1d(everyone, doubtful, assume_unique=True), kept, ids, squares)
    _in_order(points, doubtful, np.empty((count, 0), dtype=np.int32), ids, squares)
    return ids, squares


def _scan(points: NDArray[Any], k: int) -> tuple[NDArray[np.int32], Ids]:
    """Return some nearest others of every point, by float32, and the points whose k nearest may not be among them."""
    halves = half_norms(points)
    norms = np.sqrt(2 * halves)
    error = score_error(norms, float(norms.max()), points.shape[1], np.float32)
    singles = halves.astype(np.float32)
    keys = np.full((len(points), k + TO_SPARE), np.inf, dtype=np.float32)
    kept = np.zeros(keys.shape, dtype=np.int32)
    locks = [Lock() for _ in range(0, len(points), _TILE)]

    def work(tile: tuple[slice, slice]) -> None:
        rows, columns = tile
        products = np.dot(_block(points, rows), _block(points, columns).T)
        with locks[rows.start // _TILE]:
            shift = rows.start - columns.start
            keep_for_rows(products, singles[columns], columns.start, shift, keys[rows], kept[rows])
        if rows != columns:
            with locks[columns.start // _TILE]:
                _keep_for_columns(products, singles[rows], rows.start, keys[columns], kept[columns])

    tiles = list(_lower_triangle(len(points)))
    with progress("nearest neighbours", len(tiles)) as step:
        for _ in over_threads(work, tiles):
            step()
    # A key is |y|^2 / 2 - x.y. What was not kept has a key of at least the last one kept.
    gaps = np.subtract(keys[:, -1], keys[:, k - 1], dtype=np.float64)
    return kept, np.flatnonzero(~(gaps > 2 * error))


def _in_order(points: NDArray[Any], rows: Ids, kept: NDArray[np.int32], ids: Ids, squares: Floats) -> None:
    """Write the nearest others of some points, out of those kept; out of all if none are."""

    def work(first: int) -> None:
        _nearest_of(points, rows[first : first + _ROWS], kept, ids, squares)

    with progress("neighbours in order", len(rows)) as step:
        for _ in over_threads(work, range(0, len(rows), _ROWS)):
            step(_ROWS)


def _lower_triangle(count: int) -> Iterator[tuple[slice, slice]]:
    """Tiles along the diagonals, so that those in work at one time share neither rows nor columns."""
    blocks = [slice(start, min(start + _TILE, count)) for start in range(0, count, _TILE)]
    for below in range(len(blocks)):
        yield from zip(blocks[below:], blocks, strict=False)


def _block(points: NDArray[Any], rows: slice) -> Singles:
    return np.asarray(points[rows], dtype=np.float32)


@compiled
def _keep_for_columns(products, halves, first_row, keys, kept):  # type: ignore[no-untyped-def]
    height, width = products.shape
    worst_of_all = keys[:, -1].copy()
    for i in range(height):
        half = halves[i]
        for start in range(0, width, LANES):
            row, worst = products[i, start : start + LANES], worst_of_all[start : start + LANES]
            closer = 0
            for j in range(row.size):
                closer += half - row[j] < worst[j]
            if closer:
                for j in range(row.size):
                    if half - row[j] < worst[j]:
                        insert(keys[start + j], kept[start + j], half - row[j], first_row + i)
                        worst[j] = keys[start + j, -1]


@compiled
def _nearest_of(points, rows, kept, ids, squares):  # type: ignore[no-untyped-def]
    count = kept.shape[1] if kept.shape[1] else points.shape[0]
    k = ids.shape[1]
    for row in rows:
        squares[row, :] = np.inf
        ids[row, :] = points.shape[0]
        for n in range(count):
            other = kept[row, n] if kept.shape[1] else n
            square = squared_distance(points[row], points[other])
            place = k - 1
            if other == row or not _before(square, other, squares[row, place], ids[row, place]):
                continue
            while place > 0 and _before(square, other, squares[row, place - 1], ids[row, place - 1]):
                squares[row, place], ids[row, place] = squares[row, place - 1], ids[row, place - 1]
                place -= 1
            squares[row, place], ids[row, place] = square, other


@compiled
def _before(square, number, other_square, other_number):  # type: ignore[no-untyped-def]
    return square < other_square or (square == other_square and number < other_number)
