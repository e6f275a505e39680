"""Likely phrases stay, the words between are protected; the model is public."""

from __future__ import annotations

import re

import numpy as np
import pytest

import textveil as tv
from textveil.text.phrases import PhraseModel, UnlikelyWords

PLACES = [f"place{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
MODEL = PhraseModel.of_public_text(
    [f"will it be colder in {place} this week" for place in PLACES] + [f"play {place} now" for place in PLACES],
    longest=3,
    at_least=3,
)
VOCABULARY = tv.Vocabulary(["unk", "will", "ohio", "paris", "rain"], np.random.default_rng(0).normal(size=(5, 3)))


def test_chances_are_counted_by_the_longest_sequence_that_was_kept():
    assert MODEL.chance("be", ["will", "it"]) == 1.0
    assert MODEL.chance("will", [""]) == 0.5
    assert MODEL.chance("it", ["somewhere", "will"]) == 1.0
    assert MODEL.chance("placea", ["colder", "in"]) == 0.0
    assert MODEL.chance("be", []) == 0.0
    assert ("in", "placea") not in MODEL.counts
    assert max(map(len, MODEL.counts)) == 3


def test_slots_are_found_and_phrases_stay():
    slots = UnlikelyWords(MODEL, threshold=0.1)
    text = "Will it be colder in New Ohio this week?"
    assert [text[a:b] for a, b in slots.spans(text)] == ["New Ohio"]
    assert slots.spans("somewhere else") == [(0, 14)]
    assert slots.spans("") == []
    rewriter = tv.TextRewriter(tv.Exponential(VOCABULARY, epsilon=0.01), protect=slots, case="lower")
    released = rewriter.release([text, "Ohio", "this week"])
    assert re.fullmatch(r"Will it be colder in \S+ \S+ this week\?", released[0])
    assert released[1] in (*VOCABULARY.words, "[unknown]")
    assert released[2] == "this week"


def test_what_is_shown_is_named_and_protected_words_are_judged_by_nothing_else():
    slots = UnlikelyWords(MODEL, threshold=0.1)
    rewriter = tv.TextRewriter(tv.Exponential(VOCABULARY, epsilon=1.0), protect=slots)
    assert any("public model finds likely" in item for item in rewriter.guarantee.reveals)
    # Any two words that join no phrase give the same mask, so that the mask tells nothing more of them.
    masks = [MODEL.in_phrases(["will", "it", word, "this", "week", other], 0.1)
             for word in ("ohio", "zzz", "paris") for other in ("1", "2")]  # fmt: skip
    assert masks == [[True, True, False, True, True, False]] * 6


def test_a_text_does_not_reach_into_the_next():
    slots = UnlikelyWords(MODEL, threshold=0.1)
    rewriter = tv.TextRewriter(tv.Exponential(VOCABULARY, epsilon=0.01), protect=slots, case="lower")
    assert not {"this", "week"} & set(rewriter.release(["this", "week"]))
    assert MODEL.in_phrases(["week"], 0.1) == [False]


def test_choices_that_differ_have_different_specs():
    other = PhraseModel.of_public_text(["a b"] * 3, at_least=1)
    specs = [UnlikelyWords(MODEL).spec(), UnlikelyWords(MODEL, threshold=0.5).spec(), UnlikelyWords(other).spec()]
    assert len({str(spec) for spec in specs}) == 3
    assert UnlikelyWords(MODEL).spec() == UnlikelyWords(MODEL).spec()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PhraseModel.of_public_text("one text"), "list of public texts"),
        (lambda: PhraseModel.of_public_text(["a"], longest=1), "longest"),
        (lambda: PhraseModel.of_public_text(["a"], at_least=0), "at_least"),
        (lambda: UnlikelyWords(MODEL, threshold=0.0), "threshold"),
    ],
)
def test_models_that_make_no_sense_are_refused(make, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make()
