"""The law of PrivUnit: a cap of the sphere around the private direction u, likelier than the rest (SPEC T6).

In d dimensions let t = <V, u>. For uniform V, (1 - t) / 2 has the law Beta(a, a), a = (d - 1) / 2. PrivUnit makes
points off the cap t >= gamma e^-epsilon times as likely as points on it, and changes nothing else. E[V] = m u, and m
is largest where gamma = m.  Proofs: docs/mechanisms/privunit.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

# Above this the ratio of Gamma functions comes from its series, which is good to 1e-15 there.
_SERIES_FROM = 128.0
_LEAST_GAP = 1e-300


@dataclass(frozen=True)
class Cap:
    """The points of the sphere with t >= gamma.

    Parameters
    ----------
    dimension : of the space around the sphere, at least 2
    gamma : where the cap begins, from 0 to 1
    gap : 1 - gamma, which keeps its digits when gamma is next to 1
    """

    dimension: int
    gamma: float
    gap: float

    @property
    def shape(self) -> float:
        """Parameter a of the law Beta(a, a) of (1 - t) / 2."""
        return (self.dimension - 1) / 2

    @cached_property
    def mass(self) -> float:
        """How likely a uniform point lies in the cap: q."""
        from scipy.special import betainc

        return float(betainc(self.shape, self.shape, self.gap / 2))

    @cached_property
    def moment(self) -> float:
        """The mean of t over uniform points, those off the cap counted as 0: M."""
        return _peak(self.shape) * math.exp(self.shape * _log_sine_squared(self.gamma, self.gap)) / (2 * self.shape)

    def mean(self, odds: float) -> tuple[float, float]:
        """Return m and 1 - m, both to full relative accuracy.

        Parameters
        ----------
        odds : c / (1 - c) for a point off the cap that is c times as likely as one on it; 1 / (e^epsilon - 1)
        """
        from scipy.special import betainc

        if self.gamma < 0.5:
            m = self.moment / (odds + self.mass)
            return m, 1 - m
        rest = (odds + float(betainc(self.shape + 1, self.shape, self.gap / 2))) / (odds + self.mass)
        return 1 - rest, rest

    def density(self, t: float) -> float:
        """Density of t over uniform points."""
        return _peak(self.shape) * math.exp((self.shape - 1) * math.log1p(-t * t))


def best_cap(dimension: int, epsilon: float) -> Cap:
    """Return the cap whose m is the largest that epsilon allows: gamma = m.

    Parameters
    ----------
    dimension : of the space around the sphere, at least 2
    epsilon : log of how much likelier a point on the cap is
    """
    from scipy.optimize import brentq

    odds = 1 / math.expm1(epsilon)

    def by_gamma(gamma: float) -> float:
        return gamma - Cap(dimension, gamma, 1 - gamma).mean(odds)[0]

    def by_gap(log_gap: float) -> float:
        gap = math.exp(log_gap)
        return gap - Cap(dimension, 1 - gap, gap).mean(odds)[1]

    if by_gamma(0.5) > 0:
        gamma = float(brentq(by_gamma, 0.0, 0.5, xtol=1e-300, rtol=1e-15))
        return Cap(dimension, gamma, 1 - gamma)
    gap = math.exp(float(brentq(by_gap, math.log(_LEAST_GAP), math.log(0.5), xtol=1e-15, rtol=1e-15)))
    return Cap(dimension, 1 - gap, gap)


def cap_of_mass(dimension: int, mass: float) -> Cap:
    """Return the cap that a uniform point lies in with this probability, at most a half."""
    from scipy.special import betaincinv

    shape = (dimension - 1) / 2
    gap = min(1.0, 2 * float(betaincinv(shape, shape, mass)))
    return Cap(dimension, 1 - gap, gap)


def _peak(shape: float) -> float:
    """Density of t at 0: Gamma(a + 1/2) / (sqrt(pi) Gamma(a))."""
    if shape < _SERIES_FROM:
        ratio = math.gamma(shape + 0.5) / math.gamma(shape)
    else:
        x = 1 / shape
        series = 1 + x * (-1 / 8 + x * (1 / 128 + x * (5 / 1024 + x * (-21 / 32768 + x * (-399 / 262144)))))
        ratio = math.sqrt(shape) * series
    return ratio / math.sqrt(math.pi)


def _log_sine_squared(gamma: float, gap: float) -> float:
    """ln(1 - gamma^2)."""
    return math.log1p(-gamma * gamma) if gamma < 0.5 else math.log(gap * (2 - gap))
