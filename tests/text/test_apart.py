"""Private records among the public candidates are found, counted and never quoted."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.text.apart import Apart
from textveil.text.documents import documents_in

TEXTS = ["The cat sat. It was  raining hard! Thank you.", "Two words", "Straße und Weg.", ""]


@pytest.fixture(scope="module")
def candidates():
    return tv.Candidates(np.eye(4), TEXTS)


@pytest.mark.parametrize(
    ("private", "shared"),
    [
        ("The cat sat. It was raining hard! Thank you.", 1),
        ("it was\training hard!", 1),
        ("two words", 1),
        ("STRASSE UND WEG.", 1),
        ("ＴＷＯ\u00a0words", 1),
        ("two word", 0),
        ("The cat", 0),
        ("", 0),
        ("   ", 0),
        (["no", "two words", "Two  Words", "yes"], 2),
        ([["It was raining hard!"], ["It was", "dry."], []], 1),
        ([["The cat sat.", "It was raining hard!", "Thank you."], ["Two", "words"]], 2),
        ([], 0),
    ],
)
def test_documents_are_compared_without_case_and_white_space(candidates, private, shared):
    assert Apart(TEXTS).shared(documents_in(private)) == shared
    if shared == 0:
        tv.check_apart(candidates, private)


@pytest.mark.parametrize(
    ("private", "shared"),
    [
        ("Dear all. IT WAS RAINING hard! We stayed.", 1),
        ("Two words. Two words. We left.", 0),
        ([["Dear all.", "It was raining hard!"]], 1),
        ("Thank you.", 0),
        ("The cat sat. Thank you. Two words", 0),
    ],
)
def test_sentences_of_four_words_are_looked_up_and_shorter_ones_may_be_shared(private, shared):
    assert Apart(TEXTS).shared(documents_in(private)) == shared


def test_the_error_says_how_many_and_quotes_none(candidates):
    with pytest.raises(tv.InvalidInputError, match="words with one: 2;") as caught:
        tv.check_apart(candidates, ["two words", "It was raining hard!", "secret"])
    assert not {"two", "raining", "secret"} & set(str(caught.value).lower().replace(";", " ").split())


def test_candidates_without_texts_can_not_be_compared_with_texts():
    with pytest.raises(tv.InvalidInputError, match="no texts to compare"):
        tv.check_apart(tv.Candidates(np.eye(2)), "one")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_are_found_in_other_precisions_and_among_rounded_candidates(dtype):
    vectors = np.random.default_rng(0).normal(size=(20, 30))
    public = tv.Candidates(vectors[:5].astype(dtype))
    for private in (vectors, vectors.astype(np.float32)):
        tv.check_apart(public, private[5:])
        if dtype == "float32" or private.dtype == np.float64:
            with pytest.raises(tv.InvalidInputError, match="words with one: 5;"):
                tv.check_apart(public, private)
    tv.check_apart(tv.Candidates(np.eye(3)[:2] * [[1], [0]]), np.zeros((2, 3)))
