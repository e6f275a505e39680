from __future__ import annotations

import numpy as np
import pytest
import yaml

import textveil as tv
from textveil.service.catalogue import Kind, read_catalogue
from textveil.service.errors import Refusal

MADE = {
    "laplace": {"mechanism": "Laplace", "epsilon": 2, "dimension": 5, "precision": "exact"},
    "mahalanobis": {"mechanism": "Mahalanobis", "epsilon": 2, "covariance": "covariance.npy"},
    "nadp": {"mechanism": "Nadp", "vocabulary": "words.npz", "epsilon": 2, "delta": 1e-6},
    "adept": {"mechanism": "Adept", "codec": "default", "epsilon": 8},
    "response": {"mechanism": "AveragedPrivUnit", "epsilon": 2, "encoder": "words"},
    "keeping": {
        "mechanism": "Exponential",
        "vocabulary": "words.npz",
        "epsilons": [2, 1],
        "keep_stop_words": True,
        "case": "lower",
    },
}


def catalogue_of(folder, **entries):
    path = folder / "other.yaml"
    path.write_text(yaml.safe_dump({"mechanisms": entries}, sort_keys=False))
    return read_catalogue(path)


def test_mechanisms_are_made_from_their_names_and_parameters(place):
    np.save(place.folder / "covariance.npy", np.diag([1.0, 2.0, 3.0]))
    made = catalogue_of(place.folder, **MADE)
    assert made.offer("laplace").kinds == [Kind.VECTORS]
    assert made.offer("mahalanobis").work(Kind.VECTORS, None).dimension == 3
    assert made.offer("nadp").kinds == [Kind.WORDS]
    assert made.offer("adept").kinds == [Kind.TEXTS]
    assert made.offer("response").kinds == [Kind.DOCUMENTS]
    assert list(made.offer("keeping").works) == [2, 1]
    rewriter = made.offer("keeping").work(Kind.TEXTS, 1).mechanism
    assert rewriter.case == "lower"
    assert any("stop words" in shown for shown in rewriter.guarantee.reveals)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"mechanism": "Nonsense"}, "one of textveil's"),
        ({"mechanism": "audit"}, "one of textveil's"),
        ({"mechanism": "Mechanism"}, "one of textveil's"),
        ({}, "one of textveil's"),
        ({"mechanism": "Laplace", "epsilon": 1, "dimension": 2, "colour": 1}, "no parameter 'colour'"),
        ({"mechanism": "Laplace", "epsilon": 1}, "needs epsilon, dimension"),
        ({"mechanism": "Laplace", "epsilon": -1, "dimension": 2}, "epsilon must be"),
        ({"mechanism": "Laplace", "epsilons": [], "dimension": 2}, "epsilons must be a list"),
        ({"mechanism": "Laplace", "epsilons": [1], "epsilon": 1, "dimension": 2}, "epsilons must be a list"),
        ({"mechanism": "Laplace", "epsilon": 1, "dimension": 2, "case": "lower"}, "release words"),
        ({"mechanism": "AveragedPrivUnit", "epsilon": 1, "dimension": 2}, "encoder"),
        ({"mechanism": "PublicResponse", "epsilon": 1, "candidates": "default"}, "without an encoder"),
        (
            {"mechanism": "ClippedLaplace", "epsilon": 1, "clip": 1, "dimension": 2, "variant": "published"},
            "refuted",
        ),
    ],
)
def test_a_wrong_entry_is_named_with_the_remedy(place, entry, says):
    with pytest.raises(tv.InvalidInputError, match=says) as caught:
        catalogue_of(place.folder, mine=entry)
    assert "mechanism mine" in str(caught.value)


def test_a_file_that_is_no_catalogue_is_refused(tmp_path):
    for text in ("", "mechanisms: []", "{", "mechanisms: {a b: {mechanism: Laplace}}"):
        (tmp_path / "c.yaml").write_text(text)
        with pytest.raises(tv.InvalidInputError):
            read_catalogue(tmp_path / "c.yaml")


def test_what_is_offered_by_default_can_be_made():
    made = read_catalogue()
    words = made.offer("words")
    assert words.default == 2
    assert words.kinds == [Kind.WORDS, Kind.TEXTS]
    assert all(works[Kind.WORDS].mechanism.law.certified for works in words.works.values())
    sentences = made.offer("sentences").work(Kind.DOCUMENTS, None)
    assert sentences.pieces(["One. Two. Three.", ["A list", "of two"]]) == 3
    released = sentences.mechanism.release(["One. Two."])
    assert len(released[0].texts) == 2


def test_after_warming_up_no_row_of_a_word_is_missing(catalogue):
    for works in catalogue.offer("words").works.values():
        mechanism = works[Kind.WORDS].mechanism
        assert len(mechanism._rows._arena.lacks(np.arange(len(mechanism.vocabulary)))) == 0


def test_what_is_not_offered_is_refused(catalogue):
    with pytest.raises(Refusal):
        catalogue.offer("nothing")
    with pytest.raises(Refusal):
        catalogue.offer("vectors").work(Kind.WORDS, None)


def test_texts_are_looked_up_among_the_operators_own_candidates(place):
    (place.folder / "public.txt").write_text("It will rain in Ohio tomorrow.\nNobody knows when it ends.\n")
    entry = {"mechanism": "PublicResponse", "epsilon": 1, "nearest": 1, "candidates": "public.txt", "encoder": "words"}
    made = catalogue_of(place.folder, own=entry, unchecked={**entry, "apart": False})
    shared = made.offer("own").work(Kind.TEXTS, None).shared
    assert shared(["it will  rain in OHIO tomorrow.", "It will not rain.", "Yes. Nobody knows when it ends."]) == 2
    assert made.offer("unchecked").work(Kind.TEXTS, None).shared is None
