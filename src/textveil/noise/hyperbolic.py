"""Laplace noise in hyperbolic space of curvature -1: density proportional to exp(-epsilon d) by volume (SPEC T12).

The distance r from the centre has density proportional to e^(-epsilon r) sinh^(n-1) r, so u = e^(-2r) has density
proportional to u^(a-1) (1-u)^(n-1) with a = (epsilon - n + 1) / 2: it is Beta(a, n). For a <= 0, that is for
epsilon <= n - 1, the mass is infinite and there is no such law. Proof: docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.noise.transforms import Floats, gammas, normals, uniforms
from textveil.randomness import Streams
from textveil.spaces.hyperbolic import Polar

# Beyond this radius e^(-2r) is nothing beside 1.
_FAR = 200.0


@dataclass(frozen=True)
class RadiusLaw:
    """How far hyperbolic Laplace noise goes."""

    epsilon: float
    dimension: int

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)
        if self.epsilon <= require_count("dimension", self.dimension) - 1:
            raise InvalidInputError(
                f"epsilon must be > {self.dimension - 1} for noise in hyperbolic space of dimension {self.dimension} "
                f"(got {self.epsilon!r})"
            )

    @property
    def shape(self) -> float:
        """The first parameter a of the Beta law of e^(-2r)."""
        return (self.epsilon - self.dimension + 1) / 2

    def mean(self) -> float:
        """The mean radius."""
        from scipy.special import digamma

        return float(digamma(self.shape + self.dimension) - digamma(self.shape)) / 2

    def deviation(self) -> float:
        """The standard deviation of the radius."""
        from scipy.special import polygamma

        return math.sqrt(float(polygamma(1, self.shape) - polygamma(1, self.shape + self.dimension))) / 2

    def cdf(self, radius: Any) -> Floats:
        """Return P[r <= radius]."""
        from scipy.special import betaincc

        radius = np.asarray(radius, dtype=np.float64)
        near = betaincc(self.shape, self.dimension, np.exp(-2 * radius))
        shares: Floats = np.where(radius < _FAR, near, -np.expm1(-2 * self.shape * radius - self._log_edge))
        return shares

    def quantile(self, share: Any) -> Floats:
        """Return the radius that this share of the noise does not pass."""
        from scipy.special import betainccinv

        share = np.asarray(share, dtype=np.float64)
        with np.errstate(divide="ignore"):
            near = -np.log(betainccinv(self.shape, self.dimension, share)) / 2
            far = -(np.log1p(-share) + self._log_edge) / (2 * self.shape)
        radii: Floats = np.where(far < _FAR, near, far)
        return radii

    @property
    def _log_edge(self) -> float:
        """Where u is tiny, P[e^(-2r) <= u] = u^a / (a B(a, n)); this is the logarithm of a B(a, n)."""
        n, a = self.dimension, self.shape
        return math.lgamma(a + 1) + math.lgamma(n) - math.lgamma(a + n)

    def log_mass(self) -> float:
        """Return the logarithm of the integral of e^(-epsilon r) over the whole space."""
        n = self.dimension
        sphere = math.log(2) + n / 2 * math.log(math.pi) - math.lgamma(n / 2)
        return sphere - n * math.log(2) + self._log_edge - math.log(self.shape)

    def draw(self, streams: Streams) -> Floats:
        """Draw one radius an item: u = A / (A + B) with A ~ Gamma(a), B ~ Gamma(n), in logarithms for tiny a."""
        log_a = np.log(gammas(streams, self.shape + 1))
        log_a += np.log(uniforms(streams.words(2)[:, :1])[:, 0]) / self.shape
        log_b = np.log(gammas(streams, self.dimension))
        return np.asarray(np.logaddexp(0, log_b - log_a) / 2)


def hyperbolic_laplace(streams: Streams, law: RadiusLaw) -> Polar:
    """Draw noise around the origin, one point an item: a radius and a uniform direction."""
    radius = law.draw(streams)
    return Polar(radius, directions(streams, law.dimension))


def directions(streams: Streams, dimension: int) -> Floats:
    """Draw one unit vector an item, uniform on the sphere."""
    vectors = normals(streams, dimension)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    return vectors
