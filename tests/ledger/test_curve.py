"""Squares stand for losses: nothing released is easier to tell apart than the Gaussian pair it is counted as."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from textveil.ledger.curve import epsilon_of, square_of, within
from textveil.ledger.datasets import Dataset
from textveil.ledger.tallies import Tally
from textveil.noise.gaussian_curve import gaussian_delta, gaussian_scale

LOSSES = [1e-9, 1e-4, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 40.0, 200.0, 2000.0]


def response_delta(epsilon, threshold):
    """Of randomised response, the hardest case of an epsilon-private release."""
    return max(0.0, (1 - math.exp(threshold - epsilon)) / (1 + math.exp(-epsilon)))


def responses_delta(count, epsilon, threshold):
    """Of so many of them, by their exact law."""
    heads = np.arange(count + 1)
    loss = epsilon * (2 * heads - count)
    logs = np.array([math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) for k in heads])
    chance = np.exp(logs + heads * epsilon - count * math.log1p(math.exp(epsilon)))
    return float(np.sum(chance * np.maximum(0.0, -np.expm1(threshold - loss))))


@pytest.mark.parametrize("epsilon", LOSSES)
def test_a_pure_loss_is_never_easier_to_tell_than_its_square(epsilon):
    mu = math.sqrt(square_of(Fraction(epsilon)))
    for threshold in [0.0, epsilon / 100, epsilon / 3, epsilon / 2, epsilon * 0.99]:
        assert response_delta(epsilon, threshold) <= gaussian_delta(threshold, mu) * (1 + 1e-9) + 1e-18
    # The corner of randomised response: P[error] = 1 / (1 + e^epsilon) on both sides.
    assert float(log_ndtr(-mu / 2)) <= -(epsilon + math.log1p(math.exp(-epsilon))) * (1 - 1e-15)
    assert float(log_ndtr(-mu * (1 - 1e-4) / 2)) > -(epsilon + math.log1p(math.exp(-epsilon)))


def test_no_loss_has_no_square():
    assert square_of(Fraction(0)) == 0
    assert epsilon_of(Fraction(0), Fraction(1, 10**6)) == 0


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.0), (3, 0.5), (20, 0.3), (200, 0.1), (5, 4.0)])
def test_squares_of_pure_losses_add(count, epsilon):
    square = count * square_of(Fraction(epsilon))
    for delta in (1e-9, 1e-6, 1e-2):
        bound = float(epsilon_of(square, Fraction(delta)))
        assert responses_delta(count, epsilon, bound) <= delta


@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("delta", [1e-60, 1e-9, 1e-3])
def test_epsilon_is_the_least_that_the_curve_allows(mu, delta):
    square = Fraction(mu) ** 2
    epsilon = epsilon_of(square, Fraction(delta))
    assert gaussian_delta(float(epsilon), mu) <= delta
    assert within(square, epsilon, Fraction(delta))
    if epsilon:
        less = epsilon * (1 - Fraction(1, 10**6))
        assert not within(square, less, Fraction(delta))
        assert gaussian_delta(float(less), mu) > delta * (1 - 1e-4)


def test_four_gaussians_have_twice_the_mu_of_one():
    mu = 1 / gaussian_scale(1.0, 1e-6)
    assert float(epsilon_of(Fraction(mu) ** 2, Fraction(1e-6))) == pytest.approx(1.0, abs=1e-9)
    plain = brentq(
        lambda e: ndtr(mu - e / (2 * mu)) - math.exp(e) * ndtr(-mu - e / (2 * mu)) - 1e-6, 0.5, 9, xtol=1e-12
    )
    assert float(epsilon_of(4 * Fraction(mu) ** 2, Fraction(1e-6))) == pytest.approx(plain, rel=1e-8)


def worst_delta(dataset, choices, steps):
    """The largest delta of anyone who looks at each answer before choosing the next release, or stopping."""

    @cache
    def value(counts, loss):
        left = steps - sum(counts)
        best = max(0.0, -math.expm1(float(dataset.epsilon) - loss))
        for place, epsilon in enumerate(choices):
            after = tuple(count + (index == place) for index, count in enumerate(counts))
            if left and allowed(after):
                right = 1 / (1 + math.exp(-epsilon))
                up, down = (value(after, round(loss + sign * epsilon, 9)) for sign in (1, -1))
                best = max(best, right * up + (1 - right) * down)
        return best

    @cache
    def allowed(counts):
        pairs = list(zip(counts, choices, strict=True))
        spent = Tally(
            epsilon=sum((count * Fraction(epsilon) for count, epsilon in pairs), Fraction(0)),
            square=sum((count * square_of(Fraction(epsilon)) for count, epsilon in pairs), Fraction(0)),
        )
        return dataset.allows(spent)

    return value((0,) * len(choices), 0.0)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.5])
def test_who_chooses_each_release_after_the_last_stays_below_delta(epsilon):
    dataset = Dataset.checked(
        "d", unit="record", epsilon=epsilon, delta=0.05, counting="gaussian", metric="", radius=None, offset=0,
        summed_delta=0,
    )  # fmt: skip
    found = worst_delta(dataset, (0.1, 0.4), steps=30)
    assert 0.002 < found <= 0.05


def test_the_adaptive_search_finds_a_filter_that_allows_too_much():
    class Lenient:
        epsilon = 1.0

        def allows(self, spent):
            return within(spent.square / Fraction(17, 10), Fraction(1), Fraction(1, 20))

    assert worst_delta(Lenient(), (0.1, 0.4), steps=40) > 0.05
