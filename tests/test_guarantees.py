"""Guarantees say what is promised, in numbers and in English."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.guarantees import local_privacy, metric_privacy

METRIC = metric_privacy(2.0, metric="Euclidean distance", unit=tv.Unit.WORD)
TRUNCATED = metric_privacy(2.0, metric="Euclidean distance", unit=tv.Unit.WORD, radius=3.0)
LOCAL = local_privacy(4.0, unit=tv.Unit.UTTERANCE)
WITHIN = tv.Guarantee(
    epsilon=1.0,
    delta=1e-6,
    unit=tv.Unit.VECTOR,
    relation=tv.Relation(pairs=tv.Pairs.WITHIN, metric="Euclidean distance", radius=0.5),
)


def test_the_loss_follows_the_relation():
    assert METRIC.loss(1.5) == 3.0
    assert METRIC.loss(math.inf) == math.inf
    assert TRUNCATED.loss(1.5) == 3.0
    assert TRUNCATED.loss(math.inf) == 6.0
    assert LOCAL.loss(1e-9) == LOCAL.loss(1e9) == 4.0
    assert WITHIN.loss(0.5) == 1.0
    assert WITHIN.loss(0.6) == math.inf


@given(st.sampled_from([METRIC, TRUNCATED, LOCAL, WITHIN]))
def test_equal_inputs_lose_nothing(guarantee):
    assert guarantee.loss(0.0) == 0.0
    assert guarantee.delta_at(0.0) == 0.0


@given(st.lists(st.floats(0, 10), max_size=8))
def test_losses_add_over_the_words_of_a_text(distances):
    assert METRIC.text_loss(distances) == pytest.approx(2 * sum(distances))
    assert TRUNCATED.text_loss(distances) == pytest.approx(sum(2 * min(d, 3) for d in distances))


def test_a_text_costs_the_sum_of_its_words():
    text = TRUNCATED.for_text(20, reveals=("punctuation",))
    assert text.worst_case() == 20 * 6.0
    assert "punctuation" in text.reveals
    assert replace(WITHIN, slack=1e-9).for_text(10).delta == pytest.approx(1e-5)
    assert replace(WITHIN, slack=1e-9).for_text(10).slack == pytest.approx(1e-8)
    assert METRIC.for_text(20).worst_case() == math.inf


def test_float_sampling_costs_delta_that_grows_with_the_loss():
    rough = replace(METRIC, slack=1e-9)
    assert rough.delta_at(1.0) == pytest.approx((1 + math.e**2) * 1e-9)
    assert rough.delta_at(1e6) == 1.0
    assert METRIC.delta_at(5.0) == 0.0


def test_the_sentence_says_everything_that_matters():
    assert str(METRIC) == (
        "Proved: for two words, any output is at most e^(2 x their distance (Euclidean distance)) times as likely "
        "from one as from the other."
    )
    assert "never passes 6" in str(TRUNCATED)
    assert "probability mass 1e-06" in str(WITHIN)
    assert "within 0.5" in str(WITHIN)
    text = str(TRUNCATED.for_text(2, reveals=("the number of words",)))
    assert "sum of the distances of their words" in text
    assert "It reveals: the number of words." in text
    assert "for each never passes 6" in text
    assert 'precision="exact"' in str(replace(METRIC, slack=1e-9))


def test_an_offset_is_paid_by_every_two_inputs_that_differ():
    guarantee = replace(TRUNCATED, offset=0.25)
    assert guarantee.loss(0.0) == 0
    assert guarantee.loss(1.0) == TRUNCATED.loss(1.0) + 0.25
    assert guarantee.worst_case() == TRUNCATED.worst_case() + 0.25
    assert " + 0.25) times as likely" in str(guarantee)
    assert " + 0.25 for each word that differs) times as likely" in str(guarantee.for_text())
    assert f"never passes {TRUNCATED.worst_case() + 0.25:g}" in str(guarantee)
    assert ", plus 0.25" in guarantee._repr_html_()
    with pytest.raises(tv.InvalidInputError, match="offset"):
        replace(METRIC, offset=-1.0)


def test_a_refuted_guarantee_says_so_first_and_keeps_its_claim():
    refuted = replace(LOCAL, status=tv.Status.REFUTED, reason="the l1 sensitivity is 2C sqrt(n), not 2C")
    assert str(refuted).startswith("REFUTED (the l1 sensitivity is 2C sqrt(n), not 2C); it was claimed that")
    assert refuted.loss(1.0) == 4.0


def test_anything_but_proved_needs_a_reason():
    with pytest.raises(tv.InvalidInputError, match="reason"):
        replace(LOCAL, status=tv.Status.CONDITIONAL)


@pytest.mark.parametrize("change", [{"epsilon": -1}, {"epsilon": math.nan}, {"delta": 1.0}, {"delta": -1e-9}])
def test_impossible_numbers_are_refused(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        replace(METRIC, **change)


@pytest.mark.parametrize("distance", [-1.0, math.nan])
def test_impossible_distances_are_refused(distance):
    with pytest.raises(ValueError, match="distance"):
        METRIC.loss(distance)


def test_html_is_escaped():
    hostile = replace(LOCAL, reveals=("<script>",))
    assert "<script>" not in hostile._repr_html_()
    assert "proved" in hostile._repr_html_()


def test_names_are_plain_strings():
    assert tv.Status.PROVED == "proved"
    assert tv.Status("refuted") is tv.Status.REFUTED
    assert tv.Unit.WORD == "word"
