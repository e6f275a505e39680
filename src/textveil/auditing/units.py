"""What a claim promises between two inputs that may differ in more than one of the units it protects.

A claim for a text that is released word by word is a claim for one word: losses and deltas add over the words that
differ. A claim for a sentence of a document is one for documents that differ in one: documents that differ in more are
reached by exchanging one after the other. Texts of another length or layout are not covered at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from textveil.auditing.revealed import Shown
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.text.assembly import capitals_of
from textveil.text.sentences import sentences_in
from textveil.text.tokens import words_in

_RECURRING = "whose words recur at the same positions"


class Promised(NamedTuple):
    """What is promised between two inputs: a loss (inf: nothing; nan: not known) and the mass that may escape it."""

    loss: float
    delta: float

    @property
    def at_most(self) -> float:
        """The loss, or inf where it is not known."""
        return math.inf if math.isnan(self.loss) else self.loss


NOTHING = Promised(math.inf, 1.0)
UNKNOWN = Promised(math.nan, math.nan)


def is_words(value: Any) -> bool:
    """Whether a value is a list of words, each of which is released by itself."""
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def units_apart(claim: Guarantee, x: Any, y: Any) -> list[tuple[Any, Any]] | None:
    """Return the units that differ, two and two; None if the claim does not cover the inputs.

    Where the unit is all of an input, it is the one that differs.
    """
    ours, theirs = _units(claim, x), _units(claim, y)
    if ours is None or theirs is None:
        return [(x, y)]
    if len(ours) != len(theirs):
        return None
    if claim.by_words and not _is_covered(claim, (x, y), (ours, theirs)):
        return None
    return [(a, b) for a, b in zip(ours, theirs, strict=True) if not np.array_equal(a, b)]


def promised_at(claim: Guarantee, x: Any, y: Any, distance: float) -> Promised:
    """Return what is promised between two inputs at this distance, of which each unit that differs has a part.

    How the distance is shared among several units is not known, so that this is the most that may be promised.
    """
    apart = units_apart(claim, x, y)
    if apart is None:
        return NOTHING
    loss, delta = claim.loss(distance), claim.delta_at(distance)
    count = len(apart)
    if count < 2 or math.isinf(loss):
        return Promised(loss, delta)
    if claim.unit is Unit.SENTENCE:
        return sentence_by_sentence([Promised(loss, delta)] * count)
    if claim.relation.pairs is Pairs.METRIC:
        radius = math.inf if claim.relation.radius is None else claim.relation.radius
        counted = min(distance, count * radius) + count * claim.relation.rounding
        loss = (claim.epsilon * counted if claim.epsilon else 0.0) + count * claim.offset
    else:
        loss *= count
    return Promised(loss, min(1.0, count * delta))


def word_by_word(each: Sequence[Promised]) -> Promised:
    """Return what is promised for words that are released independently."""
    return Promised(math.fsum(one.loss for one in each), min(1.0, math.fsum(one.delta for one in each)))


def sentence_by_sentence(each: Sequence[Promised]) -> Promised:
    """Return what is promised for sentences that are exchanged one after the other."""
    whole = word_by_word(each)
    # What escapes at one step grows by the losses of the rest.
    grown = math.exp(min(700.0, whole.at_most - min((one.at_most for one in each), default=0.0)))
    return Promised(whole.loss, min(1.0, whole.delta * grown))


def _units(claim: Guarantee, value: Any) -> Sequence[Any] | None:
    if is_words(value):
        return list(value)
    if claim.by_words and isinstance(value, str):
        return [value[start:end] for start, end in words_in(value)]
    if claim.unit is Unit.SENTENCE and isinstance(value, str):
        return sentences_in(value)
    if claim.unit is Unit.SENTENCE and isinstance(value, np.ndarray) and value.ndim == 2:
        return list(value)
    return None


def _is_covered(claim: Guarantee, texts: tuple[Any, Any], words: tuple[Sequence[str], Sequence[str]]) -> bool:
    """Whether two texts agree in what a claim that adds over words wants them to have in common."""
    if len({_layout(text) for text in texts if isinstance(text, str)}) > 1:
        return False
    if Shown.CAPITALS.is_named_in(claim) and len({_capitals(each) for each in words}) > 1:
        return False
    return _RECURRING not in claim.relation.condition or len({_places(each) for each in words}) == 1


def _layout(text: str) -> tuple[str, ...]:
    """Return what stands between the words of a text."""
    ends = [0, *(place for span in words_in(text) for place in span), len(text)]
    return tuple(text[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True))


def _capitals(words: Sequence[str]) -> tuple[int, ...]:
    return tuple(map(capitals_of, words))


def _places(words: Sequence[str]) -> tuple[int, ...]:
    """Return of each word where it stood first."""
    folded = [word.casefold() for word in words]
    return tuple(map(folded.index, folded))
