"""Coins of irrational bias: every digit is right, and a tie is decided by more digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from textveil.noise import digits
from textveil.noise.rereading import until_enough
from textveil.randomness import RandomSource


@given(st.floats(-200, 200), st.integers(5, 80))
def test_bounds_of_an_exponential_hold_it_and_are_tight(exponent, decimals):
    with localcontext() as context:
        context.prec = 400
        true = Fraction(Decimal(exponent).exp())
    low, high = digits.exponential_between(Fraction(exponent), decimals)
    assert low <= true <= high
    assert high - low <= 4 * true / 10**decimals


@pytest.mark.parametrize("exponent", [Fraction(1, 2**60), Fraction(1, 3), Fraction(5), Fraction(40), Fraction(80)])
def test_digits_are_those_of_the_number(exponent):
    with localcontext() as context:
        context.prec = 400
        true = Fraction((-(Decimal(exponent.numerator) / Decimal(exponent.denominator))).exp())
    found = digits.digits_of(lambda decimals: digits.exponential_between(-exponent, decimals), 4)
    assert sum(word << (64 * (3 - k)) for k, word in enumerate(found)) == math.floor(true * 2**256)


def test_bounds_that_leave_a_digit_open_are_made_tighter():
    asked = []

    def third(decimals):
        asked.append(decimals)
        error = Fraction(1, 10**decimals) if decimals > 100 else Fraction(1, 2**20)
        return Fraction(1, 3) - error, Fraction(1, 3) + error

    assert digits.digits_of(third, 2) == (0x5555555555555555, 0x5555555555555555)
    assert asked == [40, 80, 160]


def test_a_flip_compares_until_words_and_digits_differ():
    chance = np.array([5, 7], dtype=np.uint64)
    cases = [([4, 9], 1), ([6, 0], 0), ([5, 6], 1), ([5, 8], 0), ([5, 7], digits.UNDECIDED), ([5], digits.UNDECIDED)]
    for words, outcome in cases:
        assert digits.flip(np.array(words, dtype=np.uint64), 0, chance)[0] == outcome


@pytest.mark.parametrize("exponent", [Fraction(1, 10), Fraction(3, 2)])
def test_coins_have_their_bias(exponent):
    """Binomial at 1e-7, and a bias of exponent x1.3 must fail."""
    flips = digits.flip_coins(
        RandomSource.seeded(1).streams(b"coins", np.arange(100_000)),
        lambda decimals: digits.exponential_between(-exponent, decimals),
    )
    for factor, passes in [(1.0, True), (1.3, False)]:
        p_value = stats.binomtest(int(flips.sum()), len(flips), math.exp(-factor * exponent)).pvalue
        assert (p_value > 1e-7) == passes


def test_a_tie_is_decided_by_more_digits(monkeypatch):
    """The same coins come out if the first comparison sees 2 words or 64."""
    source = RandomSource.keyed(b"a key of 16 bytes")
    third = [Fraction(1, 3)] * 2
    first = digits.flip_coins(source.streams(b"coins", np.arange(50)), lambda _: third)
    monkeypatch.setattr(digits, "_FLIP_WORDS", 64)
    assert (digits.flip_coins(source.streams(b"coins", np.arange(50)), lambda _: third) == first).all()


@pytest.mark.parametrize("width", [2, 8, 64])
def test_a_draw_that_runs_out_begins_again_with_the_same_words(width):
    """How many words it takes until one is below 2^60, whatever the portions."""
    waits = np.empty(200, dtype=np.int64)

    def attempt(words, rows):
        low = words < 2**60
        waits[rows] = low.argmax(axis=1)
        return low.any(axis=1)

    until_enough(RandomSource.keyed(b"a key of 16 bytes").streams(b"w", np.arange(200)), width, attempt)
    words = RandomSource.keyed(b"a key of 16 bytes").streams(b"w", np.arange(200)).words(1024)
    assert waits.max() > 64
    assert (waits == (words < 2**60).argmax(axis=1)).all()
