"""What Gaussian noise promises: delta for each epsilon, and the scale that a promise needs (SPEC T2, D3).

N(0, 1) and N(mu, 1) differ by delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu). With
a = epsilon/mu - mu/2, b = a + mu and Mills' ratio m(x) = (1 - Phi(x)) / phi(x) it is phi(a) (m(a) - m(b)): nothing
overflows, whatever epsilon. Proof: docs/mechanisms/gaussian.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability

Floats = NDArray[np.float64]

# `gaussian_delta` is at least this accurate, relative to itself, for delta above the least; a scale leaves room for it.
_ACCURACY = 2e-13
LEAST_DELTA = 1e-100
# Below this mu the two Mills' ratios nearly cancel, and their difference is integrated instead.
_SMALL_MU = 1.0
# Beyond this noncentrality the centre of the ball is so far away that its other side does not count.
_LARGEST_NONCENTRALITY = 1e5
# A Poisson variable leaves its mean by that many deviations with a probability below e^-700.
_POISSON_REACH = 60.0
_NODES = 2001
_SPREAD = 9.0


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return the smallest delta such that N(0, 1) and N(mu, 1) are (epsilon, delta)-close.

    Parameters
    ----------
    epsilon : loss, at least 0
    mu : distance of the means in standard deviations, at least 0
    """
    epsilon = _at_least_zero("epsilon", epsilon)
    mu = _at_least_zero("mu", mu)
    if mu == 0:
        return 0.0
    a = (epsilon - mu * mu / 2) / mu
    if math.isinf(a):
        return 0.0 if a > 0 else 1.0
    density = math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    if mu < _SMALL_MU:
        return density * mu * _mean_fall_of_mills_ratio(a, mu)
    from scipy.special import ndtr

    beyond = density * float(_mills_ratio(a)) if a > 0 else float(ndtr(-a))
    return max(0.0, beyond - density * float(_mills_ratio(a + mu)))


@lru_cache(maxsize=1024)
def gaussian_scale(epsilon: float, delta: float) -> float:
    """Return the least standard deviation that is (epsilon, delta)-private at distance 1, and never less.

    Parameters
    ----------
    epsilon : loss, at least 0
    delta : above 0 and below 1
    """
    epsilon = _at_least_zero("epsilon", epsilon)
    delta = require_probability("delta", require_positive("delta", delta))
    if delta < LEAST_DELTA:
        raise InvalidInputError(
            f"delta must be at least {LEAST_DELTA:g} (got {delta:g}): below it the scale can't be computed; a release "
            "without any delta is made by Laplace or PrivUnit"
        )

    def is_enough(scale: float) -> bool:
        return gaussian_delta(epsilon, 1 / scale) <= delta * (1 - _ACCURACY)

    return least_enough(is_enough)


def unequal_gaussian_delta(
    epsilon: float, *, dimension: int, sigma: float, other_sigma: float, distance: float
) -> float:
    """Return delta between N(x, sigma^2 I), the truth, and N(y, other_sigma^2 I), with |x - y| = distance.

    That is ONE direction; a guarantee needs the larger of both: `unequal_gaussian_delta_both_ways`.
    """
    epsilon = _at_least_zero("epsilon", epsilon)
    dimension = require_count("dimension", dimension)
    s, t = require_positive("sigma", sigma), require_positive("other_sigma", other_sigma)
    distance = _at_least_zero("distance", distance)
    if s == t:
        return gaussian_delta(epsilon, distance / s)
    # With y measured from x along the difference v, twice the loss passes twice epsilon where
    # bend |y - centre|^2 > 2 threshold + |v|^2 / (s^2 t^2 bend): inside or outside of a ball.
    bend = (s - t) * (s + t) / (s * s * t * t)
    threshold = epsilon - dimension * math.log(t / s)
    own = (distance / (t * t * bend) / s) ** 2
    other = (distance / (s * s * bend) / t) ** 2
    if max(own, other) > _LARGEST_NONCENTRALITY:
        truth, alternative = _beyond_a_plane(dimension, s, t, distance, bend, threshold)
    else:
        square = (2 * threshold + distance**2 / (s * s * t * t * bend)) / bend
        truth = _chance_of_ball(square / (s * s), dimension, own, inside=bend < 0)
        alternative = _chance_of_ball(square / (t * t), dimension, other, inside=bend < 0)
    # e^epsilon times the second never passes the first, so an overflow can only come from rounding.
    counted = math.exp(min(0.0, epsilon + math.log(alternative))) if alternative > 0 else 0.0
    return min(1.0, max(0.0, truth - counted))


