"""Gaussian width: how large a set is to a random projection.

w(T) = E sup <g, t> over t in T, with g standard normal. A set and its convex hull have the same width, so has a
set that was moved, and r T has r times the width of T. What a projection stretches depends on the width of the
*normalised secants* (x - x') / |x - x'| of the points that it is for, and not on the width of the points themselves:
multiplying all points by 1/1000 makes the second as small as you like, and leaves the projection as it was.

Each width says what it is: exact (a formula or one integral), a bound, or an estimate. Proofs: docs/utility.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.spaces.space import Points

# No maximum of up to e^700 normal numbers has mass beyond this that float64 could see.
_FARTHEST = 40.0
# From here on three terms of the series of E|g| are closer than a difference of logarithms of the Gamma function.
_MANY = 10_000


class WidthKind(StrEnum):
    """How a width was found."""

    EXACT = "exact"
    BOUND = "bound"
    ESTIMATE = "estimate"


@dataclass(frozen=True)
class Width:
    """A Gaussian width with what is known about it.

    Parameters
    ----------
    value : the width, its upper bound, or its estimate, as `kind` says
    lower, upper : the width lies between them
    kind : "exact", "bound" or "estimate"
    confidence : the chance, over the draws of an estimate, that it lies between them; 1 for the other kinds
    """

    value: float
    lower: float
    upper: float
    kind: WidthKind
    confidence: float = 1.0


def width_of_ball(dimension: int, radius: float = 1.0) -> Width:
    """Return the exact width of a ball, or of its sphere: radius E|g|, a little less than radius sqrt(dimension)."""
    return _exact(require_positive("radius", radius) * mean_norm(require_count("dimension", dimension)))


def width_of_simplex(dimension: int) -> Width:
    """Return the exact width of the probability simplex: the mean of the largest of `dimension` normal numbers."""
    count = require_count("dimension", dimension)
    from scipy.special import log_ndtr

    def tail(t: float) -> float:
        return float(-np.expm1(count * log_ndtr(t)) - np.exp(count * log_ndtr(-t)))

    return _exact(_integral(tail, count))


def width_of_l1_ball(dimension: int, radius: float = 1.0) -> Width:
    """Return the exact width of {|x|_1 <= radius}: the mean of the largest of `dimension` absolute normal numbers."""
    count = require_count("dimension", dimension)
    from scipy.special import erfc

    def tail(t: float) -> float:
        outside = float(erfc(t / math.sqrt(2)))
        return -math.expm1(count * math.log1p(-outside)) if outside < 1 else 1.0

    return _exact(require_positive("radius", radius) * _integral(tail, 2 * count))


def width_of_sparse(dimension: int, sparsity: int) -> Width:
    """Bound the width of the unit vectors with at most `sparsity` entries that are not zero, on both sides.

    The supremum is f, the norm of the `sparsity` largest entries of g. Its variance is at most 1, so that
    sqrt(E f^2 - 1) <= w <= sqrt(E f^2). Above, E f^2 is bounded by a formula; below, it is one integral.
    """
    d, k = require_count("dimension", dimension), require_count("sparsity", sparsity)
    if k >= d:
        return width_of_ball(d)
    from scipy.special import ndtri

    # The mean of the entries' squares beyond the threshold that k of d pass on average.
    threshold = -float(ndtri(k / d / 2))
    density = math.exp(-(threshold**2) / 2) / math.sqrt(2 * math.pi)
    upper = min(math.sqrt(2 * d * threshold * density + k), mean_norm(d))
    lower = math.sqrt(max(_mean_square_of_largest(d, k) - 1, mean_norm(k) ** 2))
    return Width(upper, lower, upper, WidthKind.BOUND)


def width_of_sparse_secants(dimension: int, sparsity: int) -> Width:
    """Bound the width of the secants of all vectors with at most `sparsity` entries: they have twice as many."""
    return width_of_sparse(dimension, 2 * require_count("sparsity", sparsity))


def width_of_points(points: ArrayLike) -> Width:
    """Bound the width of finitely many points: at most sqrt(2 ln p) times their largest distance from their mean.

    It is also at most that distance times the mean norm of g in as many dimensions as the points span.
    """
    table = check_points(points)
    radius = largest_norm(table - table.mean(axis=0))
    upper = radius * min(math.sqrt(2 * math.log(len(table))), mean_norm(min(table.shape[1], len(table))))
    # Two points at distance D alone have the width D / sqrt(2 pi).
    return Width(upper, largest_norm(table - table[0]) / math.sqrt(2 * math.pi), upper, WidthKind.BOUND)


def width_of_secants(count: int, dimension: int) -> Width:
    """Bound the width of the normalised secants of any `count` points: p (p - 1) unit vectors, in pairs +-t."""
    p, d = require_count("count", count, least=2), require_count("dimension", dimension)
    upper = min(math.sqrt(2 * math.log(p * (p - 1))), mean_norm(min(d, p - 1)))
    return Width(upper, mean_norm(1), upper, WidthKind.BOUND)


def check_points(points: ArrayLike) -> Points:
    """Return points as float64, one a row, or say what is wrong with them."""
    table = np.asarray(points, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise InvalidInputError(f"points must have shape (p, d) with p and d at least 1 (got {table.shape})")
    if not np.isfinite(table).all():
        raise InvalidInputError("points must be finite: there is a NaN or an infinity among them")
    return table


def largest_norm(points: Points) -> float:
    """Return the largest norm of a row."""
    return math.sqrt(np.einsum("ij,ij->i", points, points).max())


def _exact(value: float) -> Width:
    return Width(value, value, value, WidthKind.EXACT)


def mean_norm(dimension: int) -> float:
    """E|g| in this many dimensions."""
    if dimension > _MANY:
        return math.sqrt(dimension) * (1 - 1 / (4 * dimension) + 1 / (32 * dimension**2))
    return math.sqrt(2) * math.exp(math.lgamma((dimension + 1) / 2) - math.lgamma(dimension / 2))


def _mean_square_of_largest(d: int, k: int) -> float:
    """E of the sum of the k largest of d squared normal numbers."""
    from scipy.integrate import quad
    from scipy.special import betaincc, chdtri

    def square_of_one(depth: float) -> float:
        # The square with tail probability u = e^-depth, times the chance that fewer than k of the others are larger.
        u = math.exp(-depth)
        return float(d * u * chdtri(1, u) * betaincc(k, d - k, u))

    middle, spread = math.log(d / k), 8 * math.sqrt((d - k) / d / k)
    edges = [max(middle - spread, 0.0), middle, middle + spread]
    parts = zip([0.0, *edges], [*edges, middle + spread + _FARTHEST], strict=True)
    return float(sum(quad(square_of_one, low, high, limit=200)[0] for low, high in parts))


def _integral(tail: Callable[[float], float], count: int) -> float:
    """Integrate a tail probability that falls from 1 to 0 near sqrt(2 ln count)."""
    from scipy.integrate import quad

    edge = min(math.sqrt(2 * math.log(count + 1)), _FARTHEST / 2)
    value, _ = quad(tail, 0, _FARTHEST, points=[edge], limit=200, epsabs=1e-12, epsrel=1e-12)
    return float(value)
