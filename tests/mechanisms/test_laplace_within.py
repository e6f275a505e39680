"""Laplace noise with a sensitivity, with a delta, and for unit vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import textveil as tv

UNIT = np.eye(6)[2]


def make(**options):
    return tv.Laplace(**({"epsilon": 1.0, "dimension": 32, "delta": 1e-6, "sensitivity": 2.0} | options))


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_with_a_delta_the_norm_is_gamma_with_the_golden_scale(precision):
    """KS at 1e-7 on 3,000 vectors; the same test must fail for a scale x1.3."""
    mechanism = make(precision=precision)
    assert mechanism.scale == pytest.approx(2 * 0.6570457277088412, rel=1e-8)
    x = np.full((3000, 32), 0.5)
    norms = np.linalg.norm(mechanism.release(x, source=tv.RandomSource.seeded(4)) - x, axis=1)
    assert stats.kstest(norms, stats.gamma(32, scale=mechanism.scale).cdf).pvalue > 1e-7
    assert stats.kstest(norms, stats.gamma(32, scale=1.3 * mechanism.scale).cdf).pvalue < 1e-7


def test_with_a_delta_the_promise_is_for_pairs_within_the_sensitivity():
    fast, exact = (make(precision=precision).guarantee for precision in ("fast", "exact"))
    for guarantee in (fast, exact):
        assert guarantee.relation.pairs is tv.Pairs.WITHIN
        assert (guarantee.epsilon, guarantee.loss(2.0), guarantee.loss(2.01)) == (1.0, 1.0, math.inf)
    assert (fast.delta, exact.slack) == (1e-6, 0.0)
    assert fast.slack > 0
    assert 1e-6 <= exact.delta <= 1e-6 + 1e-30


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_the_loss_of_released_noise_has_the_delta_promised(precision):
    """The mean of (1 - e^(eps - loss))+ over 100,000 draws, within 6 deviations; at 1.3 x the distance it must fail."""
    mechanism = make(epsilon=0.5, delta=0.01, dimension=5, precision=precision)
    x = np.zeros((100_000, 5))
    noise = mechanism.release(x, source=tv.RandomSource.seeded(6))

    def delta_at(distance):
        loss = mechanism.log_density(noise, x) - mechanism.log_density(noise, distance * np.eye(5)[0])
        excess = np.maximum(0, 1 - np.exp(0.5 - loss))
        return excess.mean(), 6 * excess.std() / math.sqrt(len(excess))

    mean, error = delta_at(2.0)
    assert abs(mean - 0.01) < error
    farther, error = delta_at(2.6)
    assert farther - 0.01 > error


def test_without_a_delta_the_sensitivity_is_the_distance_that_epsilon_is_for():
    guarantee = make(delta=0, sensitivity=4.0).guarantee
    assert guarantee.relation.pairs is tv.Pairs.METRIC
    assert guarantee.loss(4.0) == 1.0
    assert guarantee.loss(1.0) == 0.25
    assert make(delta=0, sensitivity=4.0).scale == 4.0


def test_a_spec_without_a_sensitivity_is_what_it_was():
    spec = tv.Laplace(epsilon=1.0, dimension=3).spec()
    assert sorted(spec) == ["dimension", "epsilon", "mechanism", "precision", "step"]


@pytest.mark.parametrize(
    "options", [{}, {"delta": 0.0}, {"precision": "exact"}, {"normalise": True}, {"delta": 0, "normalise": True}]
)
def test_a_spec_makes_it_again(options):
    mechanism = make(**options)
    again = tv.from_spec(mechanism.spec())
    assert again.spec() == mechanism.spec()
    assert again.guarantee == mechanism.guarantee


@pytest.mark.parametrize("options", [{}, {"precision": "exact"}, {"delta": 1e-5, "sensitivity": 2.0}])
def test_unit_vectors_in_unit_vectors_out(options):
    mechanism = tv.Laplace(epsilon=9.0, dimension=6, normalise=True, **options)
    released = mechanism.release(np.tile(UNIT, (4000, 1)), source=tv.RandomSource.seeded(1))
    np.testing.assert_allclose(np.linalg.norm(released, axis=1), 1, atol=1e-12)
    plain = tv.Laplace(epsilon=9.0, dimension=6, **options)
    assert mechanism.guarantee == plain.guarantee
    assert mechanism.release(UNIT.astype(np.float32)).dtype == np.float32


def test_the_mean_cosine_is_the_known_one():
    """Golden: .1961 in 50 dimensions at epsilon 10; 20,000 draws, within 6 deviations of at most 1/sqrt(50) each."""
    mechanism = tv.Laplace(epsilon=10.0, dimension=50, normalise=True)
    x = np.tile(np.eye(50)[7], (20_000, 1))
    cosine = mechanism.release(x, source=tv.RandomSource.seeded(2))[:, 7].mean()
    error = 6 * math.sqrt(1 / 50 / 20_000)
    assert abs(cosine - 0.1961) < error
    assert abs(1.3 * cosine - 0.1961) > error


def test_a_zero_vector_comes_out_as_a_fixed_direction(monkeypatch):
    mechanism = tv.Laplace(epsilon=1.0, dimension=6, normalise=True)
    cancel = -mechanism.lattice.snap(UNIT)
    monkeypatch.setattr(tv.Laplace, "_draw", lambda self, streams: np.tile(cancel, (len(streams), 1)))
    assert mechanism.release(UNIT).tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("private", [np.zeros(6), 1.01 * UNIT, np.stack([UNIT, np.zeros(6)])])
def test_other_vectors_are_refused_for_normalise_without_being_quoted(private):
    with pytest.raises(tv.InvalidInputError, match=r"length 1, within 0.001"):
        tv.Laplace(epsilon=1.0, dimension=6, normalise=True).release(private)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sensitivity": None}, "needs a sensitivity"),
        ({"sensitivity": 0.0}, "sensitivity"),
        ({"sensitivity": math.inf}, "sensitivity"),
        ({"delta": 1.0}, "delta"),
        ({"delta": -1e-9}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"delta": 1.0, "sensitivity": None}, "delta"),
        ({"normalise": "yes"}, "normalise"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(**options)


def test_a_normalised_release_has_no_density():
    with pytest.raises(tv.InvalidInputError, match="normalise"):
        tv.Laplace(epsilon=1.0, dimension=6, normalise=True).log_density(UNIT, UNIT)


def test_an_epsilon_beyond_the_table_of_the_exact_sampler_is_refused_at_once():
    with pytest.raises(tv.InvalidInputError, match=r"reaches no epsilon of 400.*smaller epsilon"):
        tv.Laplace(epsilon=400, delta=1e-6, sensitivity=1, dimension=1)
    assert tv.Laplace(epsilon=100, delta=1e-6, sensitivity=1, dimension=1).guarantee.delta == pytest.approx(1e-6)
