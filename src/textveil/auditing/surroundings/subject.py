"""What is checked: something that turns inputs into outputs, the promise it makes, and public inputs to try it on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from textveil.auditing.pairs import distance_between
from textveil.auditing.surroundings.chances import Dice
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.mechanisms.candidates import Chosen
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.vectors import AdditiveMechanism, VectorMechanism
from textveil.vocabulary import Vocabulary

Distance = Callable[[Any, Any], float]
# What a function may raise for an input that it does not take.
_REFUSALS = (ValueError, TypeError, LookupError, AttributeError)


class Kind(StrEnum):
    """What one input is."""

    VECTOR = "vector"
    MATRIX = "matrix"
    WORD = "word"
    TEXT = "text"
    OTHER = "other"


class Promised(NamedTuple):
    """What is promised between two inputs: a loss (inf: nothing; nan: not known) and the mass that may escape it."""

    loss: float
    delta: float

    @property
    def at_most(self) -> float:
        """The loss, or inf where it is not known."""
        return math.inf if math.isnan(self.loss) else self.loss


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
    """

    draw: Callable[[Sequence[Any]], list[Any]]
    claim: Guarantee
    inputs: tuple[Any, ...]
    kind: Kind
    distance: Distance | None
    dice: Dice

    def attempt(self, inputs: Sequence[Any]) -> list[Any] | None:
        """Return the outputs of inputs that a check made up, or None if they are refused."""
        try:
            return self.draw(inputs)
        except _REFUSALS:
            return None

    def promised(self, x: Any, y: Any) -> Promised:
        """Return what the claim says about two inputs."""
        if self.claim.relation.pairs is Pairs.EDGES:
            return Promised(math.inf, 1.0)
        if (self.claim.by_words and isinstance(x, str)) or is_words(x):
            return self._promised_texts(*(list(one) if is_words(one) else one.split() for one in (x, y)))
        if self.kind is Kind.MATRIX and self.claim.unit is Unit.SENTENCE:
            return self._promised_rows(x, y)
        return self._promised_pair(x, y)

    def promised_apart(self, words: int = 1) -> Promised:
        """Return what the claim says about inputs between which its metric knows no distance.

        Such are strings without a vector, or texts that differ in capitals or spaces. They count as one input, at
        distance 0, unless the claim holds for any pair. `words` is how many words of the two differ so.
        """
        pairs = self.claim.relation.pairs
        if pairs is Pairs.EDGES:
            return Promised(math.inf, 1.0)
        loss = 0.0 if pairs is Pairs.METRIC else self.claim.epsilon
        times = words if self.claim.by_words else 1
        return Promised(times * loss, min(1.0, times * (self.claim.delta + (1 + math.exp(loss)) * self.claim.slack)))

    def worst(self, inputs: Sequence[Any]) -> Promised:
        """Return the largest loss and delta promised between any two of the inputs; nan if one is not known."""
        found = [self.promised(x, y) for number, x in enumerate(inputs) for y in inputs[:number]]
        return Promised(*(float(np.max(column)) for column in zip(*found, strict=True)))

    def reveals(self, *words: str) -> bool:
        """Whether the claim names, by one of these words, what is revealed anyway."""
        return any(word in item.lower() for item in self.claim.reveals for word in words)

    def _at(self, distance: float) -> Promised:
        return Promised(self.claim.loss(distance), self.claim.delta_at(distance))

    def _promised_texts(self, ours: list[str], theirs: list[str]) -> Promised:
        if len(ours) != len(theirs):
            return Promised(math.inf, 1.0)
        each = [self._promised_pair(*pair) for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
        return Promised(math.fsum(one.loss for one in each), min(1.0, math.fsum(one.delta for one in each)))

    def _promised_rows(self, ours: Any, theirs: Any) -> Promised:
        if ours.shape != theirs.shape:
            return Promised(math.inf, 1.0)
        rows = int((ours != theirs).any(axis=1).sum())
        loss, delta = self._at(1.0)
        # Rows are exchanged one after the other; what escapes at one step grows by the losses of the rest.
        return Promised(rows * loss, min(1.0, rows * delta * math.exp(min(700.0, max(rows - 1, 0) * loss))))

    def _promised_pair(self, x: Any, y: Any) -> Promised:
        if self.claim.relation.pairs is Pairs.ANY:
            return self._at(1.0)
        try:
            return Promised(math.nan, math.nan) if self.distance is None else self._at(self.distance(x, y))
        except InvalidInputError:
            return Promised(math.nan, math.nan)


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
    )


def drawing(subject: Any, dice: Dice | None = None) -> Callable[[Sequence[Any]], list[Any]]:
    """Return what turns several inputs into outputs; without dice a mechanism takes its noise where it likes."""
    if not isinstance(subject, Mechanism):
        return lambda inputs: [_as_array(subject(one)) for one in inputs]
    source = None if dice is None else dice.source
    together = np.stack if isinstance(subject, VectorMechanism) else list
    return lambda inputs: list(subject.release(together(inputs), source=source))


def is_words(value: Any) -> bool:
    """Whether a value is a list of words, each of which is released by itself."""
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def key_of(output: Any) -> Any:
    """Return something that is equal for outputs that are the same to the last bit."""
    if isinstance(output, Chosen):
        return output.index
    if isinstance(output, list | tuple):
        return tuple(key_of(item) for item in output)
    if isinstance(output, str | bytes | int):
        return output
    array = np.asarray(output)
    return (array.shape, array.tobytes()) if array.dtype.kind in "fiub" else repr(output)


def _as_array(output: Any) -> Any:
    """Return numbers as an array, be they a list's or torch's; everything else as it is."""
    listed = isinstance(output, list | tuple) and all(isinstance(number, float) for number in output)
    return np.asarray(output) if listed or hasattr(output, "__array__") else output


def shown(value: Any) -> Any:
    """Return a public input as a plain value for a witness."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def _kind(inputs: Sequence[Any], claim: Guarantee) -> Kind:
    if all(isinstance(one, str) for one in inputs):
        spaced = any(len(one.split()) > 1 for one in inputs)
        return Kind.TEXT if spaced or claim.unit not in (Unit.WORD, Unit.VECTOR) else Kind.WORD
    dimensions = {one.ndim if isinstance(one, np.ndarray) and one.dtype.kind == "f" else 0 for one in inputs}
    return {1: Kind.VECTOR, 2: Kind.MATRIX}.get(dimensions.pop() if len(dimensions) == 1 else 0, Kind.OTHER)


def _distance_of(subject: Any, inputs: Sequence[Any], claim: Guarantee) -> Distance | None:
    """Return the distance of the claim where it is plain: of words of a vocabulary, or one that its name tells."""
    if isinstance(inputs[0], str):
        words = subject if hasattr(subject, "vocabulary") else getattr(subject, "mechanism", None)
        vocabulary = getattr(words, "vocabulary", None)
        return partial(_distance_of_words, vocabulary) if isinstance(vocabulary, Vocabulary) else None
    measured = partial(distance_between, claim)
    try:
        measured(*inputs[:2])
    except InvalidInputError:
        return None
    if not isinstance(subject, AdditiveMechanism):
        return measured
    lattice = subject.lattice
    return lambda x, y: measured(*(lattice.to_vectors(lattice.snap(one)) for one in (x, y)))


def _distance_of_words(vocabulary: Vocabulary, x: str, y: str) -> float:
    points = [np.asarray(vocabulary.points[vocabulary.ids([word])], dtype=np.float64) for word in (x, y)]
    return float(vocabulary.space.distances(*points)[0, 0])
