"""What is checked: something that turns inputs into outputs, the promise it makes, and public inputs to try it on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from textveil.auditing.metrics import norm_of
from textveil.auditing.pairs import distance_between
from textveil.auditing.revealed import Shown
from textveil.auditing.surroundings.chances import Dice
from textveil.auditing.units import (
    NOTHING,
    UNKNOWN,
    Promised,
    sentence_by_sentence,
    units_apart,
    word_by_word,
)
from textveil.auditing.values import Refusal, answer, as_array, key_of
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.vectors import AdditiveMechanism, VectorMechanism
from textveil.text import TextRewriter
from textveil.text.scanning import Lookup
from textveil.vocabulary import Vocabulary

Distance = Callable[[Any, Any], float]
# How the name of a distance between the vectors of words begins.
_OF_VECTORS = ("euclidean", "l1 ", "l2 ", "hyperbolic", "cosine", "mahalanobis")
# What a mechanism may raise for an input that it does not take.
_REFUSALS = (ValueError, TypeError, LookupError, AttributeError)


class Kind(StrEnum):
    """What one input is."""

    VECTOR = "vector"
    MATRIX = "matrix"
    WORD = "word"
    TEXT = "text"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is checked.

    Parameters
    ----------
    draw : several inputs to their outputs, in order
    claim : what is promised
    inputs : public inputs, all of one kind
    kind : what one input is
    distance : of two inputs, in the metric of the claim; None if it is not known
    dice : the auditor's own random choices
    vocabulary : of a mechanism that releases words, or texts word by word
    """

    draw: Callable[[Sequence[Any]], list[Any]]
    claim: Guarantee
    inputs: tuple[Any, ...]
    kind: Kind
    distance: Distance | None
    dice: Dice
    vocabulary: Vocabulary | None = None

    def attempt(self, inputs: Sequence[Any]) -> list[Any] | None:
        """Return the outputs of inputs that a check made up, or None if they are refused."""
        try:
            outputs = self.draw(inputs)
        except _REFUSALS:
            return None
        return None if any(isinstance(output, Refusal) for output in outputs) else outputs

    def promised(self, x: Any, y: Any) -> Promised:
        """Return what the claim says about two inputs."""
        if self.claim.relation.pairs is Pairs.EDGES:
            return NOTHING
        apart = units_apart(self.claim, x, y)
        if apart is None:
            return NOTHING
        each = [self._promised_pair(*pair) for pair in apart]
        return sentence_by_sentence(each) if self.claim.unit is Unit.SENTENCE else word_by_word(each)

    def promised_apart(self, words: int = 1) -> Promised:
        """Return what the claim says about inputs between which its metric knows no distance.

        Such are strings without a vector, or texts that differ in capitals or spaces. They count as one input, at
        distance 0, if it is the vectors of words that are measured; of another metric nothing is known here. `words` is
        how many words of the two differ so.
        """
        pairs = self.claim.relation.pairs
        if pairs in (Pairs.EDGES, Pairs.WITHIN):
            return NOTHING
        if pairs is Pairs.METRIC and not self._measures_words:
            return UNKNOWN
        loss = 0.0 if pairs is Pairs.METRIC else self.claim.epsilon
        times = words if self.claim.by_words else 1
        return Promised(times * loss, min(1.0, times * (self.claim.delta + (1 + math.exp(loss)) * self.claim.slack)))

    def worst(self, inputs: Sequence[Any]) -> Promised:
        """Return the largest loss and delta promised between any two of the inputs; nan if one is not known."""
        found = [self.promised(x, y) for number, x in enumerate(inputs) for y in inputs[:number]]
        return Promised(*(float(np.max(column)) for column in zip(*found, strict=True)))

    def reveals(self, *things: Shown) -> bool:
        """Whether the claim names one of these among what is revealed anyway."""
        return any(thing.is_named_in(self.claim) for thing in things)

    @property
    def _measures_words(self) -> bool:
        """Whether the distance is one of the vectors that words of a vocabulary have."""
        if self.vocabulary is not None:
            return True
        metric = self.claim.relation.metric.lower()
        return (self.claim.unit in (Unit.WORD, Unit.VECTOR) or self.claim.by_words) and metric.startswith(_OF_VECTORS)

    def _at(self, distance: float) -> Promised:
        return Promised(self.claim.loss(distance), self.claim.delta_at(distance))

    def _promised_pair(self, x: Any, y: Any) -> Promised:
        if self.claim.relation.pairs is Pairs.ANY:
            return self._at(1.0)
        try:
            return UNKNOWN if self.distance is None else self._at(self.distance(x, y))
        except InvalidInputError:
            return UNKNOWN


