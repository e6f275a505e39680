"""Integer rows are the law they should be, and draws follow them exactly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from textveil.noise import choice
from textveil.randomness import RandomSource

NO_WEIGHTS = np.empty(0)


def make_row(distances, rate, radius=math.inf, weights=NO_WEIGHTS, boost=1.0):
    """The row of word 0: near candidates, their cumulative weights, its own weight, everybody's share, the total."""
    count = len(distances)
    ids, high, low = np.empty(count + 1, np.int32), np.empty(count, np.uint64), np.empty(count, np.uint64)
    length, *numbers = choice.integer_row(np.asarray(distances), 0, rate, radius, weights, boost, ids, high, low)
    own, share, total = ((int(a) << 64) + int(b) for a, b in (numbers[:2], numbers[2:4], numbers[4:]))
    near = (int(high[length - 1]) << 64) + int(low[length - 1]) if length else 0
    assert total == own + near + share * count
    return ids[:length], high[:length], low[:length], own, share, total


def integers(high, low):
    cumulative = [0] + [(int(h) << 64) + int(lo) for h, lo in zip(high, low, strict=True)]
    return [b - a for a, b in itertools.pairwise(cumulative)]


@given(
    distances=st.lists(st.floats(0, 20), min_size=1, max_size=40),
    rate=st.floats(0.01, 2.0),
    radius=st.sampled_from([math.inf, 1.0, 5.0]),
)
@settings(max_examples=150, deadline=None)
def test_weights_are_the_law_to_one_part_in_two_to_the_40(distances, rate, radius):
    ids, high, low, own, share, total = make_row(distances, rate, radius)
    assert total < 2**127
    ideal = np.exp(-rate * np.minimum(distances, radius))
    assert [i for i, d in enumerate(distances) if i and d < radius] == ids.tolist()
    for weight, y in zip([own, *integers(high, low)], [0, *ids], strict=True):
        assert (weight + share) / total == pytest.approx(ideal[y] / ideal.sum(), rel=2.0**-40)
    if len(ids) + 1 < len(distances):
        assert share / total == pytest.approx(math.exp(-rate * radius) / ideal.sum(), rel=2.0**-40)


@given(
    distances=st.lists(st.floats(0, 20), min_size=1, max_size=40),
    rate=st.floats(0.01, 1.0),
    radius=st.sampled_from([math.inf, 1.0, 5.0]),
    seed=st.integers(0, 2**16),
)
@settings(max_examples=150, deadline=None)
def test_weighted_rows_are_the_law_to_one_part_in_two_to_the_40(distances, rate, radius, seed):
    count = len(distances)
    distances[0] = 0.0
    weights = np.exp(-np.random.default_rng(seed).uniform(0, 20, size=count))
    ids, high, low = np.empty(count + 1, np.int32), np.empty(count, np.uint64), np.empty(count, np.uint64)
    length, *numbers = choice.weighted_row(
        np.asarray(distances), 0, rate, radius, weights, weights.sum(), ids, high, low
    )
    own, rest, total = ((int(a) << 64) + int(b) for a, b in (numbers[:2], numbers[2:4], numbers[4:]))
    near = integers(high[:length], low[:length])
    assert total == own + sum(near) + rest < 2**127
    assert [y for y in range(1, count) if distances[y] < radius] == ids[:length].tolist()
    shared = integers(*choice.Shares.of(weights))
    single = [rest * share / sum(shared) for share in shared]
    for y, weight in zip([0, *ids[:length]], [own, *near], strict=True):
        single[y] += weight
    ideal = weights * np.exp(-rate * np.minimum(distances, radius))
    assert np.array(single) / total == pytest.approx(ideal / ideal.sum(), rel=2.0**-40)