def unequal_gaussian_delta_both_ways(
    epsilon: float, *, dimension: int, sigma: float, other_sigma: float, distance: float
) -> float:
    """Return the delta that a guarantee needs between two inputs with noise of different scales."""
    forth, back = (
        unequal_gaussian_delta(epsilon, dimension=dimension, sigma=truth, other_sigma=other, distance=distance)
        for truth, other in ((sigma, other_sigma), (other_sigma, sigma))
    )
    return max(forth, back)


def least_enough(is_enough: Callable[[float], bool]) -> float:
    """Return the least float above 0 that is enough, where all above an unknown one are."""
    high = 1.0
    while not is_enough(high):
        high *= 2
    low = high / 2
    while is_enough(low):
        low, high = low / 2, low
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _mills_ratio(x: Floats | float) -> Floats:
    from scipy.special import erfcx

    return np.asarray(math.sqrt(math.pi / 2) * erfcx(np.asarray(x) / math.sqrt(2)))


def _mean_fall_of_mills_ratio(a: float, width: float) -> float:
    """Return (m(a) - m(a + width)) / width as the mean of -m'(x) = 1 - x m(x)."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    x = a + width * (nodes + 1) / 2
    return float(weights @ (1 - x * _mills_ratio(x))) / 2


def _chance_of_ball(square: float, dimension: int, noncentrality: float, *, inside: bool) -> float:
    """Return P[|N(c, I)|^2 < square], or its complement, with |c|^2 = noncentrality.

    It is a Poisson mixture of chi-squares; all terms are positive, so that small chances keep their digits.
    """
    if square <= 0:
        return 0.0 if inside else 1.0
    from scipy.special import gammainc, gammaincc

    mean = noncentrality / 2
    reach = _POISSON_REACH * (math.sqrt(mean) + 3)
    first = max(0, int(mean - reach))
    count = np.arange(first, int(mean + reach) + 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        heights = np.append(0.0, np.cumsum(np.log(mean / count[1:])))
    weights = np.exp(heights - heights.max())
    chances = (gammainc if inside else gammaincc)(dimension / 2 + count, square / 2)
    return float(weights @ chances / weights.sum())


def _beyond_a_plane(
    dimension: int, s: float, t: float, distance: float, bend: float, threshold: float
) -> tuple[float, float]:
    """Return the chances that the loss passes epsilon, under the truth and under the other, for a nearly flat ball.

    Given the part w of |y|^2 across the difference, the loss passes epsilon below a root along it; the other
    root is more than 300 deviations away. Across there is a chi-square with one dimension less.
    """
    across, weights = _chi_square_nodes(dimension - 1)
    pull = distance / (t * t)

    def root(w: Floats) -> Floats:
        height = distance * pull + bend * w - 2 * threshold
        return np.asarray(height / (pull + np.sqrt(np.maximum(0.0, pull * pull - bend * height))))

    from scipy.special import ndtr

    truth = weights @ ndtr(root(s * s * across) / s)
    other = weights @ ndtr((root(t * t * across) - distance) / t)
    return float(truth), float(other)


def _chi_square_nodes(degrees: int) -> tuple[Floats, Floats]:
    """Points and weights for means over a chi-square variable: a trapezoid rule in its logarithm."""
    if degrees == 0:
        return np.zeros(1), np.ones(1)
    width = _SPREAD * math.sqrt(2 / degrees)
    logs = np.linspace(-width - 2 * _SPREAD**2 / degrees, width, _NODES)
    heights = degrees / 2 * (logs - np.expm1(logs))
    weights = np.exp(heights - heights.max())
    return degrees * np.exp(logs), weights / weights.sum()


def _at_least_zero(name: str, value: float) -> float:
    if not value >= 0:
        raise InvalidInputError(f"{name} must be at least 0 (got {value!r})")
    return float(value)
