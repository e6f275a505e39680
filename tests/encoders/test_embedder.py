from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Unit


@pytest.fixture(scope="module")
def embedder(clustered):
    mechanism = tv.Laplace(epsilon=1e6, dimension=12, precision="exact")
    return tv.TextEmbedder(mechanism, encoder=tv.AveragedWords(clustered))


def test_texts_are_released_as_vectors(clustered, embedder):
    one, both = embedder.release("w1 w3"), embedder.release(["w1 w3", "w2"])
    assert one.shape == (12,)
    assert both.shape == (2, 12)
    points = clustered.block(0, 4)
    assert np.allclose(both, [(points[1] + points[3]) / 2, points[2]], atol=1e-3)
    assert not np.array_equal(both[0], one)


def test_the_promise_is_for_whole_texts_of_any_length(embedder):
    promise = embedder.guarantee
    assert promise.unit is Unit.TEXT
    assert promise.whole
    assert promise.loss(2.0) == embedder.mechanism.guarantee.loss(2.0)
    assert promise.delta == embedder.mechanism.guarantee.delta
    told = str(promise)
    assert told.startswith("Proved: for two texts for losses up to 100, any output")
    assert "their distance (" in told
    assert "the average of its words' public vectors, of 600 words" in told
    for words in ("equal length", "sum of the distances", "for each word"):
        assert words not in told
    assert promise.reveals == ()


def test_local_privacy_of_a_text_is_that_of_its_vector(clustered):
    mechanism = tv.PrivUnit(epsilon=2.0, dimension=12, clip=1.0)
    embedder = tv.TextEmbedder(mechanism, encoder=tv.AveragedWords(clustered))
    assert embedder.guarantee.worst_case() == 2.0
    told = (
        "for two texts (vectors longer than 1 are shortened to it), any output is at most e^2 times as likely from one"
    )
    assert told in str(embedder.guarantee)


def test_the_noise_depends_on_key_row_and_text(embedder):
    def released(texts, row=0):
        return embedder.release(texts, source=tv.RandomSource.keyed(bytes(16), row))

    first = released(["w1 w2", "w3", "w1 w2"])
    assert np.array_equal(first, released(["w1 w2", "w3", "w1 w2"]))
    assert np.array_equal(first[1:], released(["w3", "w1 w2"], row=1))
    assert not np.array_equal(first[0], first[2])


def test_a_receipt_brings_the_embedder_back(clustered, embedder):
    receipt = embedder.release_with_receipt(["w1"]).receipt
    again = tv.from_spec(receipt.mechanism, {"encoder": tv.AveragedWords(clustered)})
    assert again.spec() == embedder.spec()
    assert tv.from_spec(receipt.mechanism, {"vocabulary": clustered}).spec() == embedder.spec()
    with pytest.raises(tv.CertificateError, match="vocabulary is not the one of the spec"):
        tv.from_spec(receipt.mechanism, {"vocabulary": clustered.subset(100)})
    other = tv.AveragedWords(clustered.subset(100))
    for objects in ({}, {"encoder": other}):
        with pytest.raises(tv.InvalidInputError, match="the same as it names"):
            tv.from_spec(receipt.mechanism, objects)


def test_what_can_not_be_embedded_is_refused(clustered, embedder):
    encoder = tv.AveragedWords(clustered)
    with pytest.raises(tv.InvalidInputError, match="encoder gives 12; give dimension=12"):
        tv.TextEmbedder(tv.Laplace(epsilon=1.0, dimension=3), encoder=encoder)
    with pytest.raises(tv.InvalidInputError, match="releases vectors"):
        tv.TextEmbedder(tv.Exponential(clustered, epsilon=1.0), encoder=encoder)
    with pytest.raises(tv.InvalidInputError, match="1 of 2 texts are missing"):
        embedder.release(["w1", None])
    with pytest.raises(tv.InvalidInputError, match="texts must be str"):
        embedder.release([1])
