"""Coins whose bias is a real number, exactly: its binary digits are compared with random ones until they differ.

Digits come 64 at a time and are worked out in decimal arithmetic with bounds on both sides, so every one of them is
right. Two words decide all but one flip in 2^128; a flip that they leave open is decided by more.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.noise.reading import Rows
from textveil.noise.rereading import until_enough
from textveil.randomness import Streams, Words

Bounds: TypeAlias = tuple[Fraction, Fraction]
Chance: TypeAlias = Callable[[int], Bounds]

WORD_BITS = 64
UNDECIDED = -1
_DECIMALS_A_WORD = 20
_FLIP_WORDS = 2


def exponential_between(exponent: Fraction, decimals: int) -> Bounds:
    """Return bounds of e^exponent that agree to about so many decimals."""
    with localcontext() as context:
        context.prec = decimals + len(str(abs(int(exponent)))) + 2
        value = Fraction((Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp())
    # Quotient and exponential are both rounded correctly: the relative error is below (|exponent| + 1) 10^(1 - prec).
    error = value / 10**decimals
    return value - error, value + error


def digits_of(chance: Chance, words: int) -> tuple[int, ...]:
    """Return the first 64 x `words` binary digits of a number in [0, 1), 64 to a word.

    Parameters
    ----------
    chance : gives bounds of the number that agree to about so many decimals; the number must not be a multiple of
        2^-(64 x words), which no irrational number is
    words : how many
    """
    bits, decimals = WORD_BITS * words, _DECIMALS_A_WORD * words
    while True:
        low, high = ((bound.numerator << bits) // bound.denominator for bound in chance(decimals))
        if low == high:
            return tuple((low >> shift) & (2**WORD_BITS - 1) for shift in range(bits - WORD_BITS, -1, -WORD_BITS))
        decimals *= 2


def flip_coins(streams: Streams, chance: Chance) -> NDArray[np.bool_]:
    """Flip one coin an item: True with exactly this chance, an irrational number in (0, 1)."""
    heads = np.empty(len(streams), dtype=np.bool_)

    def attempt(words: Words, rows: Rows) -> NDArray[np.bool_]:
        digits = np.array(digits_of(chance, words.shape[1]), dtype=np.uint64)
        outcomes = np.empty(len(words), dtype=np.int64)
        _flip_all(words, digits, outcomes)
        heads[rows] = outcomes == 1
        return np.asarray(outcomes != UNDECIDED)

    until_enough(streams, _FLIP_WORDS, attempt)
    return heads


@compiled
def flip(words, place, digits):  # type: ignore[no-untyped-def]
    """Whether the number made of the words from `place` on is below that of the digits; and the next place.

    The answer is 1, 0 or UNDECIDED.
    """
    for k in range(digits.size):
        if place >= words.size:
            break
        word = words[place]
        place += 1
        if word != digits[k]:
            return (1 if word < digits[k] else 0), place
    return UNDECIDED, place


@compiled
def _flip_all(words, digits, outcomes):  # type: ignore[no-untyped-def]
    for i in range(words.shape[0]):
        outcomes[i], _ = flip(words[i], 0, digits)
