"""Choices by score: the exact laws of permute-and-flip and of the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from textveil.noise import flip
from textveil.noise.digits import UNDECIDED
from textveil.randomness import RandomSource

GOLDEN = {False: (0.76498833, 0.17564188, 0.0593698), True: (0.66524096, 0.24472847, 0.09003057)}


def draw(scores, rate, count, *, exponential, seed=0):
    table = np.tile(np.asarray(scores, dtype=np.uint16), (count, 1))
    streams = RandomSource.seeded(seed).streams(b"choice", np.arange(count))
    return np.bincount(flip.choose(table, rate, streams, exponential=exponential), minlength=len(scores))


def by_permutation(scores, rate):
    """The law of permute-and-flip, straight from its definition."""
    accept = np.exp(-rate * (max(scores) - np.asarray(scores, dtype=float)))
    law = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        reached = 1.0
        for candidate in order:
            law[candidate] += reached * accept[candidate] / len(orders)
            reached *= 1 - accept[candidate]
    return law


@pytest.mark.parametrize("exponential", [False, True])
def test_the_law_has_the_golden_values(exponential):
    """G-test at 1e-7; a rate x1.3 must fail."""
    drawn = draw([2, 1, 0], Fraction(1), 100_000, exponential=exponential)
    golden = np.array(GOLDEN[exponential])
    assert stats.power_divergence(drawn, golden / golden.sum() * drawn.sum(), lambda_=0).pvalue > 1e-7
    wrong = draw([2, 1, 0], Fraction(13, 10), 100_000, exponential=exponential)
    assert stats.power_divergence(wrong, golden / golden.sum() * wrong.sum(), lambda_=0).pvalue < 1e-7


@pytest.mark.parametrize("scores", [[3, 3, 1, 0, 2, 3], [5, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]])
def test_permute_and_flip_is_what_its_definition_says(scores):
    """G-test at 1e-7 against the mean over all orders; a rate x1.3 must fail unless all scores are equal."""
    drawn = draw(scores, Fraction(3, 10), 100_000, exponential=False)
    for factor, passes in [(1.0, True), (1.3, len(set(scores)) == 1)]:
        law = by_permutation(scores, 0.3 * factor)
        assert (stats.power_divergence(drawn, law * drawn.sum(), lambda_=0).pvalue > 1e-7) == passes


def test_a_small_epsilon_chooses_almost_uniformly():
    drawn = draw([600, 599, 0, 7], Fraction(1, 2**70), 40_000, exponential=True)
    assert stats.chisquare(drawn).pvalue > 1e-7


@pytest.mark.parametrize("exponential", [False, True])
def test_a_large_epsilon_chooses_the_best(exponential):
    assert draw([0, 3, 2] * 500, Fraction(1000), 200, exponential=exponential)[1::3].sum() == 200


@pytest.mark.parametrize("coins", [1, 5, 63, 64, 65, 130])
def test_counted_heads_are_binomial(coins):
    """G-test at 1e-7 over 20,000 counts; a chance x1.3 must fail."""
    chance = 0.3
    words = RandomSource.seeded(coins).streams(b"heads", np.arange(20_000)).words(64)
    digits = np.array([int(chance * 2**64), 1 << 63], dtype=np.uint64)
    counts = np.array([flip.count_heads(coins, digits, row, 0)[0] for row in words])
    for factor, passes in [(1.0, True), (1.3, False)]:
        expected = stats.binom(coins, factor * chance).pmf(np.arange(coins + 1)) * len(counts)
        common = expected >= 5
        observed = np.bincount(counts, minlength=coins + 1)[common]
        p_value = stats.power_divergence(
            observed, expected[common] * observed.sum() / expected[common].sum(), lambda_=0
        )
        assert (p_value.pvalue > 1e-7) == passes


def test_one_half_counts_zeros_among_as_many_bits_as_there_are_coins():
    half = np.array([1 << 63, 0], dtype=np.uint64)
    words = np.full(200, 2**64 - 1, dtype=np.uint64)
    words[1] = 2**58 - 1
    words[2:] = 0
    # 64 ones stay undecided, the first 6 bits of the second word are heads; then all digits are 0, and so are all bits.
    assert flip.count_heads(70, half, words, 0)[0] == UNDECIDED
    words[2:] = 2**64 - 1
    assert flip.count_heads(70, half, words, 0) == (6, 3)
    assert flip.count_heads(70, half, words[:1], 0)[0] == UNDECIDED
    assert flip.count_heads(0, half, words, 0) == (0, 0)


def choose_from(words, scores, rate, digit_words=2, *, exponential):
    table, chosen = np.array([scores], dtype=np.uint16), np.empty(1, dtype=np.int64)
    gaps = max(scores) - min(scores) + 1
    digits = np.array([flip.acceptance_digits(rate * gap, digit_words) for gap in range(gaps)], dtype=np.uint64)
    flip.choose_all(table, digits, exponential, np.array([words], dtype=np.uint64), chosen)
    return chosen[0]


def test_what_digits_leave_open_is_not_decided():
    """Words that repeat the digits of the chance, for one candidate below the best."""
    rate = Fraction(1)
    known = flip.acceptance_digits(rate, 4)
    bits = [((word >> (63 - k)) & 1) << 63 for word in known for k in range(64)]
    undecided = bits[:128]
    assert choose_from(undecided, [1, 0], rate, exponential=False) == UNDECIDED
    # One digit more than two words: 1 on 0 rejects, so the best one is chosen.
    place = 128 + bits[128:].index(0)
    decided = [*bits[:place], 1 << 63, 0, 0]
    assert choose_from(decided, [1, 0], rate, exponential=False) == UNDECIDED
    assert choose_from(decided, [1, 0], rate, 4, exponential=False) == 0


def test_the_exponential_choice_reads_on_where_a_proposal_ties():
    rate = Fraction(1)
    first, second, *_ = flip.acceptance_digits(rate, 4)
    weight = (first >> 32) + 1
    total = (1 << 32) + weight
    # The first word proposes the last place of the second candidate's weight: the first 32 digits tie.
    proposal = -(-((total - 1) << 64) // total)
    tie = (first & 0xFFFFFFFF) << 32
    assert choose_from([proposal, tie, second - 1, 0], [1, 0], rate, exponential=True) == 1
    assert choose_from([proposal, tie, second, 0], [1, 0], rate, exponential=True) == UNDECIDED
    assert choose_from([proposal, tie, second + 1, 1 << 60, 1 << 60, 1 << 60], [1, 0], rate, exponential=True) == 0


def test_the_exponential_choice_rejects_what_is_above_its_chance():
    first, *_ = flip.acceptance_digits(Fraction(1), 2)
    total = (1 << 32) + (first >> 32) + 1
    proposal = -(-((total - 1) << 64) // total)
    for rest, chosen in (((first & 0xFFFFFFFF) - 1, 1), ((first & 0xFFFFFFFF) + 1, 0)):
        words = [proposal, rest << 32, 1 << 60, 1 << 60, 1 << 60]
        assert choose_from(words, [1, 0], Fraction(1), exponential=True) == chosen


@pytest.mark.parametrize("exponential", [False, True])
def test_a_choice_does_not_depend_on_the_batch(exponential):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, size=(40, 300)).astype(np.uint16)
    source = RandomSource.keyed(b"a key of 16 bytes")
    together = flip.choose(scores, Fraction(1, 2), source.streams(b"c", np.arange(40)), exponential=exponential)
    for row in (0, 17, 39):
        alone = source.at(row).streams(b"c", np.array([row]))
        assert flip.choose(scores[[row]], Fraction(1, 2), alone, exponential=exponential)[0] == together[row]


@pytest.mark.parametrize(
    ("epsilon", "deep", "depth", "exponential", "flipped"),
    [(3, 55, 5, 0.9526, 0.9534), (6, 25, 3, 0.9760, 0.9769), (10, 5, 2, 0.9566, 0.9634), (23, 1, 1, 0.9518, 0.9751)],
)
def test_success_with_the_numbers_of_table_1(epsilon, deep, depth, exponential, flipped):
    """Deep candidates among 5,000, the others of depth 0; binomial at 1e-7, and an epsilon / 1.3 must fail."""
    scores = np.zeros(5000, dtype=np.uint16)
    scores[:deep] = depth
    for is_exponential, success in ((True, exponential), (False, flipped)):
        for factor, passes in ((1, True), (Fraction(10, 13), False)):
            drawn = draw(scores, Fraction(epsilon, 2) * factor, 3000, exponential=is_exponential)
            p_value = stats.binomtest(int(drawn[:deep].sum()), 3000, success).pvalue
            assert (p_value > 1e-7) == passes


def test_acceptance_far_below_the_best_is_zero_to_the_digits_asked_for():
    assert flip.acceptance_digits(Fraction(129), 2) == (0, 0)
    assert flip.acceptance_digits(Fraction(89), 2) == (0, math.floor(Fraction(math.exp(-89)) * 2**128))
