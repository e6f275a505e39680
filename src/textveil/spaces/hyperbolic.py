"""Hyperbolic space of curvature -1 in polar coordinates, and how they relate to the Poincaré ball.

A point is its distance r from the origin and a unit vector u. In the ball it is tanh(r/2) u, on the hyperboloid
(cosh r, sinh r u). The ball's floats end near r = 37 and lose digits long before; polar coordinates do not. No formula
here cancels; of two points one may be as far as floats go, the other up to r = 300. Proofs:
docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError

Floats = NDArray[np.float64]

# Points of the ball that are written as floats end here, at r = 28.4: so near the boundary floats are 1e-4 apart.
LARGEST_NORM = 1 - 2.0**-40
COARSE_STEP = 2.0**-25
# From here on arcsinh(z) = ln(2z) in float64.
_FAR = 20.0


class Split(NamedTuple):
    """Points as a coarse part, multiples of 2^-25, and the fine rest; 1 - |x|^2 from both without cancellation."""

    coarse: Floats
    fine: Floats
    norms: tuple[Floats, Floats, Floats]
    gaps: Floats


def split(points: Floats) -> Split:
    """Split points of the ball so that sums of products of the coarse parts are exact."""
    points = np.clip(points, -2, 2)
    coarse = np.rint(points / COARSE_STEP) * COARSE_STEP
    fine = points - coarse
    norms = (
        np.einsum("ij,ij->i", coarse, coarse),
        2 * np.einsum("ij,ij->i", coarse, fine),
        np.einsum("ij,ij->i", fine, fine),
    )
    return Split(coarse, fine, norms, ((1 - norms[0]) - norms[1]) - norms[2])


@dataclass(frozen=True)
class Polar:
    """Points of hyperbolic space: distances from the origin (n,) and unit vectors (n, d)."""

    radius: Floats
    direction: Floats

    @classmethod
    def of_tangents(cls, vectors: ArrayLike) -> Polar:
        """Return the points reached from the origin by walking along these vectors, as far as they are long."""
        vectors = np.atleast_2d(np.asarray(vectors, dtype=np.float64))
        radius = np.linalg.norm(vectors, axis=1)
        return cls(radius, _unit(vectors, radius))

    @classmethod
    def of_ball(cls, points: ArrayLike) -> Polar:
        """Return points given in the Poincaré ball."""
        points = np.atleast_2d(np.asarray(points, dtype=np.float64))
        norms, gaps = np.linalg.norm(points, axis=1), split(points).gaps
        if not (gaps > 0).all():
            raise InvalidInputError(
                "points of the Poincaré ball must have norm < 1; scale them down by a public number"
            )
        # sinh(r/2) = |x| / sqrt(1 - |x|^2)
        return cls(2 * np.arcsinh(norms / np.sqrt(gaps)), _unit(points, norms))

    @classmethod
    def of_hyperboloid(cls, points: ArrayLike) -> Polar:
        """Return points given as (x0, x) with x0 = sqrt(1 + |x|^2)."""
        space = np.atleast_2d(np.asarray(points, dtype=np.float64))[:, 1:]
        norms = np.linalg.norm(space, axis=1)
        return cls(np.arcsinh(norms), _unit(space, norms))

    def ball(self) -> Floats:
        """Return the points in the Poincaré ball; those beyond r = 28.4 are pulled back to there."""
        return np.minimum(np.tanh(self.radius / 2), LARGEST_NORM)[:, None] * self.direction

    def hyperboloid(self) -> Floats:
        """Return the points as (cosh r, sinh r u)."""
        return np.column_stack([np.cosh(self.radius), np.sinh(self.radius)[:, None] * self.direction])

    def tangents(self) -> Floats:
        """Return the vectors at the origin that lead to the points, as long as the points are far."""
        return self.radius[:, None] * self.direction

    def __neg__(self) -> Polar:
        return Polar(self.radius, -self.direction)


def distance(a: Polar, b: Polar) -> Floats:
    """Return the distance of each point of `a` to the point of `b` in the same place."""
    # sinh^2(d/2) = sinh^2((s-t)/2) + sinh s sinh t |u-v|^2 / 4, divided by e^(s+t) so that nothing overflows.
    s, t = a.radius, b.radius
    apart = np.linalg.norm(a.direction - b.direction, axis=1)
    radial = np.abs(_scaled_sinh(s / 2, t / 2))
    angular = np.sqrt(np.expm1(-2 * s) * np.expm1(-2 * t)) / 4 * apart
    return _twice_arcsinh(np.hypot(radial, angular), (s + t) / 2)


def translate(base: Polar, points: Polar) -> Polar:
    """Move the origin to `base` along the straight line, and everything with it: an isometry.

    A point at distance r from the origin comes to lie at distance r from `base`.
    """
    t, u, r, w = base.radius, base.direction, points.radius, points.direction
    radius = distance(points, -base)
    # In units of e^(t+r): x = (sinh(t-r) + cosh t sinh r (1+c)) u + sinh r (w - c u), c = <w, u>.
    sign = np.where(np.einsum("ij,ij->i", w, u) < 0, -1.0, 1.0)[:, None]
    difference = w - sign * u
    short = np.einsum("ij,ij->i", difference, difference)[:, None] / 2
    one_plus_c = np.where(sign > 0, 2 - short, short)
    across = difference + sign * short * u
    t, r = t[:, None], r[:, None]
    half_sinh = -np.expm1(-2 * r) / 2
    along = _scaled_sinh(t, r) + (1 + np.exp(-2 * t)) / 2 * half_sinh * one_plus_c
    moved = along * u + np.exp(-t) * half_sinh * across
    return Polar(radius, _unit(moved, np.linalg.norm(moved, axis=1)))


def walk(base: Polar, tangents: ArrayLike) -> Polar:
    """Return the point reached from `base` along each tangent vector (the exponential map).

    Tangents are as long as the way is far; one of length l in the coordinates of the ball is l 2 / (1 - |x|^2) long.
    """
    return translate(base, Polar.of_tangents(tangents))


def way(base: Polar, points: Polar) -> Floats:
    """Return the tangent vector at `base` that leads to each point (the logarithmic map)."""
    return translate(-base, points).tangents()


def _scaled_sinh(a: Floats, b: Floats) -> Floats:
    """Return sinh(a - b) e^-(a + b)."""
    scaled: Floats = np.sign(b - a) * np.exp(-2 * np.minimum(a, b)) * np.expm1(-2 * np.abs(a - b)) / 2
    return scaled


def _twice_arcsinh(scaled: Floats, exponent: Floats) -> Floats:
    """Return 2 arcsinh(scaled e^exponent), whether or not that power is a float."""
    with np.errstate(over="ignore", divide="ignore"):
        logs = np.log(2 * scaled) + exponent
        plain = 2 * np.arcsinh(scaled * np.exp(exponent / 2) * np.exp(exponent / 2))
    return np.where(logs > _FAR, 2 * logs, plain)


def _unit(vectors: Floats, norms: Floats) -> Floats:
    """Divide vectors by their norms; the origin gets the first axis for a direction."""
    first = np.eye(1, vectors.shape[1])
    return np.where(norms[:, None] > 0, vectors / np.where(norms > 0, norms, 1)[:, None], first)
