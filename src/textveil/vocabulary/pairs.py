"""Passes over the distances of all pairs of words, in tiles, in bounded memory.

A pass computes each distance once (the lower triangle of tiles) and hands every tile to compiled code
while it is in the cache. What is certified over a vocabulary is computed here, over all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled_reduction, over_threads
from textveil.elementary import exponential
from textveil.progress import progress
from textveil.vocabulary.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Result = TypeVar("Result")

TILE = 512
_COLUMNS = 4096


@dataclass(frozen=True)
class Tile:
    """Rows [top, bottom) against columns [left, right) of the distance matrix; left <= top."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def on_diagonal(self) -> bool:
        """Whether rows and columns are the same words."""
        return self.top == self.left


@dataclass(frozen=True)
class WorstPairs:
    """For each rate, the largest slope of its log-normalisers and the pair that has it."""

    slope: Floats
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def over_pairs(
    vocabulary: Vocabulary, work: Callable[[Tile, Floats], Result], *, title: str
) -> Iterator[tuple[Tile, Result]]:
    """Hand the distances of every tile to `work`, on all cores; yield its results in order."""

    def one(tile: Tile) -> tuple[Tile, Result]:
        rows = vocabulary.block(tile.top, tile.bottom)
        columns = rows if tile.on_diagonal else vocabulary.block(tile.left, tile.right)
        return tile, work(tile, vocabulary.space.distances(rows, columns))

    tiles = list(lower_triangle(len(vocabulary)))
    with progress(title, len(tiles)) as step:
        for result in over_threads(one, tiles):
            yield result
            step()


def log_normalisers(vocabulary: Vocabulary, rates: Floats, *, radius: float, weights: Floats | None = None) -> Floats:
    """Return ln Z(x) = ln sum_y a(y) exp(-rate min(d(x,y), radius)) for every rate and word, in one pass.

    Parameters
    ----------
    rates : ascending and evenly spaced, so that one product a rate replaces an exponential
    radius : where distances are cut off; inf for nowhere
    weights : a(y) > 0; all 1 if left out
    """
    rates = np.asarray(rates, dtype=np.float64)
    gap = float(rates[-1] - rates[0]) / max(1, len(rates) - 1)
    sums = np.zeros((len(rates), len(vocabulary)))
    heavy = np.ones(len(vocabulary)) if weights is None else weights
    there = vocabulary.pairs_there()
    if there is not None:
        return there.log_normalisers(rates, radius=radius, weights=heavy)

    def work(tile: Tile, distances: Floats) -> tuple[Floats, Floats]:
        rows = np.zeros((len(rates), distances.shape[0]))
        columns = np.zeros((len(rates), distances.shape[1]))
        above, below = heavy[tile.top : tile.bottom], heavy[tile.left : tile.right]
        _add_weights(distances, radius, rates[0], gap, above, below, rows, columns)
        return rows, columns

    for tile, (rows, columns) in over_pairs(vocabulary, work, title="normalisers"):
        sums[:, tile.top : tile.bottom] += rows
        if not tile.on_diagonal:
            sums[:, tile.left : tile.right] += columns
    return np.log(sums / heavy)


def steepest_pairs(vocabulary: Vocabulary, values: Floats, *, radius: float, slack: float) -> WorstPairs:
    """Return max over all pairs of (|v(x) - v(x')| + slack) / min(d, radius) for every row of `values`.

    Pairs at distance 0 have the same law and are passed over.
    """
    there = vocabulary.pairs_there()
    if there is not None:
        return WorstPairs(*there.steepest(values, radius=radius, slack=slack))
    count = len(values)
    best, first, second = np.zeros(count), np.zeros(count, np.int64), np.zeros(count, np.int64)

    def work(tile: Tile, distances: Floats) -> tuple[Floats, NDArray[np.int64]]:
        steepest, where = np.zeros(count), np.zeros((count, 2), np.int64)
        rows = np.ascontiguousarray(values[:, tile.top : tile.bottom])
        columns = np.ascontiguousarray(values[:, tile.left : tile.right])
        _steepest(distances, radius, slack, rows, columns, steepest, where)
        return steepest, where

    for tile, (steepest, where) in over_pairs(vocabulary, work, title="worst pairs"):
        for k in np.flatnonzero(steepest > best):
            best[k], first[k], second[k] = steepest[k], tile.top + where[k, 0], tile.left + where[k, 1]
    return WorstPairs(best, first, second)


def distances_to_all(vocabulary: Vocabulary, ids: NDArray[np.int64]) -> Floats:
    """Return the distances of some words to every word: shape (len(ids), words)."""
    points = vocabulary.points[ids].astype(np.float64)
    distances = np.empty((len(ids), len(vocabulary)))
    for start in range(0, len(vocabulary), _COLUMNS):
        block = vocabulary.block(start, start + _COLUMNS)
        distances[:, start : start + len(block)] = vocabulary.space.distances(points, block)
    return distances


def diameter_bound(vocabulary: Vocabulary) -> float:
    """Bound the distance of any two words: twice the largest distance from one of them."""
    centre = np.array([vocabulary.unknown_id])
    return 2 * float(distances_to_all(vocabulary, centre).max())


def lower_triangle(count: int) -> Iterator[Tile]:
    """Cut the pairs of `count` points into tiles; those on the diagonal hold each pair twice."""
    starts = range(0, count, TILE)
    for top in starts:
        for left in range(0, top + 1, TILE):
            yield Tile(top, min(top + TILE, count), left, min(left + TILE, count))


@compiled_reduction
def _add_weights(distances, radius, rate, gap, above, below, rows, columns):  # type: ignore[no-untyped-def]
    # a(x) a(y) exp(-rate d) is symmetric: one number serves the sum of x and that of y, divided by a(x) and a(y) later.
    height, width = distances.shape
    weight, ratio = np.empty(width), np.empty(width)
    for i in range(height):
        for j in range(width):
            distance = min(distances[i, j], radius)
            weight[j] = above[i] * below[j] * exponential(-rate * distance)
            ratio[j] = exponential(-gap * distance)
        for k in range(rows.shape[0]):
            total = 0.0
            for j in range(width):
                total += weight[j]
                columns[k, j] += weight[j]
                weight[j] *= ratio[j]
            rows[k, i] += total


@compiled_reduction
def _steepest(distances, radius, slack, rows, columns, steepest, where):  # type: ignore[no-untyped-def]
    height, width = distances.shape
    inverse = np.empty_like(distances)
    for i in range(height):
        for j in range(width):
            distance = min(distances[i, j], radius)
            inverse[i, j] = 0.0 if distance == 0.0 else 1.0 / distance
    for k in range(rows.shape[0]):
        # The maximum of each column is kept apart: element by element it uses vector registers, one for all does not.
        tops = np.zeros(width)
        for i in range(height):
            value = rows[k, i]
            for j in range(width):
                tops[j] = max(tops[j], (abs(value - columns[k, j]) + slack) * inverse[i, j])
        column = np.argmax(tops)
        steepest[k] = tops[column]
        seen = -1.0
        for i in range(height):
            slope = (abs(rows[k, i] - columns[k, column]) + slack) * inverse[i, column]
            if slope > seen:
                seen = slope
                where[k, 0], where[k, 1] = i, column
