"""Losses as squares: what N(0, 1) and N(mu, 1) are to each other, with every rounding to the safe side.

Proofs: docs/ledger.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from textveil.ledger.exact import exactly, float_above, float_below
from textveil.noise.gaussian_curve import gaussian_delta, least_enough

# The curve is accurate to 2e-13 of itself, and the inverse of the normal law to less than this much and a little.
_MARGIN = 1e-12
_A_LITTLE = 4e-15
# Below this the accuracy of the curve has not been measured.
LEAST_CURVE_DELTA = 1e-90


def square_of(epsilon: Fraction) -> Fraction:
    """Return mu^2 such that any epsilon-private release is a function of N(0, 1) or N(mu, 1), and other noise.

    mu = -2 Phi^-1(1 / (1 + e^epsilon)): there the curve of N(mu, 1) meets the one corner of randomised response.
    """
    from scipy.special import ndtri_exp

    loss = float_above(epsilon)
    # ln(1 / (1 + e^loss)), which does not overflow.
    log_chance = -(loss + math.log1p(math.exp(-loss)))
    mu = -2 * float(ndtri_exp(log_chance)) * (1 + _MARGIN) + _A_LITTLE
    return exactly(mu) ** 2 if epsilon else Fraction(0)


def within(square: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether N(0, 1) and N(mu, 1) are (epsilon, delta)-close."""
    return _delta(float_below(epsilon), _mu(square)) <= float_below(delta)


def epsilon_of(square: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon, the least float, with which N(0, 1) and N(mu, 1) are (epsilon, delta)-close."""
    mu, limit = _mu(square), float_below(delta)
    if _delta(0.0, mu) <= limit:
        return Fraction(0)
    return exactly(least_enough(lambda epsilon: _delta(epsilon, mu) <= limit))


def _mu(square: Fraction) -> float:
    return math.nextafter(math.sqrt(float_above(square)), math.inf) if square else 0.0


def _delta(epsilon: float, mu: float) -> float:
    return gaussian_delta(epsilon, mu) * (1 + _MARGIN)
