"""Mixtures of discrete Gaussians with integer weights, and how steep their log-probability is (SPEC 8.3, A7).

A vector k has probability psi(|k|) = sum_j w_j / W theta(S_j)^-d exp(-|k|^2 / (2 S_j)), S_j = sigma_j^2. With
h = -ln psi, two shifts of the noise differ in log-probability by at most sup h' times their distance, and
h'(r) is the mean of r / S under the weights w_j theta(S_j)^-d exp(-r^2 / (2 S_j)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.noise.lattice import Integers

Floats = NDArray[np.float64]

# theta(S) = sqrt(2 pi S) up to a relative error of e^(-2 pi^2 S), which is nothing from here on.
_LEAST_DEVIATION = 128
_LARGEST_DEVIATION = 2**50
WEIGHT_BITS = 256
# Nodes lighter than e^-150 = 2^-216 of the heaviest are left out: the others keep their 53 bits, or nearly.
_DEPTH = 150.0
# Terms below e^-50 of the largest do not reach the last digit of a sum.
_NEGLIGIBLE = -50.0


@dataclass(frozen=True, eq=False)
class Mixture:
    """Integer standard deviations and the integer weights they are chosen by, 2^256 in all."""

    dimension: int
    deviations: Integers
    weights: tuple[int, ...]

    def slopes(self, radii: Floats) -> tuple[Floats, Floats]:
        """Return h' at each radius, and a bound of |h'''| there made of absolute values."""
        slope, bend = np.empty(len(radii)), np.empty(len(radii))
        heights = self._log_weights() - self.dimension * np.log(self.deviations / self.deviations[0])
        _slopes(radii, heights, 1 / self.deviations.astype(np.float64) ** 2, slope, bend)
        return slope, bend

    def tail(self, radius: float) -> float:
        """Bound P[|K| > radius]: Chernoff's bound of each discrete Gaussian, which is that of chi-square."""
        if radius <= 0:
            return 1.0
        shares = self._log_weights() - WEIGHT_BITS * math.log(2)
        x = (radius / self.deviations) ** 2 / self.dimension
        bounds = np.where(x > 1, -0.5 * self.dimension * (x - 1 - np.log(x)), 0.0)
        logs = shares + bounds
        top = float(logs.max())
        return min(1.0, math.exp(top) * float(np.exp(logs - top).sum()))

    def _log_weights(self) -> Floats:
        return np.array([math.log(weight) for weight in self.weights])


def laplace_mixture(dimension: int, rate: float) -> Mixture:
    """Approximate exp(-rate |k|): the trapezoid rule on ln S for an S from Gamma((d + 1) / 2, rate^2 / 2)."""
    step = min(0.02, 0.9 / math.sqrt(dimension))
    half = (dimension + 1) / 2
    least, largest = _range(_DEPTH / half)
    unit = math.sqrt(dimension + 1) / rate
    least = max(least, (_LEAST_DEVIATION / unit) ** 2)
    if unit * math.sqrt(largest) >= _LARGEST_DEVIATION:
        raise InvalidInputError(f"rate {rate:.3g} needs deviations beyond 2^50; use a coarser lattice")
    count = int(math.log(largest / least) / step) + 2
    ideal = unit * np.sqrt(least) * np.exp(0.5 * step * np.arange(count))
    deviations = np.unique(np.rint(ideal).astype(np.int64))
    position = 2 * np.log(deviations)
    # The rule for the nodes as they are: with equal spacings the rounding would show in the slope.
    spacing = np.gradient(position) / step
    t = (deviations / unit) ** 2
    values = np.exp(half * (np.log(t) - t + 1)) * spacing
    values /= values.sum()
    weights = [int(math.ldexp(value, WEIGHT_BITS)) for value in values]
    # A total that is a power of two makes the choice a plain look-up; the rest is some 1e-16 of the heaviest.
    weights[int(np.argmax(values))] += 2**WEIGHT_BITS - sum(weights)
    return Mixture(dimension, deviations, tuple(weights))


def _range(depth: float) -> tuple[float, float]:
    """Solve t - ln t - 1 = depth below and above 1."""
    from scipy.special import lambertw

    at = -math.exp(-1 - depth)
    return -float(lambertw(at, 0).real), -float(lambertw(at, -1).real)


@compiled
def _slopes(radii, heights, precisions, slope, bend):  # type: ignore[no-untyped-def]
    logs = np.empty(len(heights))
    for i in range(len(radii)):
        r = radii[i]
        largest = -np.inf
        mode = 0.0
        for j in range(len(heights)):
            logs[j] = heights[j] - 0.5 * r * r * precisions[j]
            if logs[j] > largest:
                largest, mode = logs[j], precisions[j]
        total, first, second, third = 0.0, 0.0, 0.0, 0.0
        for j in range(len(heights)):
            if logs[j] - largest > _NEGLIGIBLE:
                weight = np.exp(logs[j] - largest)
                # Moments around the mode: raw moments would cancel.
                offset = precisions[j] - mode
                total += weight
                first += weight * offset
                second += weight * offset * offset
                third += weight * offset * offset * offset
        m1, m2, m3 = first / total, second / total, third / total
        variance = m2 - m1 * m1
        skew = m3 - 3.0 * m1 * m2 + 2.0 * m1 * m1 * m1
        slope[i] = r * (mode + m1)
        # h''' = -3 r Var + r^3 k_3 (cumulants of 1/S); the two terms nearly cancel and are not allowed to.
        bend[i] = 3.0 * r * variance + r * r * r * abs(skew)
