"""What a claim names among what it reveals, and what it only speaks of."""

from __future__ import annotations

import pytest

import textveil as tv
from textveil.auditing.revealed import Shown
from textveil.guarantees import Unit, local_privacy
from textveil.text.protection import AllBut
from textveil.text.rewriter import CASE_REVEALS, LAYOUT_REVEALS, SAME_WORD_REVEALS, SPANS_REVEAL


def named(*reveals):
    claim = local_privacy(1.0, unit=Unit.TEXT, reveals=reveals)
    return {thing.name for thing in Shown if thing.is_named_in(claim)}


@pytest.mark.parametrize(
    ("reveals", "things"),
    [
        (LAYOUT_REVEALS, {"LENGTH", "SPACES", "PUNCTUATION"}),
        ((CASE_REVEALS,), {"CAPITALS"}),
        ((SAME_WORD_REVEALS,), {"SAME_WORDS"}),
        ((SPANS_REVEAL,), {"UNKNOWN_WORDS"}),
        (("every word that the predicate leaves out, as it is, and where it stands",), {"UNKNOWN_WORDS"}),
        (("Layout and capital letters",), {"SPACES", "PUNCTUATION", "CAPITALS"}),
        (("the time that a release takes",), {"TIME"}),
        (("nothing outside the vocabulary",), set()),
        (("nothing else, in any case",), set()),
        (("the meaning, but no layout",), set()),
        (("lengthy words are shortened",), set()),
    ],
)
def test_things_are_named_by_how_an_item_begins(reveals, things):
    assert named(*reveals) == things


def test_stop_words_are_kept_with_their_capitals_and_nothing_else():
    words = tv.Vocabulary(["a", "b"], [[0.0], [1.0]])
    kept = tv.TextRewriter(tv.Exponential(words, epsilon=1.0), protect=AllBut(("a",)))
    assert named(*kept.guarantee.reveals) == {"LENGTH", "SPACES", "PUNCTUATION", "CAPITALS"}
