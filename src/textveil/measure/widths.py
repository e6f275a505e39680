"""Gaussian widths by simulation, for sets of points that no formula covers.

The supremum over a set within R of its centre is an R-Lipschitz function of g. So the mean of n draws is within
R sqrt(2 ln(2 / alpha) / n) of the width with probability 1 - alpha, whatever the set: the interval needs no
assumption. The points must be public: the result shows something of them.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.noise.gaussian import gaussian
from textveil.randomness import RandomSource
from textveil.spaces import Euclidean
from textveil.spaces.space import Points
from textveil.spaces.widths import Width, WidthKind, check_points, largest_norm, width_of_secants

_ROWS = 512


def estimate_width(points: ArrayLike, *, draws: int = 1000, confidence: float = 1 - 1e-6, seed: int = 0) -> Width:
    """Estimate the width of finitely many public points.

    Parameters
    ----------
    points : one a row
    draws : normal vectors; four times as many halve the interval
    confidence : the chance, over the draws, that the interval holds the width
    seed : a public number: the same seed gives the same estimate
    """
    table = check_points(points)
    centre = table.mean(axis=0)
    normals = _normals(draws, table.shape[1], seed)
    highest = np.full(draws, -np.inf)
    radius = 0.0
    for start in range(0, len(table), _ROWS):
        block = table[start : start + _ROWS] - centre
        radius = max(radius, largest_norm(block))
        np.maximum(highest, (block @ normals.T).max(axis=0), out=highest)
    value = float(highest.mean())
    reach = _reach(radius, draws, confidence)
    return Width(value, value - reach, value + reach, WidthKind.ESTIMATE, confidence)


def estimate_secant_width(
    points: ArrayLike, *, draws: int = 200, most_points: int = 2000, confidence: float = 1 - 1e-6, seed: int = 0
) -> Width:
    """Estimate the width of the normalised secants (x - x') / |x - x'| of public points.

    Every pair is looked at, in blocks; pairs at distance 0 have no secant. Of more than `most_points` points that
    many are chosen at random. Their secants are some of all, so the value and `lower` then say how large the width is
    at least, and `upper` is the bound that holds for any points.

    Parameters
    ----------
    points : one a row
    draws : normal vectors
    most_points : the work is draws times the square of it
    confidence, seed : as for `estimate_width`
    """
    table = check_points(points)
    bound = width_of_secants(max(len(table), 2), table.shape[1])
    chosen = table
    if len(table) > require_count("most_points", most_points, least=2):
        order = _source(seed).streams(b"points", np.arange(len(table))).words(1)[:, 0]
        chosen = table[np.sort(np.argsort(order, kind="stable")[:most_points])]
    highest = _highest_secants(chosen, chosen @ _normals(draws, table.shape[1], seed).T)
    value = float(highest.mean())
    reach = _reach(1.0, draws, confidence)
    upper = min(bound.upper, value + reach) if chosen is table else bound.upper
    return Width(value, max(bound.lower, value - reach), upper, WidthKind.ESTIMATE, confidence)


def _highest_secants(points: Points, shadows: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each column of shadows <g, x_i>, return the largest |<g, x_i> - <g, x_j>| / |x_i - x_j|."""
    space = Euclidean(points.shape[1])
    highest = np.full(shadows.shape[1], -np.inf)
    for i in range(0, len(points), _ROWS):
        for j in range(0, i + 1, _ROWS):
            distances = space.distances(points[i : i + _ROWS], points[j : j + _ROWS])
            inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=distances > 0)
            if not inverse.any():
                continue
            for draw, shadow in enumerate(shadows.T):
                slopes = np.subtract.outer(shadow[i : i + _ROWS], shadow[j : j + _ROWS])
                slopes *= inverse
                highest[draw] = max(highest[draw], slopes.max(), -slopes.min())
    if not np.isfinite(highest).all():
        raise InvalidInputError("points must hold two different ones: equal points have no secant")
    return highest


def _reach(radius: float, draws: int, confidence: float) -> float:
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must be above 0 and below 1 (got {confidence!r})")
    return radius * math.sqrt(2 * math.log(2 / (1 - confidence)) / draws)


def _normals(draws: int, dimension: int, seed: int) -> NDArray[np.float64]:
    streams = _source(seed).streams(b"normals", np.arange(require_count("draws", draws)))
    return gaussian(streams, dimension, 1.0)


def _source(seed: int) -> RandomSource:
    # Nothing private depends on these draws, so their key is public.
    return RandomSource.keyed(hashlib.sha256(b"textveil public width %d" % seed).digest())
