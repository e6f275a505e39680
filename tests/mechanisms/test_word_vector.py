"""Words through mechanisms for vectors, and noise in each coordinate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import textveil as tv


def test_the_vector_of_a_word_gets_the_noise_of_the_mechanism(clustered):
    """KS at 1e-7 on 600 vectors; the same test must fail for a scale x1.3."""
    mechanism = tv.WordVector(clustered, tv.Laplace(epsilon=2.0, dimension=12))
    released = mechanism.release(list(clustered.words), source=tv.RandomSource.seeded(4))
    norms = np.linalg.norm(released - clustered.points, axis=1)
    assert stats.kstest(norms, stats.gamma(12, scale=1 / 2.0).cdf).pvalue > 1e-7
    assert stats.kstest(norms, stats.gamma(12, scale=1.3 / 2.0).cdf).pvalue < 1e-7


def test_the_guarantee_is_that_of_the_mechanism_for_words(clustered):
    noise = tv.Laplace(epsilon=2.0, dimension=12)
    guarantee = tv.WordVector(clustered, noise).guarantee
    assert guarantee.unit is tv.Unit.WORD
    assert guarantee.relation == noise.guarantee.relation
    assert (guarantee.epsilon, guarantee.slack) == (2.0, noise.guarantee.slack)
    assert "the number of words" in guarantee.reveals


def test_words_outside_enter_as_the_unknown_word_and_a_spec_makes_it_again(clustered):
    mechanism = tv.WordVector(clustered, tv.CoordinateLaplace(epsilon=2.0, dimension=12))
    key = tv.RandomSource.keyed(bytes(32))
    outside = mechanism.release(["jane@example.org"], source=key)
    assert (outside == mechanism.release(["w0"], source=tv.RandomSource.keyed(bytes(32)))).all()
    assert tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered}).spec() == mechanism.spec()


def test_other_mechanisms_are_refused(clustered):
    with pytest.raises(tv.InvalidInputError, match="dimension 3"):
        tv.WordVector(clustered, tv.Laplace(epsilon=1.0, dimension=3))
    with pytest.raises(tv.InvalidInputError, match="release vectors"):
        tv.WordVector(clustered, tv.Exponential(clustered, epsilon=1.0))


def test_noise_in_each_coordinate_is_laplace_and_independent():
    """KS at 1e-7 on 8,000 numbers, correlation within 6 deviations; a scale x1.3 must fail."""
    mechanism = tv.CoordinateLaplace(epsilon=0.5, dimension=4)
    noise = mechanism.release(np.zeros((2000, 4)), source=tv.RandomSource.seeded(2))
    assert stats.kstest(noise.ravel(), stats.laplace(scale=2.0).cdf).pvalue > 1e-7
    assert stats.kstest(noise.ravel(), stats.laplace(scale=2.6).cdf).pvalue < 1e-7
    correlations = np.corrcoef(noise.T) - np.eye(4)
    assert np.abs(correlations).max() < 6 / np.sqrt(2000)
    sizes = np.corrcoef(np.abs(noise.T)) - np.eye(4)
    assert np.abs(sizes).max() < 6 / np.sqrt(2000)


def test_noise_in_each_coordinate_keeps_epsilon_times_the_l1_distance():
    mechanism = tv.CoordinateLaplace(epsilon=0.7, dimension=5)
    y, x, z = np.random.default_rng(0).normal(size=(3, 200, 5))
    losses = np.abs(mechanism.log_density(y, x) - mechanism.log_density(y, z))
    assert (losses <= 0.7 * np.abs(x - z).sum(axis=1) + 1e-9).all()
    assert mechanism.log_density(y, x) == pytest.approx(stats.laplace(x, 1 / 0.7).logpdf(y).sum(axis=1))
    assert "l1 distance" in str(mechanism.guarantee)
    assert tv.from_spec(mechanism.spec()).spec() == mechanism.spec()


def test_words_go_through_the_check_of_the_mechanism(clustered):
    """A certificate for the rows of a table takes row numbers, and the codes of those rows get the noise."""
    noise = tv.PrivEmb(epsilon=2000.0, dimension=12, target=3, public=clustered)
    released = tv.WordVector(clustered, noise).release(["w5", "w1"])
    expected = noise.chosen.apply(clustered.points[[5, 1]].astype(np.float64))
    assert np.abs(released - expected).max() < 1.0
    assert tv.WordVector(clustered, noise).guarantee.status is tv.Status.PROVED


@pytest.mark.parametrize(
    "noise",
    [
        tv.PrivUnit(epsilon=2.0, dimension=12, domain="sphere", sampler="rejection"),
        tv.PrivUnit(epsilon=2.0, dimension=12, domain="sphere", sampler="beta"),
        tv.Laplace(epsilon=2.0, dimension=12, normalise=True),
        tv.PrivEmb(epsilon=1e13, dimension=12, target=3),
    ],
    ids=["rejection", "beta", "normalise", "reach"],
)
def test_a_mechanism_that_does_not_take_every_word_is_refused_at_once(clustered, noise):
    with pytest.raises(tv.InvalidInputError, match="does not take every vector of the vocabulary"):
        tv.WordVector(clustered, noise)


def test_the_nearest_word_refuses_it_too(clustered):
    with pytest.raises(tv.InvalidInputError, match="does not take every vector of the vocabulary"):
        tv.NearestWord(clustered, tv.Laplace(epsilon=2.0, dimension=12, normalise=True))
