"""Vectors of rewritten texts: the promise of the rewriter, and nothing of the original beyond it."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv

KEY = b"a key of 16 bytes"


@pytest.fixture(scope="module")
def rewriter():
    points = np.random.default_rng(0).normal(size=(6, 3))
    vocabulary = tv.Vocabulary(["dog", "cat", "fish", "bird", "tree", "unk"], points)
    return tv.TextRewriter(tv.Exponential(vocabulary, epsilon=1.0))


@pytest.fixture(scope="module")
def encoder(rewriter):
    return tv.AveragedWords(rewriter.mechanism.vocabulary)


@pytest.fixture(scope="module")
def mechanism(rewriter, encoder):
    return tv.RewrittenWords(rewriter, encoder=tv.SentenceMeans(encoder))


def test_a_text_is_rewritten_and_then_encoded(rewriter, encoder, mechanism):
    """The rewritten text is made again from the noise that the mechanism used."""
    texts = ["The dog and the cat. A fish!", "", "tree"]
    released = mechanism.release(texts, source=tv.RandomSource.keyed(KEY))
    items = mechanism._check(texts)
    streams = tv.RandomSource.keyed(KEY).streams(mechanism._purpose, items)
    rewritten = rewriter._wrap(rewriter._sample(items, streams), texts)
    assert rewritten != texts
    assert (released == tv.SentenceMeans(encoder).encode(rewritten)).all()
    assert mechanism.release("tree", source=tv.RandomSource.keyed(KEY)).shape == (3,)


def test_words_outside_the_vocabulary_leave_no_trace(mechanism):
    """Texts that differ in unknown words only are the same to the mechanism but for their noise."""
    outputs = {tuple(vector) for vector in mechanism.release(["zyzzyva dog"] * 400, source=tv.RandomSource.seeded(1))}
    others = {tuple(vector) for vector in mechanism.release(["qwxv dog"] * 400, source=tv.RandomSource.seeded(2))}
    assert len(outputs | others) <= 21
    assert len(outputs & others) >= 15


def test_the_promise_is_the_rewriters(rewriter, mechanism):
    assert mechanism.guarantee == rewriter.guarantee
    assert mechanism.guarantee.by_words
    assert "the number of words in each text" in mechanism.guarantee.reveals


def test_a_spec_makes_it_again(rewriter, mechanism):
    vocabulary = rewriter.mechanism.vocabulary
    objects = {"vocabulary": vocabulary, "encoder": mechanism.encoder}
    again = tv.from_spec(mechanism.spec(), objects=objects)
    assert again.spec() == mechanism.spec()
    with pytest.raises(tv.InvalidInputError, match="needs its encoder"):
        tv.from_spec(mechanism.spec(), objects={"vocabulary": vocabulary})


def test_bad_input_is_refused(rewriter, encoder, mechanism):
    with pytest.raises(tv.InvalidInputError, match="TextRewriter"):
        tv.RewrittenWords(rewriter.mechanism, encoder=encoder)
    with pytest.raises(tv.InvalidInputError, match="1 of 2 texts are missing"):
        mechanism.release(["dog", None])
