"""Documents through an encoder and a document mechanism: how they are cut, counted and promised."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Unit


@pytest.fixture(scope="module")
def encoder(clustered):
    return tv.AveragedWords(clustered)


@pytest.fixture(scope="module")
def candidates(clustered):
    return tv.Candidates(clustered.points, [f"about w{i}" for i in range(len(clustered))])


@pytest.fixture(scope="module")
def deep(encoder, candidates):
    return tv.DocumentEmbedder(tv.DeepCandidate(candidates, epsilon=10.0), encoder=encoder)


def test_a_document_is_a_text_or_a_list_of_sentences(deep):
    one = deep.release("w1 w2. w3.")
    assert one.text == f"about w{one.index}"
    many = deep.release(["w1 w2. w3.", ["w1 w2", "w3"], "w5", []])
    assert len(many) == 4


def test_the_sentences_of_a_document_are_what_is_encoded(encoder, candidates):
    """At a large epsilon each sentence is answered by itself."""
    response = tv.PublicResponse(candidates, epsilon=60.0, nearest=1)
    embedder = tv.DocumentEmbedder(tv.SentenceResponses(response), encoder=encoder)
    assert embedder.release("w1. w7 w7! w30").indices == (1, 7, 30)
    listed, empty = embedder.release([["w1. w1.", "w9"], ""])
    assert listed.indices == (1, 9)
    assert empty.indices == (0,)
    key = tv.RandomSource.keyed(bytes(16))
    assert embedder.release([["w1", "w9"]], source=key)[0].indices == embedder.release("w1. w9.", source=key).indices


def test_the_noise_depends_on_key_row_and_document(encoder, candidates):
    weak = tv.DocumentEmbedder(tv.DeepCandidate(candidates, epsilon=0.1), encoder=encoder)
    documents = ["w1. w2.", "w3.", "w1. w2."]

    def released(documents, row=0):
        return [chosen.index for chosen in weak.release(documents, source=tv.RandomSource.keyed(bytes(16), row))]

    first = released(documents)
    assert first == released(documents)
    assert first[1:] == released(documents[1:], row=1)
    assert first[0] != first[2]


def test_a_promise_says_what_a_document_is(deep, encoder):
    promise = deep.guarantee
    assert (promise.epsilon, promise.unit) == (10.0, Unit.SENTENCE)
    assert "for two sentences of one document, its other sentences being the same, a document being the list" in str(
        promise
    )
    means = tv.DocumentEmbedder(tv.GaussianMean(epsilon=1.0, delta=1e-6, dimension=12), encoder=encoder)
    assert means.guarantee.delta == 1e-6
    assert "the number of sentences" in means.guarantee.reveals


@pytest.mark.parametrize("sentences", [0, 1, 10_000])
def test_documents_of_any_length(deep, encoder, sentences):
    document = [f"w{i % 600}" for i in range(sentences)]
    assert 0 <= deep.release([document])[0].index < 600
    mean = tv.DocumentEmbedder(tv.AveragedPrivUnit(epsilon=8.0, dimension=12), encoder=encoder)
    assert mean.release([document])[0].shape == (12,)


def test_an_empty_document_is_answered_by_anything(deep):
    chosen = deep.release([""] * 4000, source=tv.RandomSource.seeded(1))
    assert len({each.index for each in chosen}) > 550


def test_a_receipt_brings_the_embedder_back(deep, encoder, candidates):
    spec = deep.release_with_receipt(["w1"]).receipt.mechanism
    again = tv.from_spec(spec, {"candidates": candidates, "vocabulary": encoder.vocabulary})
    assert again.spec() == deep.spec()
    with pytest.raises(tv.InvalidInputError, match="needs its encoder"):
        tv.from_spec(spec, {"candidates": candidates})


def test_texts_are_answered_by_public_sentences(encoder, candidates):
    embedder = tv.TextEmbedder(tv.PublicResponse(candidates, epsilon=60.0, nearest=1), encoder=encoder)
    assert embedder.release("w7 w7").text == "about w7"
    assert [chosen.index for chosen in embedder.release(["w1", "w2. w2."])] == [1, 2]
    assert str(embedder.guarantee).startswith("Proved: for two texts, any output is at most e^60 times as likely")
    means = tv.SentenceMeans(encoder)
    assert tv.TextEmbedder(embedder.mechanism, encoder=means).release("w3. w3.").index == 3
    spec = embedder.spec()
    again = tv.from_spec(spec, {"candidates": candidates, "encoder": encoder})
    assert np.array_equal(again.release("w7").vector, candidates.vectors[7])


def test_what_does_not_fit_is_refused(encoder, candidates):
    with pytest.raises(tv.InvalidInputError, match="takes documents"):
        tv.DocumentEmbedder(tv.Laplace(epsilon=1.0, dimension=12), encoder=encoder)
    with pytest.raises(tv.InvalidInputError, match="vectors of 3 numbers, but the encoder gives 12"):
        tv.DocumentEmbedder(tv.AveragedPrivUnit(epsilon=1.0, dimension=3), encoder=encoder)
    with pytest.raises(tv.InvalidInputError, match="releases vectors"):
        tv.TextEmbedder(tv.DeepCandidate(candidates, epsilon=1.0), encoder=encoder)
