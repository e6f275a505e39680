"""SentenceResponses: every sentence is answered for itself, by the law of PublicResponse."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import stats

import textveil as tv
from textveil.guarantees import Pairs, Unit

DIMENSION, COUNT = 4, 12


@pytest.fixture(scope="module")
def response():
    vectors = np.random.default_rng(0).normal(size=(COUNT, DIMENSION))
    return tv.PublicResponse(tv.Candidates(vectors, [f"text {i}" for i in range(COUNT)]), epsilon=2.0, nearest=3)


def test_the_mean_is_that_of_the_answers(response):
    answers = tv.SentenceResponses(response).release(np.eye(DIMENSION))
    assert len(answers.indices) == DIMENSION
    assert answers.texts == tuple(f"text {index}" for index in answers.indices)
    chosen = response.candidates.vectors[list(answers.indices)].astype(np.float64)
    assert answers.vector == pytest.approx(chosen.mean(axis=0), rel=1e-12)
    one, two = tv.SentenceResponses(response).release([np.eye(DIMENSION), np.eye(DIMENSION)[:1]])
    assert (len(one.indices), len(two.indices)) == (DIMENSION, 1)


def test_sentences_are_answered_independently_by_the_law_of_one(response):
    """G-test at 1e-7 over pairs of answers to two equal sentences; an epsilon x1.3 must fail."""
    x = np.full(DIMENSION, 0.2)
    documents = [np.tile(x, (2, 1))] * 20_000
    released = tv.SentenceResponses(response).release(documents, source=tv.RandomSource.seeded(5))
    pairs = np.array([answers.indices for answers in released])
    drawn = np.bincount(pairs[:, 0] * COUNT + pairs[:, 1], minlength=COUNT**2)
    for epsilon, passes in ((2.0, True), (2.6, False)):
        law = tv.PublicResponse(response.candidates, epsilon=epsilon, nearest=3).transition_rows(x)[0]
        expected = np.outer(law, law).ravel() * drawn.sum()
        assert (stats.power_divergence(drawn, expected, lambda_=0).pvalue > 1e-7) == passes


def test_the_promise_is_for_one_sentence_and_shows_their_number(response):
    promise = tv.SentenceResponses(response).guarantee
    assert (promise.epsilon, promise.delta, promise.unit) == (2.0, 0.0, Unit.SENTENCE)
    assert promise.relation.pairs is Pairs.ANY
    assert "their number being the same" in promise.relation.condition
    assert promise.reveals == ("the number of sentences",)


def test_a_spec_and_a_pickle_bring_it_back(response):
    mechanism = tv.SentenceResponses(response)
    again = tv.from_spec(mechanism.spec(), {"candidates": response.candidates})
    assert again.spec() == mechanism.spec() == pickle.loads(pickle.dumps(mechanism)).spec()  # noqa: S301


def test_what_makes_no_sense_is_refused(response):
    with pytest.raises(tv.InvalidInputError, match="PublicResponse"):
        tv.SentenceResponses(tv.Laplace(epsilon=1.0, dimension=2))
    with pytest.raises(tv.InvalidInputError, match="from 1 to 65,535 sentences"):
        tv.SentenceResponses(response).release(np.empty((0, DIMENSION)))
    without = tv.PublicResponse(tv.Candidates(response.candidates.vectors), epsilon=2.0, nearest=3)
    assert tv.SentenceResponses(without).release(np.eye(DIMENSION)).texts is None
