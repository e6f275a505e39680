"""Noise and the nearest word: the law of the noise, decoded with public data alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import textveil as tv

LINE = tv.Vocabulary(list("abc"), np.array([[0.0], [1.0], [3.0]]), unknown="c")


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_the_line_has_the_law_that_can_be_computed(precision):
    """Chi-square at 1e-7; epsilon x1.3 must fail."""
    mechanism = tv.NearestWord(LINE, tv.Laplace(epsilon=1.0, dimension=1, precision=precision))
    drawn = mechanism.release_ids(np.ones(40_000, dtype=int), source=tv.RandomSource.seeded(2))
    counts = np.bincount(drawn, minlength=3)
    for epsilon, passes in [(1.0, True), (1.3, False)]:
        noise = stats.laplace(1.0, 1 / epsilon)
        law = np.diff([0, noise.cdf(0.5), noise.cdf(2.0), 1])
        assert (stats.chisquare(counts, law * counts.sum()).pvalue > 1e-7) == passes


def test_the_guarantee_is_that_of_the_noise_in_the_distance_of_the_vocabulary(clustered):
    noise = tv.Laplace(epsilon=3.0, dimension=12)
    mechanism = tv.NearestWord(clustered, noise)
    assert mechanism.guarantee.epsilon == 3.0
    assert mechanism.guarantee.unit is tv.Unit.WORD
    assert "600 public word vectors" in str(mechanism.guarantee)
    assert mechanism.mechanism.lattice.step == clustered.step
    assert mechanism.guarantee.slack > noise.guarantee.slack


def test_unknown_words_enter_as_the_unknown_word():
    mechanism = tv.NearestWord(LINE, tv.Laplace(epsilon=50.0, dimension=1))
    assert set(mechanism.release(["jane@example.org"] * 50)) == {"c"}


def test_words_of_a_long_batch_do_not_depend_on_portions(clustered, monkeypatch):
    mechanism = tv.NearestWord(clustered, tv.Laplace(epsilon=1.0, dimension=12))
    ids = np.arange(500)
    whole = mechanism.release_ids(ids, source=tv.RandomSource.keyed(bytes(32)))
    monkeypatch.setattr("textveil.mechanisms.nearest_word._PORTION", 7)
    assert (mechanism.release_ids(ids, source=tv.RandomSource.keyed(bytes(32))) == whole).all()


def test_a_spec_makes_it_again(clustered):
    mechanism = tv.NearestWord(clustered, tv.Laplace(epsilon=1.0, dimension=12, precision="exact"))
    again = tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered})
    assert again.spec() == mechanism.spec()


def test_noise_that_counts_another_distance_is_refused(clustered):
    """Its epsilon would be printed for the Euclidean distance, which is up to sqrt(12) times as small."""
    for epsilon in (1e-3, 1e9):
        with pytest.raises(tv.InvalidInputError, match="CoordinateLaplace promises by l1 distance"):
            tv.NearestWord(clustered, tv.CoordinateLaplace(epsilon=epsilon, dimension=12))


@pytest.mark.parametrize("clip", [1e-3, 1e6])
def test_noise_for_any_two_vectors_promises_the_same_for_any_two_words(clustered, clip):
    mechanism = tv.NearestWord(clustered, tv.ClippedLaplace(epsilon=3.0, clip=clip, dimension=12))
    assert mechanism.guarantee.relation == mechanism.mechanism.guarantee.relation
    assert mechanism.guarantee.loss(1e-9) == 3.0
    assert len(mechanism.release(clustered.words[:5])) == 5


def test_noise_of_another_dimension_is_refused(clustered):
    with pytest.raises(tv.InvalidInputError, match="dimension 3"):
        tv.NearestWord(clustered, tv.Laplace(epsilon=1.0, dimension=3))
    with pytest.raises(tv.InvalidInputError, match="add noise"):
        tv.NearestWord(clustered, tv.Exponential(clustered, epsilon=1.0))


def test_mahalanobis_noise_keeps_its_own_distance(clustered):
    covariance = np.cov(clustered.points.T)
    noise = tv.Mahalanobis(covariance, epsilon=3.0, mix=0.9)
    mechanism = tv.NearestWord(clustered, noise)
    assert mechanism.guarantee.relation == noise.guarantee.relation
    assert mechanism.guarantee.unit is tv.Unit.WORD
    assert set(mechanism.release(["w1", "w2"])) <= set(clustered.words)
    again = tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered, "covariance": covariance})
    assert again.spec() == mechanism.spec()
    assert tv.audit(mechanism, methods=("exact", "analytic")).verdict == "holds"


def test_an_unbiased_vector_is_decoded_for_any_two_words(clustered):
    clip = float(np.linalg.norm(clustered.points, axis=1).max())
    for epsilon, least in ((0.5, 0), (60.0, 100)):
        mechanism = tv.NearestWord(clustered, tv.PrivUnit(epsilon=epsilon, dimension=12, clip=clip, sampler="beta"))
        assert mechanism.guarantee.relation.pairs is tv.Pairs.ANY
        words = clustered.words[:200]
        assert sum(a == b for a, b in zip(mechanism.release(words), words, strict=True)) >= least


def test_what_changes_the_dimension_is_refused(clustered):
    with pytest.raises(tv.InvalidInputError, match=r"keep their dimension.*got PrivEmb"):
        tv.NearestWord(clustered, tv.PrivEmb(epsilon=1.0, dimension=12, target=6))
