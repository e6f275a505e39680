"""Choose among candidates by a whole score: permute-and-flip and the exponential mechanism, both exactly (T10, 8.5).

Permute-and-flip goes through the candidates in random order and accepts one with probability e^(-rate x gap), gap =
how far it is below the best score; the first one accepted is the choice. That is a uniform choice among all that would
be accepted, and candidates of one score are alike: so it is enough to count how many of each score are accepted. The
exponential mechanism chooses with probability proportional to e^(-rate x gap). In both, chances are compared with
random words digit by digit (`digits`): no float is compared, and no weight is rounded.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.elementary import instruction, multiply_high
from textveil.noise.digits import UNDECIDED, WORD_BITS, digits_of, exponential_between, flip
from textveil.noise.reading import Rows
from textveil.noise.rereading import until_enough
from textveil.randomness import Streams, Words

Scores = NDArray[np.unsignedinteger[Any]]
Ids = NDArray[np.int64]

# A first comparison looks at so many words of binary digits.
_FIRST_DIGITS = 2
# The weights of a proposal are 32 digits long.
_HALF = np.uint64(32)
# Above this many, only the digits of those gaps are worked out that occur.
_FEW_GAPS = 64


def choose(scores: Scores, rate: Fraction, streams: Streams, *, exponential: bool) -> Ids:
    """Choose one candidate an item.

    Parameters
    ----------
    scores : shape (items, candidates), higher is better
    rate : what a step of score is worth, in nats: half of epsilon for scores of sensitivity 1
    streams : one an item
    exponential : whether to use the exponential mechanism, and not permute-and-flip
    """
    chosen = np.empty(len(scores), dtype=np.int64)
    gaps = int((scores.max(axis=1) - scores.min(axis=1)).max(initial=0)) + 1
    digit_words = _FIRST_DIGITS

    def attempt(words: Words, rows: Rows) -> NDArray[np.bool_]:
        nonlocal digit_words
        known = _gaps_in(scores[rows]) if gaps > _FEW_GAPS else np.arange(gaps)
        digits = np.zeros((gaps, digit_words), dtype=np.uint64)
        digits[known] = [acceptance_digits(rate * int(gap), digit_words) for gap in known]
        drawn = np.empty(len(rows), dtype=np.int64)
        choose_all(scores[rows], digits, exponential, words, drawn)
        chosen[rows] = drawn
        digit_words *= 2
        return np.asarray(drawn != UNDECIDED)

    # Counting reads two bits a candidate, and some words for every score that occurs; four where that is once or twice.
    width = 8 if exponential else 2 * (scores.shape[1] // 64 + 8 * min(gaps, 8) + 2 * min(gaps, scores.shape[1]))
    until_enough(streams, width, attempt)
    return chosen


def _gaps_in(scores: Scores) -> Ids:
    """Return the gaps that occur at all."""
    gaps = scores.max(axis=1, keepdims=True) - scores
    return np.flatnonzero(np.bincount(gaps.ravel()))


@lru_cache(maxsize=1 << 17)
def acceptance_digits(exponent: Fraction, words: int) -> tuple[int, ...]:
    """Return the binary digits of e^-exponent, 64 to a word; of the certain event, exponent 0, all are 1."""
    if exponent == 0:
        return (2**WORD_BITS - 1,) * words
    if exponent > WORD_BITS * words:
        return (0,) * words
    return digits_of(lambda decimals: exponential_between(-exponent, decimals), words)


@compiled
def choose_all(scores, digits, exponential, words, chosen):  # type: ignore[no-untyped-def]
    """Choose for every item from its words; UNDECIDED where they, or the digits, do not suffice."""
    counts = np.empty(digits.shape[0], dtype=np.int64)
    for i in range(scores.shape[0]):
        best = scores[i].max()
        counts[:] = 0
        for score in scores[i]:
            counts[best - score] += 1
        if exponential:
            gap, place = _weighted(counts, digits, words[i])
        else:
            gap, place = _permuted(counts, digits, words[i])
        chosen[i] = UNDECIDED
        if gap != UNDECIDED:
            rank, place = below_from(words[i], place, counts[gap])
            if rank != UNDECIDED:
                chosen[i] = _find(scores[i], best - gap, rank)


@compiled
def _permuted(counts, digits, words):  # type: ignore[no-untyped-def]
    """The gap that permute-and-flip chooses, and the next word's place."""
    accepted = np.empty_like(counts)
    accepted[0] = counts[0]
    place = 0
    for gap in range(1, counts.size):
        accepted[gap], place = count_heads(counts[gap], digits[gap], words, place)
        if accepted[gap] == UNDECIDED:
            return UNDECIDED, place
    rank, place = below_from(words, place, accepted.sum())
    gap = 0
    while rank != UNDECIDED and rank >= accepted[gap]:
        rank -= accepted[gap]
        gap += 1
    return (UNDECIDED if rank == UNDECIDED else gap), place


