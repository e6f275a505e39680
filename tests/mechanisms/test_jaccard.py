"""The Jaccard mechanism: bit-faithful to the paper's text, and refuted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import textveil as tv
from textveil.vocabulary.neighbours import nearest_neighbours

DELTA = 1e-5


def test_dense_and_sparse_words_have_the_noise_of_the_paper(clustered):
    mechanism = tv.Jaccard(clustered, epsilon=0.8, delta=DELTA)
    _, distances = nearest_neighbours(clustered.points, 10)
    scale = distances[:, 9].mean() * math.sqrt(2 * math.log(1.25 / DELTA)) / 0.8
    dense = distances.mean(axis=1) < np.median(distances.mean(axis=1))
    assert mechanism.deviations == pytest.approx(scale * np.where(dense, 1.835, 1.276), abs=2e-6)
    assert dense.sum() == 300
    everywhere = tv.Jaccard(clustered, epsilon=0.8, delta=DELTA, density=100.0)
    assert np.unique(everywhere.deviations) == pytest.approx([1.835 * scale], abs=2e-6)


def test_the_release_has_that_noise(clustered):
    """KS at 1e-7 on 600 x 12 numbers; the same test must fail for a deviation x1.3."""
    mechanism = tv.Jaccard(clustered, epsilon=0.8, delta=DELTA)
    released = mechanism.release(list(clustered.words), source=tv.RandomSource.seeded(3))
    noise = ((released - clustered.points) / mechanism.deviations[:, None]).ravel()
    assert stats.kstest(noise, stats.norm.cdf).pvalue > 1e-7
    assert stats.kstest(noise / 1.3, stats.norm.cdf).pvalue < 1e-7


def test_its_claim_is_refuted_with_numbers():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 100)) * np.where(np.arange(200) < 100, 0.5, 2.0)[:, None]
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(200)], vectors, unknown="w0")
    guarantee = tv.Jaccard(vocabulary, epsilon=1.0, delta=DELTA).guarantee
    assert guarantee.status is tv.Status.REFUTED
    assert "with noise of two sizes delta is 0.9" in guarantee.reason
    assert "whether a word is dense or sparse" in str(guarantee)


def test_a_spec_makes_it_again(clustered):
    mechanism = tv.Jaccard(clustered, epsilon=0.8, delta=DELTA, density=1.5)
    assert tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered}).spec() == mechanism.spec()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"neighbours": 600}, "at most"),
        ({"density": 0.0}, "density"),
    ],
)
def test_bad_parameters_are_refused(change, message, clustered):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Jaccard(clustered, **{"epsilon": 1.0, "delta": DELTA, **change})
