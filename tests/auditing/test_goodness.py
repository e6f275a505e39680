"""Tests against a law have the false alarms that they state, and see a scale that is wrong by 1.3."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from textveil.auditing.goodness import binomial, choices, gamma_sum, kolmogorov, two_sided


def test_kolmogorov_is_exact_for_few_values():
    assert kolmogorov(np.array([0.02]), lambda t: t).smaller == pytest.approx(0.02)
    assert kolmogorov(np.array([0.98]), lambda t: t).larger == pytest.approx(0.02)
    values = np.random.default_rng(0).random(30)
    sides = kolmogorov(values, lambda t: np.clip(t, 0, 1))
    assert sides.smaller == pytest.approx(stats.kstest(values, "uniform", alternative="greater").pvalue)
    assert sides.larger == pytest.approx(stats.kstest(values, "uniform", alternative="less").pvalue)


def test_kolmogorov_tells_too_little_noise_from_too_much():
    sizes = np.random.default_rng(1).exponential(size=2000)

    def law(t):
        return -np.expm1(-np.maximum(t, 0))

    assert min(kolmogorov(sizes, law)) > 1e-6
    assert kolmogorov(sizes / 1.3, law).smaller < 1e-6 < kolmogorov(sizes / 1.3, law).larger
    assert kolmogorov(sizes * 1.3, law).larger < 1e-6 < kolmogorov(sizes * 1.3, law).smaller


def test_what_rounding_may_have_done_is_forgiven():
    values = np.full(100, 0.5)
    assert kolmogorov(values, lambda t: np.clip(t, 0, 1), slack=0.0).smaller < 1e-6
    assert min(kolmogorov(values, lambda t: np.clip(t, 0, 1), slack=0.5)) == 1
    assert gamma_sum(10.0, 100.0).smaller < 1e-6 < gamma_sum(10.0, 100.0, slack=90.0).smaller


def test_counts_are_judged_by_their_exact_tails():
    sides = binomial(8, 10, 0.5)
    assert sides.larger == pytest.approx(stats.binom.sf(7, 10, 0.5))
    assert sides.smaller == pytest.approx(stats.binom.cdf(8, 10, 0.5))
    assert (binomial(0, 10, 0.5).larger, binomial(10, 10, 0.5).smaller) == (1.0, 1.0)
    assert two_sided(sides) == pytest.approx(2 * sides.larger)


def test_choices_accuse_a_correct_law_no_more_often_than_stated():
    """Not sampled: all outcomes of 12 draws of three things, one of them rare."""
    law = np.array([0.9, 0.0999, 0.0001])
    accused = 0.0
    for a in range(13):
        for b in range(13 - a):
            counts = np.array([a, b, 12 - a - b], dtype=float)
            if choices(counts, law) <= 0.05:
                accused += stats.multinomial.pmf(counts, 12, law)
    assert 0 < accused <= 0.05


def test_choices_see_another_law_and_what_can_not_be():
    rng = np.random.default_rng(2)
    law = np.exp(-np.arange(30) / 5)
    law /= law.sum()
    other = np.exp(-1.3 * np.arange(30) / 5)
    other /= other.sum()
    assert choices(rng.multinomial(5000, law).astype(float), law) > 1e-6
    assert choices(rng.multinomial(5000, other).astype(float), law) < 1e-6
    assert choices(np.array([5.0, 1.0]), np.array([1.0, 0.0])) == 0
    assert math.isclose(choices(np.zeros(3), np.full(3, 1 / 3)), 1.0)
