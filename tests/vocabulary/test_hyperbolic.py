"""The hyperbolic vocabulary that comes with textveil."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from textveil.errors import CertificateError, InvalidInputError
from textveil.spaces import Poincare
from textveil.vocabulary import Vocabulary, hyperbolic


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.hyperbolic()


def distance(vocabulary, one, two):
    ids = vocabulary.ids([one, two])
    points = vocabulary.points[ids].astype(float)
    return vocabulary.space.distances(points[:1], points[1:])[0, 0]


def test_it_holds_frequent_nouns_in_the_ball(vocabulary):
    assert len(vocabulary) == hyperbolic.WORDS
    assert vocabulary.space == Poincare(10)
    assert vocabulary.unknown == "entity"
    for word in ("ohio", "boston", "aspirin", "insulin", "doctor", "dog", "london"):
        assert word in vocabulary
    assert "he" not in vocabulary
    assert all(word.isascii() and word.isalpha() for word in vocabulary.words)


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("dog", "animal", "vehicle"),
        ("dog", "cat", "piano"),
        ("ohio", "state", "animal"),
        ("aspirin", "drug", "city"),
        ("boston", "city", "drug"),
        ("violin", "instrument", "disease"),
        ("diabetes", "disease", "instrument"),
    ],
)
def test_words_are_nearer_to_what_they_are(vocabulary, word, near, far):
    assert distance(vocabulary, word, near) < distance(vocabulary, word, far)


def test_general_words_are_nearer_to_the_centre(vocabulary):
    norms = np.linalg.norm(vocabulary.points[vocabulary.ids(["entity", "animal", "dog", "terrier"])], axis=1)
    assert list(norms) == sorted(norms)


def test_synonyms_share_a_point(vocabulary):
    assert distance(vocabulary, "car", "automobile") == 0


def test_a_smaller_one_is_its_beginning(vocabulary):
    small = Vocabulary.hyperbolic(500)
    assert len(small) == 501
    assert small.words[:500] == vocabulary.words[:500]
    assert small.unknown == "entity"


@pytest.mark.parametrize("size", [0, 1, 2.5, hyperbolic.WORDS + 1])
def test_sizes_out_of_range_are_refused(size):
    with pytest.raises(InvalidInputError, match="size must be"):
        Vocabulary.hyperbolic(size)


def test_an_edited_file_is_refused(monkeypatch):
    monkeypatch.setattr(hyperbolic, "_SHA256", "0" * 64)
    with pytest.raises(CertificateError, match="reinstall"):
        Vocabulary.hyperbolic()


def test_what_is_packed_is_what_is_shipped(vocabulary):
    content = hyperbolic.pack(vocabulary)
    shipped = files("textveil.vocabulary").joinpath("data", "wordnet-nouns.npz").read_bytes()
    assert len(content) < 2_000_000
    assert len(content) == pytest.approx(len(shipped), rel=0.01)


def test_the_licence_is_beside_it():
    text = files("textveil.vocabulary").joinpath("data", "WORDNET-LICENSE.txt").read_text()
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in text
    assert "Permission to use, copy, modify and distribute" in text


def test_a_saved_hyperbolic_vocabulary_is_read_back_in_its_space(tmp_path):
    small = Vocabulary.hyperbolic(300)
    small.save(tmp_path / "small.npz")
    assert Vocabulary.load(tmp_path / "small.npz") == small
