"""The exact test of two counts: its false alarms, its power, and the bound that goes with it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from textveil.auditing.counts import Counts, breach_p_value, evidence, least_chance, loss_shown, most_chance


@pytest.mark.parametrize(("loss", "delta"), [(0.0, 0.0), (1.0, 0.0), (1.5, 0.0), (0.5, 0.3)])
def test_no_pair_of_chances_that_keeps_the_promise_is_accused_too_often(loss, delta):
    """Not sampled: every pair of counts is tried, and the chance of those accused is summed."""
    of, level, ratio = 14, 0.05, math.exp(loss)
    accused = np.array(
        [
            [breach_p_value(Counts(x, y, of), ratio=ratio, delta=delta, level=level) <= level for y in range(of + 1)]
            for x in range(of + 1)
        ]
    )
    assert accused.any()
    counts = np.arange(of + 1)
    for q in np.linspace(0, (1 - delta) / ratio, 60):
        p = min(1.0, ratio * q + delta)
        chance = stats.binom.pmf(counts, of, p) @ accused @ stats.binom.pmf(counts, of, q)
        assert chance <= level


@pytest.mark.parametrize(("p", "q", "loss", "of"), [(0.185, 0.0315, 1, 560), (0.888, 7.5e-4, 4, 340)])
def test_it_needs_fewer_samples_than_two_clopper_pearson_intervals(p, q, loss, of):
    rng = np.random.default_rng(0)
    counts = [
        Counts(int(x), int(y), of) for x, y in zip(rng.binomial(of, p, 100), rng.binomial(of, q, 100), strict=True)
    ]
    exact = sum(breach_p_value(each, ratio=math.exp(loss), delta=0.0, level=0.05) <= 0.05 for each in counts)
    intervals = sum(loss_shown(each, delta=0.0, level=0.05) > loss for each in counts)
    assert exact >= 88 > intervals


def test_intervals_are_those_of_clopper_and_pearson():
    interval = stats.binomtest(7, 40).proportion_ci(0.95, method="exact")
    assert least_chance(7, 40, 0.025) == pytest.approx(interval.low)
    assert most_chance(7, 40, 0.025) == pytest.approx(interval.high)
    assert (least_chance(0, 40, 0.1), most_chance(40, 40, 0.1)) == (0.0, 1.0)


def test_the_loss_shown_takes_delta_off_and_is_nothing_without_an_excess():
    assert loss_shown(Counts(40, 0, 40), delta=0.0, level=0.1) > 2
    assert loss_shown(Counts(40, 0, 40), delta=0.5, level=0.1) < loss_shown(Counts(40, 0, 40), delta=0.0, level=0.1)
    assert loss_shown(Counts(1, 0, 40), delta=0.5, level=0.1) == -math.inf


def test_evidence_is_the_least_divergence_from_what_is_allowed():
    x, y, ratio, delta = 0.5, 0.05, math.e, 0.1
    q = np.linspace(1e-9, (1 - delta) / ratio - 1e-9, 200_001)
    p = ratio * q + delta

    def divergence(a, b):
        return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))

    least = (divergence(x, p) + divergence(y, q)).min()
    assert evidence(np.array([x]), np.array([y]), ratio, delta)[0] == pytest.approx(least, rel=1e-6)
    assert evidence(np.array([0.2]), np.array([0.1]), ratio, 0.0)[0] == 0


def test_counts_that_keep_the_promise_have_no_p_value_below_one():
    assert breach_p_value(Counts(10, 10, 20), ratio=1.0, delta=0.0, level=0.05) == 1
    assert breach_p_value(Counts(20, 20, 20), ratio=math.exp(600), delta=0.0, level=0.05) == 1


def test_a_million_samples_are_no_trouble():
    assert breach_p_value(Counts(200_000, 70_000, 10**6), ratio=math.e, delta=0.0, level=0.01) < 0.01
    assert breach_p_value(Counts(200_000, 74_000, 10**6), ratio=math.e, delta=0.0, level=0.01) == 1
