"""Delta of the published noise: against quadrature, simulation, the table and the limit of many dimensions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import textveil as tv
from textveil.noise.product_laplace_curve import delta_bounds, published_delta

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(
    ("dimension", "epsilon", "delta"),
    [(32, 1, 0.117), (32, 4, 0.657), (32, 8, 0.974), (128, 1, 0.122), (128, 4, 0.711), (128, 8, 0.990)],
)
def test_delta_is_that_of_the_table(dimension, epsilon, delta):
    assert published_delta(dimension, epsilon) == pytest.approx(delta, abs=1e-3)


def by_quadrature(terms, a, epsilon):
    """Delta of a sum of terms, one integral a term."""
    if terms == 1:
        if epsilon >= a:
            return 0.0
        return 1 - math.exp(epsilon) if epsilon <= -a else 1 - math.exp((epsilon - a) / 2)

    def rest(loss):
        return by_quadrature(terms - 1, a, epsilon - loss)

    bends = sorted(y for k in range(-terms, terms + 1) if 0 < (y := (a - epsilon + k * a) / 2) < a)
    between, _ = integrate.quad(lambda y: math.exp(-y) / 2 * rest(a - 2 * y), 0, a, points=bends or None)
    return rest(a) / 2 + math.exp(-a) / 2 * rest(-a) + between


@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 0.5), (2, 4.0), (2, 12.0), (3, 1.0), (3, 6.0), (4, 1.0)])
def test_delta_of_few_dimensions_is_that_of_quadrature(dimension, epsilon):
    low, high = delta_bounds(dimension, epsilon)
    exact = by_quadrature(dimension, epsilon / math.sqrt(dimension), epsilon)
    assert low - 1e-9 <= exact <= high + 1e-9


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_delta_is_that_of_simulated_noise(epsilon):
    """Hoeffding's bound for a mean of numbers within [0, 1]; it fails for noise of scale x1.3."""
    n, count = 32, 100_000
    allowed = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * count))
    noise = np.random.default_rng(1).laplace(size=(count, n))
    for factor in (1.0, 1.3):
        a = epsilon / math.sqrt(n) / factor
        loss = (np.abs(noise - a) - np.abs(noise)).sum(axis=1)
        simulated = np.maximum(-np.expm1(epsilon - loss), 0).mean()
        assert (abs(simulated - published_delta(n, epsilon)) < allowed) == (factor == 1.0)


@pytest.mark.parametrize("dimension", [2, 7, 128])
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 30.0])
def test_the_bounds_are_a_millionth_apart(dimension, epsilon):
    low, high = delta_bounds(dimension, epsilon)
    assert -1e-12 <= high - low < 1e-6
    assert published_delta(dimension, epsilon) == low


def test_in_many_dimensions_the_noise_is_as_telling_as_normal_noise():
    """The loss tends to N(epsilon^2 / 2, epsilon^2): Gaussian noise with mu = epsilon."""
    limit = stats.norm.cdf(-0.5) - math.e * stats.norm.cdf(-1.5)
    assert published_delta(1 << 14, 1.0) == pytest.approx(limit, abs=1e-3)


def test_one_dimension_is_covered_and_nonsense_refused():
    assert published_delta(1, 1.0) == 0.0
    for wrong in ((0, 1.0), (2, 0.0), (2, math.nan), ((1 << 14) + 1, 1.0)):
        with pytest.raises(tv.InvalidInputError):
            published_delta(*wrong)
