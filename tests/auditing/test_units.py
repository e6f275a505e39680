"""What is promised where more than one word or sentence differs, or more than the claim covers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Verdict
from textveil.auditing.black_box import black_box_findings
from textveil.auditing.units import promised_at, units_apart
from textveil.guarantees import Unit, local_privacy, metric_privacy

WORDS = local_privacy(1.0, unit=Unit.WORD, delta=1e-3).for_text()
SENTENCES = local_privacy(1.0, unit=Unit.SENTENCE, delta=1e-3)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ("a b c", "a d e", 2),
        ("a b", "a b", 0),
        ("[unknown] b", "a b", None),
        ("a, b", "a b", None),
        ("a  b", "a b", None),
        ("a b c", "a b", None),
        ("Paris b", "rome b", 1),
    ],
)
def test_words_are_counted_in_texts_of_equal_length_and_layout(x, y, words):
    apart = units_apart(WORDS, x, y)
    assert (None if apart is None else len(apart)) == words
    assert promised_at(WORDS, x, y, math.inf).at_most == (math.inf if words is None else max(words, 1))


def test_capitals_that_are_revealed_and_words_that_recur_are_to_be_the_same():
    kept = replace(WORDS, reveals=("capital letters",))
    assert units_apart(kept, "Paris b", "rome b") is None
    again = tv.TextRewriter(tv.Exponential(tv.Vocabulary(["a", "b"], np.eye(2)), epsilon=1.0), consistent=True)
    assert units_apart(again.guarantee, "a b", "a a") is None
    assert units_apart(again.guarantee, "a b", "b a") is not None


def test_losses_add_over_words_and_sentences():
    two = promised_at(WORDS, "a b", "c d", math.inf)
    assert two == pytest.approx((2.0, 2e-3))
    documents = np.zeros((3, 2)), np.ones((3, 2))
    assert promised_at(SENTENCES, *documents, math.inf) == pytest.approx((3.0, 3e-3 * math.exp(2)))
    assert promised_at(SENTENCES, "One. Two.", "One. Three.", math.inf) == pytest.approx((1.0, 1e-3))
    assert promised_at(SENTENCES, documents[0][:2], documents[1], math.inf).loss == math.inf
    assert promised_at(replace(WORDS, whole=True), "a b", "c d, e", math.inf) == pytest.approx((1.0, 1e-3))


def test_a_radius_an_offset_and_rounding_count_for_each_word():
    claim = replace(metric_privacy(2.0, metric="Euclidean distance", unit=Unit.WORD, radius=1.0).for_text(), offset=0.5)
    claim = replace(claim, relation=replace(claim.relation, rounding=0.25))
    assert promised_at(claim, "a b c", "d e f", 10.0).loss == pytest.approx(2.0 * (3.0 + 0.75) + 1.5)
    assert promised_at(claim, "a b c", "d e f", 2.0).loss == pytest.approx(2.0 * (2.0 + 0.75) + 1.5)
    assert promised_at(claim, "a b c", "a b f", 10.0).loss == claim.loss(10.0)


def test_texts_that_differ_in_many_words_are_not_accused_of_the_loss_of_one():
    """Every word is true with odds of e, so twelve words tell texts apart with certainty."""
    rng = np.random.default_rng(0)

    def answers(text):
        return " ".join(word if rng.random() < 1 / (1 + math.exp(-1)) else "ab"[word == "a"] for word in text.split())

    pair = ("a a a a a a a a a a a a", "b b b b b b b b b b b b", None)
    [finding] = black_box_findings(answers, replace(WORDS, delta=0.0), [pair], alpha=1e-6, samples=4000)
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert finding.witness.claimed == 12
    assert not finding.bound > 1
    half = local_privacy(0.2, unit=Unit.WORD).for_text()
    [finding] = black_box_findings(answers, half, [pair], alpha=1e-6, samples=4000)
    assert finding.verdict is Verdict.VIOLATED
    assert 0.2 < finding.bound <= 1


def test_documents_that_differ_in_many_sentences_are_not_accused_of_the_loss_of_one():
    mean = tv.TruncatedMean(lower=-np.ones(2), upper=np.ones(2), epsilon=2.0)
    pair = (np.ones((5, 2)), -np.ones((5, 2)), None)
    [finding] = black_box_findings(
        mean, mean.guarantee, [pair], alpha=1e-6, samples=4000, source=tv.RandomSource.seeded(1)
    )
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert finding.witness.claimed == pytest.approx(10.0)
