"""Gaussian noise: the exact scale, what is promised at which distance, the law that comes out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import textveil as tv
from textveil.noise.gaussian_curve import gaussian_delta


def make(**options):
    return tv.Gaussian(**({"epsilon": 1.0, "delta": 1e-5, "sensitivity": 2.0, "dimension": 20} | options))


def test_sigma_is_the_golden_scale_times_the_sensitivity():
    assert make().sigma == pytest.approx(2 * 3.7306316348159454, rel=1e-10)
    assert make(epsilon=10, delta=1e-9, sensitivity=0.5).sigma == pytest.approx(0.6502469189586576 / 2, rel=1e-10)


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_released_noise_has_the_deviation_that_was_promised(precision):
    """N m var / sigma^2 is chi-square with N m degrees; two-sided at 1e-7, and a scale x1.3 must fail."""
    mechanism = make(precision=precision)
    x = np.full((2000, 20), 0.3)
    noise = mechanism.release(x, source=tv.RandomSource.seeded(5)) - x
    law = stats.chi2(noise.size)
    mu = make().guarantee.mu
    ratio = (noise**2).sum() * mu**2
    assert 5e-8 < law.cdf(ratio) < 1 - 5e-8
    assert law.sf(1.3**2 * ratio) < 1e-7
    assert law.cdf(ratio / 1.3**2) < 1e-7
    assert stats.kstest(noise.ravel() * mu, stats.norm().cdf).pvalue > 1e-7


def test_the_guarantee_names_the_sensitivity_delta_and_mu():
    guarantee = make().guarantee
    assert guarantee.relation.pairs is tv.Pairs.WITHIN
    assert guarantee.relation.radius == 2.0
    assert (guarantee.epsilon, guarantee.delta, guarantee.loss(2.0), guarantee.loss(2.1)) == (1.0, 1e-5, 1.0, math.inf)
    assert gaussian_delta(1.0, guarantee.mu * 2.0) <= 1e-5
    assert guarantee.slack == 0
    assert 0 < make(precision="fast").guarantee.slack < 1e-7
    assert "N(0, 1) from N(0.1341 r, 1)" in str(guarantee)


def test_float_noise_promises_no_mu_since_its_slack_is_not_in_it():
    fast = make(precision="fast").guarantee
    assert fast.mu is None
    assert "N(0, 1)" not in str(fast)


def test_exact_noise_has_whole_steps_and_never_less_than_sigma():
    for step in (None, 1.0, 64.0):
        mechanism = make(precision="exact", step=step)
        deviation = 1 / mechanism.guarantee.mu
        assert deviation >= mechanism.sigma
        assert deviation / mechanism.lattice.step == pytest.approx(round(deviation / mechanism.lattice.step), abs=1e-9)
        assert mechanism.guarantee.slack == 0
    assert 1 / make(precision="exact").guarantee.mu == pytest.approx(mechanism.sigma, rel=2**-13)


def test_the_loss_of_released_noise_has_the_delta_promised():
    """The mean of (1 - e^(eps - loss))+ over 200,000 draws, within 6 deviations; at 1.3 x the distance it must fail."""
    mechanism = make(epsilon=0.5, delta=0.01, dimension=3, precision="exact")
    x = np.zeros((200_000, 3))
    noise = mechanism.release(x, source=tv.RandomSource.seeded(6))

    def delta_at(distance):
        other = np.array([distance, 0, 0])
        loss = mechanism.log_density(noise, x) - mechanism.log_density(noise, other)
        excess = np.maximum(0, 1 - np.exp(0.5 - loss))
        return excess.mean(), 6 * excess.std() / math.sqrt(len(excess))

    mean, error = delta_at(2.0)
    assert abs(mean - 0.01) < error
    farther, error = delta_at(2.6)
    assert farther - 0.01 > error


def test_the_density_is_normalised():
    mechanism = make(dimension=1)
    total, _ = integrate.quad(lambda y: float(np.exp(mechanism.log_density(np.array([y]), np.array([0.4])))), -80, 80)
    assert total == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_outputs_lie_on_the_lattice_whatever_the_input(precision):
    mechanism = make(precision=precision)
    steps = mechanism.release(np.random.default_rng(0).normal(size=(50, 20)) / 3) / mechanism.lattice.step
    assert (steps == np.rint(steps)).all()


def test_a_spec_makes_it_again():
    for options in ({}, {"precision": "exact"}, {"step": 2.0**-30}):
        mechanism = make(**options)
        again = tv.from_spec(mechanism.spec())
        assert again.spec() == mechanism.spec()
        assert again.guarantee == mechanism.guarantee


def test_words_may_have_it_too(clustered):
    mechanism = tv.NearestWord(clustered, make(dimension=12, sensitivity=1.0))
    assert mechanism.guarantee.relation.pairs is tv.Pairs.WITHIN
    assert len(mechanism.release(["w1", "w2"])) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"delta": 0}, "Laplace or PrivUnit"),
        ({"delta": 1.0}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"sensitivity": 0.0}, "sensitivity"),
        ({"sensitivity": math.nan}, "sensitivity"),
        ({"dimension": 0}, "dimension"),
        ({"precision": "sloppy"}, "precision"),
        ({"step": 0.3}, "step"),
        ({"step": 2.0**-60, "precision": "exact"}, "step must be above"),
        ({"calibration": "classical"}, "epsilon < 1 only.*8.42.*analytic"),
        ({"calibration": "guess"}, "calibration"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(**options)
