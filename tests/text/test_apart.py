"""Private documents among the public candidates are found, counted and never quoted."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.text.apart import Apart
from textveil.text.documents import documents_in

TEXTS = ["The cat sat. It was  raining hard!", "Two words", "Straße und Weg.", ""]


@pytest.fixture(scope="module")
def candidates():
    return tv.Candidates(np.eye(4), TEXTS)


@pytest.mark.parametrize(
    ("private", "shared"),
    [
        ("The cat sat. It was raining hard!", 1),
        ("  the CAT sat.\n", 1),
        ("it was\training hard!", 1),
        ("two words", 1),
        ("STRASSE UND WEG.", 1),
        ("two word", 0),
        ("The cat", 0),
        ("", 0),
        ("   ", 0),
        (["no", "two words", "Two  Words", "yes"], 2),
        ([["The cat sat.", "It was raining hard!"], ["It was raining hard!"], ["It was", "dry."], []], 2),
        ([], 0),
    ],
)
def test_documents_are_compared_without_case_and_white_space(candidates, private, shared):
    assert Apart(candidates).shared(documents_in(private)) == shared
    if shared == 0:
        tv.check_apart(candidates, private)


def test_the_error_says_how_many_and_quotes_none(candidates):
    with pytest.raises(tv.InvalidInputError, match="sentence of one: 2;") as caught:
        tv.check_apart(candidates, ["two words", "the cat sat.", "secret"])
    assert not {"words", "cat", "secret"} & set(str(caught.value).replace(";", " ").split())


def test_candidates_without_texts_can_not_be_compared():
    with pytest.raises(tv.InvalidInputError, match="no texts to compare"):
        tv.check_apart(tv.Candidates(np.eye(2)), "one")