@pytest.mark.parametrize("radius", [math.inf, 1.5])
def test_at_a_rate_of_zero_a_row_is_the_weights_alone(radius):
    """0 times an infinite radius must not become NaN, whose integers would keep every word."""
    weights = np.array([0.5, 1.0, 0.25, 1.0])
    for own, distances in enumerate(np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))):
        ids, high, low = np.empty(5, np.int32), np.empty(4, np.uint64), np.empty(4, np.uint64)
        length, *numbers = choice.weighted_row(distances, own, 0.0, radius, weights, weights.sum(), ids, high, low)
        assert sum(integers(high[:length], low[:length])) == 0
        assert [int(number) for number in numbers[:2]] == [0, 0]
        assert numbers[2:4] == numbers[4:]
        choice.require_total(*map(np.uint64, numbers[4:]))
    ids, high, low, own, share, total = make_row([0.0, 1.0, 2.0, 3.0], 0.0, radius)
    assert [own + share, *(weight + share for weight in integers(high, low))] == [total // 4] * (1 + len(ids))


@pytest.mark.parametrize("rate", [math.nan, math.inf])
def test_integers_that_are_no_law_are_refused(rate):
    ids, high, low = np.empty(4, np.int32), np.empty(3, np.uint64), np.empty(3, np.uint64)
    for row in (
        choice.integer_row(np.array([0.0, 1.0, 2.0]), 0, rate, math.inf, NO_WEIGHTS, 1.0, ids, high, low),
        choice.weighted_row(np.array([0.0, 1.0, 2.0]), 0, rate, math.inf, np.ones(3), 3.0, ids, high, low),
    ):
        with pytest.raises(ArithmeticError, match="do not add up"):
            choice.require_total(*map(np.uint64, row[-2:]))
    with pytest.raises(ArithmeticError, match="do not add up"):
        choice.Shares.of(np.array([1.0, math.nan]))


def test_the_rest_is_shared_by_the_weights():
    """Draws at the edges of the shares, and one beyond their total, which is drawn again."""
    shares = choice.Shares.of(np.array([0.5, 2.0, 1e-9, 0.25]))
    for candidate, weight in enumerate(integers(*shares)):
        end = (int(shares.high[candidate]) << 64) + int(shares.low[candidate])
        assert [drawn_share(shares, value) for value in (end - weight, end - 1)] == [candidate] * 2
    assert drawn_share(shares, end) == choice._AGAIN


def drawn_share(shares, value):
    words = np.array([[(value >> 64) << 1, value & (2**64 - 1)]], dtype=np.uint64)
    drawn = np.empty(1, dtype=np.int64)
    choice._draw_shared(shares, words, drawn)
    return drawn[0]


def test_output_weights_and_the_boost_of_a_row():
    weights = np.array([0.5, 0.0, 2.0])
    ids, high, low, own, share, total = make_row([0.0, 1.0, 2.0], 1.0, weights=weights, boost=3.0)
    ideal = np.array([0.5, 0.0, 3 * 2.0 * math.exp(-2)])
    assert ids.tolist() == [1, 2]
    assert np.array([own, *integers(high, low)]) / total == pytest.approx(ideal / ideal.sum(), rel=1e-12)
    assert integers(high, low)[0] == share == 0


def one_row(ids, high, low, own, share, total):
    return choice.Rows(
        starts=np.zeros(1, np.int64),
        lengths=np.array([len(ids)], np.int32),
        ids=ids,
        prefix=(high >> np.uint64(31)).astype(np.uint32),
        high=high,
        low=low,
        own_high=np.array([own >> 64], np.uint64),
        own_low=np.array([own & (2**64 - 1)], np.uint64),
        share_high=np.array([share >> 64], np.uint64),
        share_low=np.array([share & (2**64 - 1)], np.uint64),
        total_high=np.array([total >> 64], np.uint64),
        total_low=np.array([total & (2**64 - 1)], np.uint64),
    )


def draws(count, distances, rate, radius, seed=0):
    source = RandomSource.seeded(seed)
    tokens = np.zeros(count, np.int64)
    rows = one_row(*make_row(distances, rate, radius))
    return choice.draw(tokens, rows, len(distances), source.streams(b"test", tokens))


@pytest.mark.parametrize("radius", [math.inf, 1.5])
def test_draws_follow_the_row(radius):
    """Chi-square at 1e-7; the same test must fail for a rate x1.3."""
    distances, rate = np.linspace(0, 3, 12), 1.1
    drawn = np.bincount(draws(200_000, distances, rate, radius), minlength=12)
    for factor, passes in [(1.0, True), (1.3, False)]:
        ideal = np.exp(-factor * rate * np.minimum(distances, radius))
        p_value = stats.chisquare(drawn, ideal / ideal.sum() * drawn.sum()).pvalue
        assert (p_value > 1e-7) == passes


def test_the_rest_is_uniform_over_the_far():
    distances = np.array([9.0, 0.5, 9.0, 9.0, 0.1, 9.0])
    drawn = np.bincount(draws(60_000, distances, 0.5, 1.0), minlength=6)[[0, 2, 3, 5]]
    assert stats.chisquare(drawn).pvalue > 1e-7


def test_a_row_of_nothing_but_the_remainder():
    drawn = draws(1000, np.array([5.0, 5.0, 5.0]), 1.0, 1.0)
    assert set(drawn) == {0, 1, 2}


@pytest.mark.parametrize("shift", [0, 40])
def test_draws_at_the_edges_of_the_integers(shift):
    """With a small and with a large first half, so that the first 32 bits tie or decide."""
    bounds = [((1 << 64) + 5) << shift, ((1 << 64) + 9) << shift]
    own, share = ((1 << 64) + 3) << shift, 7 << shift
    rest = own + 10 * share
    total = rest + bounds[1]
    halves = np.array([[bound >> 64, bound & (2**64 - 1)] for bound in bounds], dtype=np.uint64)
    rows = one_row(np.array([4, 7], np.int32), halves[:, 0].copy(), halves[:, 1].copy(), own, share, total)
    cases = {0: 0, own - 1: 0, own + share - 1: 0, own + share: 1, own + 5 * share - 1: 4, own + 5 * share: 5}
    cases |= {rest - 1: 9, rest: 4, rest + bounds[0] - 1: 4, rest + bounds[0]: 7, total - 1: 7, total: -1}
    for value, expected in cases.items():
        words = np.array([[(value >> 64) << 1, value & (2**64 - 1)]], dtype=np.uint64)
        drawn = np.empty(1, np.int64)
        choice._draw(np.zeros(1, np.int64), np.zeros(1, np.int64), rows, 10, words, drawn)
        assert drawn[0] == expected


@given(st.integers(1, 2**110), st.integers(1, 100_000), st.data())
@settings(deadline=None)
def test_wide_division(divisor, count, data):
    border = divisor * data.draw(st.integers(1, count))
    for value in (data.draw(st.integers(0, divisor * count - 1)), border - 1, border - divisor):
        halves = [np.uint64(part) for number in (value, divisor) for part in (number >> 64, number & (2**64 - 1))]
        assert choice._quotient(*halves, count) == value // divisor


@pytest.mark.parametrize("divisor", [2**60 - 1, 2**64, 2**100 + 1, 2**110])
def test_a_value_just_below_a_border_is_on_its_side_though_floats_put_it_on_the_other(divisor):
    value = 7 * divisor - 1
    assert float(value) / float(divisor) == 7.0
    halves = [np.uint64(part) for number in (value, divisor) for part in (number >> 64, number & (2**64 - 1))]
    assert choice._quotient(*halves, 100) == 6


@given(st.integers(0, 2**127 // 2**32), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_wide_multiplication(value, factor):
    high, low = choice._times(np.uint64(value >> 64), np.uint64(value & (2**64 - 1)), factor)
    assert (int(high) << 64) + int(low) == value * factor


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1000])
def test_a_sum_of_weights_is_added_up_in_one_order(count):
    values = np.random.default_rng(count).random(count)
    filled = np.append(values, np.zeros(-count % choice._PARTS)).reshape(-1, choice._PARTS)
    parts = [0.0] * choice._PARTS
    for row in filled:
        parts = [part + value for part, value in zip(parts, row.tolist(), strict=True)]
    total = 0.0
    for part in parts:
        total += part
    assert choice.sum_of(values) == total
