"""What l2-Laplace noise promises when a delta is allowed: delta for each epsilon, and the scale needed (SPEC T3).

Two inputs x, x' at distance 1 and an output y: the loss is (|y - x'| - |y - x|) / scale. With t the difference in
brackets and a = 1 / (2 scale), elliptic coordinates around x and x' give t the density, on [-1, 1],

    e^(a t) (k + 1 - t^2) (1 - t^2)^((d - 3) / 2) / Z,    k = (d - 1) / a  K_{d/2}(a) / K_{d/2 - 1}(a),

K a Bessel function, and delta(epsilon) is the mean of (1 - e^(epsilon - t / scale))+: one integral of a smooth
positive function, with t = sin u. Proof: docs/mechanisms/laplace.md, claim 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from textveil.errors import require_count, require_positive, require_probability
from textveil.noise.gaussian_curve import least_enough

Floats = NDArray[np.float64]

# `laplace_delta` is at least this accurate, relative to itself; a scale leaves room for it.
_ACCURACY = 1e-9
_NODES = 256
# Where the integrand is e^-50 of its largest value, it no longer counts.
_DEPTH = 50.0
_ZOOMS = 12
_TINY = 1e-300
# So near to 1 / epsilon, where delta ends, float64 can't tell one scale's delta from the next; 1 / epsilon is safe.
_NEARLY_PURE = 1e-5
_HALVINGS = 60


def laplace_delta(epsilon: float, *, dimension: int, scale: float) -> float:
    """Return the smallest delta of noise with density ~ exp(-|z| / scale) between inputs at distance 1.

    Parameters
    ----------
    epsilon : loss, above 0
    dimension : length of a vector
    scale : of the noise, in units of the distance; from 1 / epsilon on delta is 0
    """
    epsilon = require_positive("epsilon", epsilon)
    dimension = require_count("dimension", dimension)
    scale = require_positive("scale", scale)
    if epsilon * scale >= 1:
        return 0.0
    if dimension == 1:
        return -math.expm1((epsilon - 1 / scale) / 2)
    a = 1 / (2 * scale)
    bulk = (dimension - 1) / a * _bessel_ratio(dimension, a)

    def log_density(u: Floats) -> Floats:
        cosine = np.maximum(np.cos(u), _TINY)
        return np.asarray((dimension - 2) * np.log(cosine) + np.log(bulk + cosine**2) + a * np.sin(u))

    def log_excess(u: Floats) -> Floats:
        # sin u - sin least as a product keeps its digits where both are near 1.
        beyond = 2 * np.cos((u + least) / 2) * np.sin((u - least) / 2)
        return np.asarray(log_density(u) + np.log(np.maximum(-np.expm1(-beyond / scale), _TINY)))

    least = math.asin(epsilon * scale)
    return min(1.0, math.exp(_log_integral(log_excess, least) - _log_integral(log_density, -math.pi / 2)))


@lru_cache(maxsize=1024)
def laplace_scale(epsilon: float, delta: float, dimension: int) -> float:
    """Return the least scale that is (epsilon, delta)-private at distance 1, and never less: at most 1 / epsilon.

    Parameters
    ----------
    epsilon : loss, above 0
    delta : at least 0 and below 1; 0 gives 1 / epsilon
    dimension : length of a vector
    """
    epsilon = require_positive("epsilon", epsilon)
    if require_probability("delta", delta) == 0:
        return 1 / epsilon

    def is_enough(scale: float) -> bool:
        return laplace_delta(epsilon, dimension=dimension, scale=scale) <= delta * (1 - _ACCURACY)

    scale = least_enough(is_enough)
    return scale if epsilon * scale < 1 - _NEARLY_PURE else 1 / epsilon


def _bessel_ratio(dimension: int, a: float) -> float:
    """Return K_{d/2}(a) / K_{d/2 - 1}(a) by the recurrence K_{v+1} = K_{v-1} + (2 v / a) K_v, stable upwards."""
    from scipy.special import k0e, k1e

    even = dimension % 2 == 0
    order, ratio = (0.0, float(k1e(a) / k0e(a))) if even else (-0.5, 1.0)
    for _ in range((dimension - 1) // 2):
        order += 1
        ratio = 2 * order / a + 1 / ratio
    return ratio


def _log_integral(log_value: Callable[[Floats], Floats], low: float) -> float:
    """Return ln of the integral of e^log_value from `low` to pi / 2, for one hump."""
    high = math.pi / 2
    left, right = low, high
    for _ in range(_ZOOMS):
        grid = np.linspace(left, right, 33)
        top = int(np.argmax(log_value(grid)))
        left, right = float(grid[max(top - 1, 0)]), float(grid[min(top + 1, 32)])
    peak = (left + right) / 2
    height = float(log_value(np.array([peak]))[0])
    left = peak - _reach(lambda step: log_value(peak - step), peak - low, height)
    right = peak + _reach(lambda step: log_value(peak + step), high - peak, height)
    nodes, weights = _gauss_legendre()
    values = log_value(left + (right - left) * (nodes + 1) / 2)
    return height + math.log((right - left) / 2 * float(weights @ np.exp(values - height)))


def _reach(log_value: Callable[[Floats], Floats], farthest: float, height: float) -> float:
    """Return a distance from the peak beyond which nothing counts, at most twice as long as it must be."""
    steps: Floats = farthest * np.exp2(-np.arange(_HALVINGS, dtype=np.float64))
    negligible = log_value(steps) < height - _DEPTH
    return float(steps[max(int(np.argmin(negligible)) - 1, 0)])


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes.astype(np.float64), weights.astype(np.float64)