def subject_of(
    subject: Any, inputs: Sequence[Any], *, claim: Guarantee | None, distance: Distance | None, dice: Dice
) -> Subject:
    """Return what is to be checked: of a mechanism, or of a function that takes one input a call."""
    if claim is None and not isinstance(subject, Mechanism):
        raise InvalidInputError("a function makes no promise of its own; give the one to check as claim=")
    promise = subject.guarantee if claim is None else claim
    distinct = tuple({key_of(x): x for x in inputs}.values())
    if len(distinct) < 2:
        raise InvalidInputError(f"inputs must be at least 2 different public inputs (got {len(distinct)})")
    return Subject(
        draw=drawing(subject, dice),
        claim=promise,
        inputs=distinct,
        kind=_kind(distinct, promise),
        distance=distance or _distance_of(subject, distinct, promise),
        dice=dice,
        vocabulary=_vocabulary_of(subject),
    )


def drawing(subject: Any, dice: Dice | None = None) -> Callable[[Sequence[Any]], list[Any]]:
    """Return what turns several inputs into outputs; without dice a mechanism takes its noise where it likes."""
    if not isinstance(subject, Mechanism):
        return lambda inputs: [_as_array(answer(subject, one)) for one in inputs]
    source = None if dice is None else dice.source
    together = np.stack if isinstance(subject, VectorMechanism) else list
    return lambda inputs: list(subject.release(together(inputs), source=source))


def _as_array(output: Any) -> Any:
    """Return numbers as an array, be they a list's or torch's; everything else as it is."""
    if isinstance(output, str | bytes):
        return output
    listed = isinstance(output, list | tuple) and all(isinstance(number, float) for number in output)
    return as_array(output) if listed or isinstance(output, float) or hasattr(output, "__array__") else output


def _kind(inputs: Sequence[Any], claim: Guarantee) -> Kind:
    if all(isinstance(one, str) for one in inputs):
        spaced = any(len(one.split()) > 1 for one in inputs)
        return Kind.TEXT if spaced or claim.unit not in (Unit.WORD, Unit.VECTOR) else Kind.WORD
    dimensions = {one.ndim if isinstance(one, np.ndarray) and one.dtype.kind == "f" else 0 for one in inputs}
    return {1: Kind.VECTOR, 2: Kind.MATRIX}.get(dimensions.pop() if len(dimensions) == 1 else 0, Kind.OTHER)


def _distance_of(subject: Any, inputs: Sequence[Any], claim: Guarantee) -> Distance | None:
    """Return the distance of the claim where it is plain: of words of a vocabulary, or one that its name tells."""
    if isinstance(inputs[0], str):
        vocabulary = _vocabulary_of(subject)
        own = subject.guarantee.relation.metric if isinstance(subject, Mechanism) else ""
        if vocabulary is None or not (claim.relation.metric == own or norm_of(claim.relation.metric)):
            return None
        # A text's words are looked up whatever their case.
        in_text = isinstance(getattr(subject, "rewriter", subject), TextRewriter)
        find = Lookup(vocabulary).find if in_text else lambda word: int(vocabulary.ids([word])[0])
        return partial(_distance_of_words, claim, vocabulary, find)
    measured = partial(distance_between, claim)
    try:
        measured(*inputs[:2])
    except InvalidInputError:
        return None
    if not isinstance(subject, AdditiveMechanism):
        return measured
    lattice = subject.lattice
    return lambda x, y: measured(*(lattice.to_vectors(lattice.snap(one)) for one in (x, y)))


def _vocabulary_of(subject: Any) -> Vocabulary | None:
    rewriter = getattr(subject, "rewriter", subject)
    words = rewriter if hasattr(rewriter, "vocabulary") else getattr(rewriter, "mechanism", None)
    vocabulary = getattr(words, "vocabulary", None)
    return vocabulary if isinstance(vocabulary, Vocabulary) else None


def _distance_of_words(claim: Guarantee, vocabulary: Vocabulary, find: Callable[[str], int], x: str, y: str) -> float:
    """Return how far apart the points of two words are: in the claim's distance, or in the vocabulary's own."""
    points = [np.asarray(vocabulary.points[[find(word)]], dtype=np.float64) for word in (x, y)]
    if norm_of(claim.relation.metric) not in ("", norm_of(vocabulary.space.metric)):
        return distance_between(claim, points[0][0], points[1][0])
    return float(vocabulary.space.distances(*points)[0, 0])
