"""Guarantees say what is promised, in numbers and in English."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.guarantees import local_privacy, metric_privacy, rounded_down, rounded_up

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


def test_beyond_the_largest_loss_nothing_is_promised():
    limited = replace(METRIC, delta=1e-9, relation=replace(METRIC.relation, largest_loss=10.0))
    assert (limited.loss(5.0), limited.delta_at(5.0)) == (10.0, 1e-9)
    assert (limited.loss(5.1), limited.delta_at(5.1)) == (math.inf, 1.0)
    assert limited.text_loss([1.0, 6.0]) == math.inf
    assert "for two words for losses up to 10, any output" in str(limited)
    assert WITHIN.delta_at(0.6) == 1.0


def test_a_relation_of_an_old_receipt_has_no_largest_loss():
    old = {"pairs": tv.Pairs.METRIC, "metric": "Euclidean distance", "condition": "for losses up to 100"}
    assert tv.Relation(**old).largest_loss is None
    assert replace(METRIC, relation=tv.Relation(**old)).loss(1e6) == 2e6


@given(st.floats(1e-300, 1e300), st.integers(2, 9))
def test_printed_numbers_are_on_the_safe_side_and_near(value, digits):
    above, below = float(rounded_up(value, digits)), float(rounded_down(value, digits))
    assert below <= value <= above
    assert above - below <= value * 10.0 ** (1 - digits) * (1 + 1e-9)


@pytest.mark.parametrize("text", ["0.1", "2", "1e-06", "0.5", "100", "0.333", "inf", "0"])
def test_short_decimals_are_printed_as_they_are(text):
    assert rounded_up(float(text), 3) == rounded_down(float(text), 3) == text


def test_no_printed_number_understates_the_loss():
    assert "at most e^1.000001 times" in str(local_privacy(1.0000004, unit=tv.Unit.VECTOR))
    within = replace(WITHIN, delta=1.001e-6, mu=0.33333, relation=replace(WITHIN.relation, radius=0.99999999))
    assert "within 0.9999999 in" in str(within)
    assert "probability mass 1.01e-06" in str(within)
    assert "N(0.3334 r, 1)" in str(within)
    assert "x 1.1e-09 to delta" in str(replace(METRIC, slack=1.01e-9))
    metric = replace(TRUNCATED, offset=0.10000001, relation=replace(TRUNCATED.relation, rounding=0.0101))
    assert "plus 0.011 for rounding" in str(metric)
    assert "+ 0.1000001)" in str(metric)
    assert "never passes 6.120201." in str(metric)
    assert "1.000001 per unit" in metric_privacy(1.0000004, metric="", unit=tv.Unit.WORD)._repr_html_()


def test_the_words_of_a_text_must_each_be_within_the_radius():
    text = replace(WITHIN, unit=tv.Unit.WORD, mu=0.5).for_text(3)
    assert "(each pair of words that differ within 0.5 in Euclidean distance)" in str(text)
    assert "Whatever their distance r, two words are" in str(text)
    assert "each pair of words that differ within 0.5" in text._repr_html_()
    assert "(pairs within 0.5 in Euclidean distance)" in str(WITHIN)


def test_the_loss_of_a_text_is_that_of_one_word():
    text = replace(TRUNCATED, offset=0.25).for_text(10)
    assert text.loss(10.0) == 6.25
    assert text.text_loss([1.0] * 10) == 10 * 2.25


def test_float_sampling_is_told_as_a_total_where_the_loss_is_bounded():
    bounded = replace(WITHIN, slack=1e-9)
    total = bounded.delta + (1 + math.exp(bounded.epsilon)) * 1e-9
    assert bounded.sampled_delta == pytest.approx(total)
    assert f"brings delta, what may escape, to {rounded_up(total, 3)};" in str(bounded)
    assert replace(METRIC, slack=1e-9).sampled_delta is None
    assert replace(WITHIN, slack=1e-9).for_text(10).sampled_delta is None


def test_float_sampling_without_bound_says_where_the_promise_ends():
    rough = replace(METRIC, slack=1e-9)
    assert "beyond a loss of 20.7 nothing is promised" in str(rough)
    assert rough.delta_at(20.7 / rough.epsilon) < 1
    assert rough.delta_at(20.8 / rough.epsilon) == 1


def test_a_promise_that_says_nothing_is_refused():
    with pytest.raises(tv.InvalidInputError, match='delta would be 1; use precision="exact"'):
        replace(LOCAL, epsilon=21.0, slack=1e-9)
    with pytest.raises(tv.InvalidInputError, match='use precision="exact"'):
        tv.Gaussian(epsilon=40.0, delta=1e-6, sensitivity=1.0, dimension=50, precision="fast")
    with pytest.raises(tv.InvalidInputError, match='use precision="exact"'):
        tv.Laplace(epsilon=40.0, delta=1e-6, sensitivity=1.0, dimension=50, precision="fast")
    assert tv.Gaussian(epsilon=40.0, delta=1e-6, sensitivity=1.0, dimension=50).guarantee.slack == 0


def test_a_negligible_delta_is_called_so():
    assert "except with a negligible probability (below 1e-30)" in str(replace(LOCAL, delta=1e-40))
    assert "probability mass 1.1e-30" in str(replace(LOCAL, delta=1.1e-30))


def test_nothing_times_infinity_is_nothing():
    nothing = replace(METRIC, epsilon=0.0)
    assert nothing.loss(math.inf) == nothing.worst_case() == 0
    assert METRIC.for_text(words=0).worst_case() == 0