@compiled
def count_heads(coins, digits, words, place):  # type: ignore[no-untyped-def]
    """How many of so many coins fall heads up, each with the chance that has these digits; and the next word's place.

    All coins are compared with the digits at once, one digit after the other: those that differ from it are decided.
    """
    heads = 0
    for k in range(WORD_BITS * digits.size):
        if coins == 0:
            return heads, place
        digit = digits[k // WORD_BITS] >> np.uint64(WORD_BITS - 1 - k % WORD_BITS) & np.uint64(1)
        ones = 0
        for first in range(0, coins, WORD_BITS):
            if place == words.size:
                return UNDECIDED, place
            unused = np.uint64(max(0, first + WORD_BITS - coins))
            ones += ones_in(words[place] >> unused)
            place += 1
        if digit:
            heads += coins - ones
            coins = ones
        else:
            coins -= ones
    return (heads if coins == 0 else UNDECIDED), place


@compiled
def _weighted(counts, digits, words):  # type: ignore[no-untyped-def]
    """The gap that the exponential mechanism chooses, and the next word's place.

    A gap is proposed with a weight a little above its own: the first 32 digits of its chance, plus one, times its
    count. Where in that weight the proposal fell makes the first 32 digits of a random number; the gap is accepted if
    the number is below its chance.
    """
    weights = np.empty(counts.size, dtype=np.uint64)
    weights[0] = np.uint64(1) << _HALF
    for gap in range(1, counts.size):
        weights[gap] = (digits[gap, 0] >> _HALF) + np.uint64(1)
    total = np.uint64(0)
    for gap in range(counts.size):
        total += weights[gap] * np.uint64(counts[gap])
    place = 0
    while True:
        rank, place = below_from(words, place, total)
        if rank == UNDECIDED or place >= words.size:
            return UNDECIDED, place
        within, gap = np.uint64(rank), 0
        while within >= weights[gap] * np.uint64(counts[gap]):
            within -= weights[gap] * np.uint64(counts[gap])
            gap += 1
        if gap == 0:
            return 0, place
        number = (within % weights[gap]) << _HALF | words[place] >> _HALF
        place += 1
        outcome = 1 if number < digits[gap, 0] else 0
        if number == digits[gap, 0]:
            outcome, place = flip(words, place, digits[gap, 1:])
        if outcome != 0:
            return (gap if outcome == 1 else UNDECIDED), place


@compiled
def below_from(words, place, n):  # type: ignore[no-untyped-def]
    """Lemire (2019): exactly uniform below n, or UNDECIDED; and the next word's place."""
    bound = np.uint64(n)
    while place < words.size:
        word = words[place]
        place += 1
        low = word * bound
        if low >= bound or low >= (np.uint64(0) - bound) % bound:
            return np.int64(multiply_high(word, bound)), place
    return UNDECIDED, place


@compiled
def _find(scores, score, rank):  # type: ignore[no-untyped-def]
    """The candidate that has `rank` others of its score before it."""
    for c in range(scores.size):
        if scores[c] == score:
            if rank == 0:
                return c
            rank -= 1
    return UNDECIDED


@instruction
def ones_in(_typing: Any, _word: Any) -> Any:
    """Return the number of ones among 64 bits."""
    return types.int64(types.uint64), lambda _context, builder, _signature, args: builder.ctpop(args[0])
