"""Pairs are inputs that their mechanism takes, at the distance stated, and of the kinds that tell most."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.conftest import clustered_vocabulary

import textveil as tv
from textveil.auditing.outputs import repeated
from textveil.auditing.pairs import distance_between, pairs_for
from textveil.auditing.words_apart import word_pairs
from textveil.encoders import FunctionEncoder
from textveil.encoders.rewritten_words import RewrittenWords
from textveil.errors import InvalidInputError
from textveil.guarantees import local_privacy, metric_privacy
from textveil.mechanisms.adept import Adept
from textveil.mechanisms.directions import Directions

WORDS = clustered_vocabulary(120, 4)
CANDIDATES = tv.Candidates(np.random.default_rng(0).normal(size=(30, 4)))
REWRITER = tv.TextRewriter(tv.Exponential(WORDS, epsilon=1.0))
BY_DISTANCE = tv.TextEmbedder(tv.Laplace(epsilon=2.0, dimension=4), encoder=tv.AveragedWords(WORDS))
LENGTHS = FunctionEncoder(lambda texts: np.array([[len(text), 1.0] for text in texts]), dimension=2, name="lengths")


class Codec:
    """Texts as their lengths."""

    dimension, clip, digest = 2, 1.0, "a codec of the tests"

    def encode(self, texts):
        return np.array([[len(text) / 100, 0.5] for text in texts])

    def decode(self, vectors):
        return ["much" if vector[0] > 0.25 else "little" for vector in vectors]


MECHANISMS = {
    "laplace": tv.Laplace(epsilon=2.0, dimension=5),
    "laplace of one number": tv.Laplace(epsilon=2.0, dimension=1),
    "laplace of unit vectors": tv.Laplace(epsilon=4.0, dimension=3, normalise=True),
    "laplace with delta": tv.Laplace(epsilon=1.0, dimension=8, delta=1e-5, sensitivity=1.0),
    "gaussian": tv.Gaussian(epsilon=1.0, delta=1e-3, sensitivity=1.0, dimension=4),
    "coordinates": tv.CoordinateLaplace(epsilon=1.0, dimension=4),
    "clipped": tv.ClippedLaplace(epsilon=1.0, clip=2.0, dimension=8),
    "unit": tv.PrivUnit(epsilon=2.0, dimension=8, domain="sphere"),
    "ball": tv.PrivUnit(epsilon=2.0, dimension=8, clip=3.0),
    "hyperbolic": tv.HyperbolicLaplace(epsilon=4.0, dimension=2),
    "mahalanobis": tv.Mahalanobis(np.diag([1.0, 4.0, 9.0]), epsilon=2.0),
    "directions": Directions(tv.Laplace(epsilon=4.0, dimension=3)),
    "directions in a ball": Directions(tv.ClippedLaplace(epsilon=4.0, clip=1.0, dimension=3)),
    "vectors of words by l1": tv.WordVector(WORDS, tv.CoordinateLaplace(epsilon=0.1, dimension=4)),
    "operator": tv.PrivEmb(epsilon=2.0, dimension=12, target=4),
    "secants": tv.PrivEmb(epsilon=2.0, dimension=4, target=2, public=WORDS),
    "words": tv.Exponential(WORDS, epsilon=1.0),
    "word vectors": tv.Nadp(WORDS, epsilon=1.0, delta=1e-3, variant="radius"),
    "texts": REWRITER,
    "response": tv.PublicResponse(CANDIDATES, epsilon=2.0),
    "documents": tv.DeepCandidate(CANDIDATES, epsilon=2.0),
    "box": tv.TruncatedMean(lower=-np.ones(3), upper=np.ones(3), epsilon=1.0),
    "means": tv.GaussianMean(epsilon=1.0, delta=1e-3, dimension=3),
    "utterances": Adept(Codec(), epsilon=2.0),
    "rewritten texts": RewrittenWords(REWRITER, encoder=tv.AveragedWords(WORDS)),
    "embedded texts": tv.TextEmbedder(tv.PrivUnit(epsilon=2.0, dimension=4), encoder=tv.AveragedWords(WORDS)),
    "embedded texts by distance": BY_DISTANCE,
    "embedded texts of any words": tv.TextEmbedder(tv.PrivUnit(epsilon=2.0, dimension=2), encoder=LENGTHS),
    "embedded documents": tv.DocumentEmbedder(
        tv.AveragedPrivUnit(epsilon=2.0, dimension=4), encoder=tv.AveragedWords(WORDS)
    ),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_pair_is_taken_and_is_promised_something(name):
    mechanism = MECHANISMS[name]
    pairs = pairs_for(mechanism)
    assert pairs
    for x, y, distance in pairs:
        for value in (x, y):
            assert len(mechanism.release(repeated(value, 2), source=tv.RandomSource.seeded(0))) == 2
        assert distance > 0
        assert mechanism.guarantee.loss(distance) < math.inf


def test_the_distance_is_that_of_what_reaches_the_noise():
    for x, y, distance in pairs_for(MECHANISMS["directions"]):
        assert distance == pytest.approx(np.linalg.norm(x / np.linalg.norm(x) - y / np.linalg.norm(y)))
    for x, y, distance in pairs_for(MECHANISMS["vectors of words by l1"]):
        assert distance == np.abs(np.subtract(*WORDS.block(0, 120)[WORDS.ids([x, y])])).sum()


@pytest.mark.parametrize("name", ["laplace", "laplace with delta", "gaussian", "coordinates", "hyperbolic"])
def test_distances_are_those_of_the_claim(name):
    claim = MECHANISMS[name].guarantee
    for x, y, distance in pairs_for(MECHANISMS[name]):
        assert distance == pytest.approx(distance_between(claim, x, y))


def test_vectors_are_opposite_on_the_diagonal_and_on_an_axis():
    (diagonal, opposite, _), (axis, _, _), (end, centre, _) = pairs_for(MECHANISMS["clipped"])
    np.testing.assert_allclose(diagonal, 2 / math.sqrt(8))
    np.testing.assert_allclose(opposite, -diagonal)
    assert np.count_nonzero(axis) == 1
    assert not centre.any()
    assert np.linalg.norm(end) == pytest.approx(2.0)


def test_the_narrowest_axis_of_mahalanobis_noise_is_tried():
    x, y, distance = pairs_for(MECHANISMS["mahalanobis"])[0]
    assert np.abs(x).argmax() == 0
    whitened = np.linalg.solve(np.linalg.cholesky(MECHANISMS["mahalanobis"].matrix), x - y)
    assert np.linalg.norm(whitened) == pytest.approx(distance)


def test_words_are_near_far_alone_crowded_and_unknown():
    line = tv.Vocabulary(list("abcdef"), np.array([[0.0], [1.0], [1.5], [4.0], [20.0], [31.0]]), unknown="d")
    pairs = {frozenset(pair[:2]): pair[2] for pair in word_pairs(line)}
    assert pairs[frozenset("bc")] == 0.5
    assert pairs[frozenset("af")] == 31.0
    assert pairs[frozenset("ef")] == 11.0
    assert pairs[frozenset("cd")] == 2.5


def test_documents_differ_in_one_sentence():
    for name in ("documents", "box", "means"):
        for x, y, _ in pairs_for(MECHANISMS[name]):
            assert x.shape == y.shape
            assert (x != y).any(axis=1).sum() == 1


def test_texts_are_as_far_apart_as_their_vectors():
    pairs = pairs_for(BY_DISTANCE)
    for x, y, distance in pairs:
        points = WORDS.points[WORDS.ids([x, y])]
        assert distance == pytest.approx(np.linalg.norm(points[0] - points[1]), rel=1e-3)


@pytest.mark.parametrize("name", ["utterances", "rewritten texts", "embedded texts", "embedded texts by distance"])
def test_what_takes_texts_is_compared_and_checked_and_not_accused(name):
    """At a chance of a false alarm of 1e-6."""
    report = tv.audit(
        MECHANISMS[name],
        alpha=1e-6,
        samples=100,
        source=tv.RandomSource.seeded(3),
        methods=["black box", "check"],
    )
    assert {finding.method for finding in report.findings} == {"black box", "check"}
    assert report.verdict == "not certifiable"


def test_a_kind_that_is_not_known_has_no_pairs():
    assert pairs_for(len) == []


def test_distances_follow_the_name_of_the_metric():
    x, y = np.array([3.0, 0.0]), np.array([0.0, 4.0])
    for metric, distance in (("Euclidean distance", 5.0), ("l1 distance of vectors rounded to multiples of 2^-3", 7.0)):
        assert distance_between(metric_privacy(1.0, metric=metric, unit=tv.Unit.VECTOR), x, y) == distance
    assert distance_between(local_privacy(1.0, unit=tv.Unit.VECTOR), "a", "b") == math.inf
    with pytest.raises(InvalidInputError, match="distance"):
        distance_between(metric_privacy(1.0, metric="Euclidean distance", unit=tv.Unit.WORD), "a", "b")
