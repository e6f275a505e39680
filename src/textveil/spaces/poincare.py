"""The Poincaré ball: hyperbolic space of curvature -1, with distances that are exact up to their last bits.

    sinh^2(d/2)  =  |x - y|^2 / ((1 - |x|^2) (1 - |y|^2))

Points are multiples of 2^-47, written as a coarse part in multiples of 2^-25 and a fine rest. The three matrix
products of these parts have no rounding error at all, so neither |x - y|^2 nor 1 - |x|^2 loses digits where it is
small, and distances do not depend on the batch. Proof: docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.elementary import log
from textveil.errors import InvalidInputError, require_count
from textveil.spaces.hyperbolic import split
from textveil.spaces.space import Points

MOST_DIMENSIONS = 256
_STEP = 2.0**-47
# 1 - |x|^2 of the farthest point that can be stored, at a distance of 29 from the origin.
_LEAST_GAP = 2.0**-40
# Rows of one matrix product: what is between the products and the distances stays in the cache.
_ROWS = 64


@dataclass(frozen=True)
class Poincare:
    """The open unit ball of R^d with the hyperbolic distance."""

    dimension: int

    def __post_init__(self) -> None:
        if require_count("dimension", self.dimension) > MOST_DIMENSIONS:
            raise InvalidInputError(
                f"dimension must be at most {MOST_DIMENSIONS} (got {self.dimension}): beyond it distances in the "
                "Poincaré ball are no longer exact"
            )

    @property
    def metric(self) -> str:
        """The distance in words."""
        return "hyperbolic distance (Poincaré ball, curvature -1)"

    @property
    def step(self) -> float:
        """Every coordinate is a multiple of this."""
        return _STEP

    def inside(self, points: Points) -> NDArray[np.bool_]:
        """Return which points, rounded to the step, lie in the ball, and not so near its boundary that floats end."""
        return np.greater_equal(split(_snapped(points)).gaps, _LEAST_GAP)

    def distances(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Return the distances of every row of `a` to every row of `b`, each rounded to the step, in float64."""
        one, two = split(_snapped(a)), split(_snapped(b))
        if not min(one.gaps.min(initial=1.0), two.gaps.min(initial=1.0)) >= _LEAST_GAP:
            raise InvalidInputError(
                "points of the Poincaré ball must have norm < 1 - 2^-40; scale them down by a public number"
            )
        left, right = np.hstack([one.coarse, one.fine]), np.hstack([two.fine, two.coarse])
        distances = np.empty((len(left), len(right)))
        mixed, fine = np.empty((2, _ROWS, len(right)))
        for start in range(0, len(left), _ROWS):
            rows, count = slice(start, start + _ROWS), min(_ROWS, len(left) - start)
            np.dot(one.coarse[rows], two.coarse.T, out=distances[rows])
            np.dot(left[rows], right.T, out=mixed[:count])
            np.dot(one.fine[rows], two.fine.T, out=fine[:count])
            _finish(distances[rows], mixed, fine, start, one.norms, two.norms, one.gaps, two.gaps)
        return distances

    def relative_error(self, points: Points) -> float:
        """Bound the relative error of `distances` between these points."""
        return 2.0**-48


def _snapped(points: Points) -> Points:
    # What is beyond 2 is outside, however far, and must not overflow.
    snapped: Points = np.rint(np.clip(np.asarray(points, dtype=np.float64), -2, 2) / _STEP) * _STEP
    return snapped


@compiled
def _finish(coarse, mixed, fine, start, norms_a, norms_b, gaps_a, gaps_b):  # type: ignore[no-untyped-def]
    for i in range(coarse.shape[0]):
        for j in range(coarse.shape[1]):
            large = norms_a[0][start + i] + norms_b[0][j] - 2.0 * coarse[i, j]
            middle = norms_a[1][start + i] + norms_b[1][j] - 2.0 * mixed[i, j]
            small = norms_a[2][start + i] + norms_b[2][j] - 2.0 * fine[i, j]
            square = ((large + middle) + small) / (gaps_a[start + i] * gaps_b[j])
            # 2 arcsinh(sqrt(square)) = 2 ln(1 + y); the quotient repairs what rounding 1 + y does to the logarithm.
            y = np.sqrt(square) + square / (1.0 + np.sqrt(1.0 + square))
            whole = 1.0 + y
            coarse[i, j] = 2.0 * y if whole == 1.0 else 2.0 * y * (log(whole) / (whole - 1.0))
