"""The mean over sentences: of each document alone, whatever stands beside it."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.files.framing import as_list
from textveil.hashing import Packed


@pytest.fixture(scope="module")
def encoder(clustered):
    return tv.SentenceMeans(tv.AveragedWords(clustered))


def test_a_document_has_the_mean_of_its_sentences(clustered, encoder):
    one, two, three = clustered.block(1, 4)
    found = encoder.encode(["w1 w2. w3.", "w2.", ""])
    assert found == pytest.approx(np.array([((one + two) / 2 + three) / 2, two, clustered.block(0, 1)[0]]))
    listed = encoder.encode(Packed.of([as_list(["w1 w2. w3."]), as_list(["w1", "w2", "w3"])]))
    assert listed == pytest.approx(np.array([(one + two + three) / 3] * 2))


def test_a_vector_does_not_depend_on_the_batch(encoder):
    texts = [" ".join(f"w{(7 * i + 13 * k) % 600}." for k in range(i % 9)) for i in range(60)]
    together = encoder.encode(texts)
    assert np.array_equal(together[::-1], encoder.encode(texts[::-1]))
    assert np.array_equal(together[31], encoder.encode([texts[31]])[0])


def test_it_says_what_it_is(encoder):
    assert encoder.meaning == (
        "the mean over its sentences, each of which has the average of its words' public vectors, of 600 words"
    )
    assert encoder.spec() == {"encoder": "SentenceMeans", "sentences": encoder.encoder.spec()}
    assert encoder.digest != encoder.encoder.digest
    assert encoder.fast
    assert not tv.SentenceMeans(tv.FunctionEncoder(lambda texts: [[0.0]] * len(texts), dimension=1, name="f")).fast
