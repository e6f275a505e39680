"""What a release promises: to whom, between which inputs, how much, and whether that is proved.

A guarantee says how far the law of the output may move when the protected thing (a `Unit`) is exchanged
for another (a `Relation`): P[M(x) in S] <= e^loss P[M(x') in S] + delta for every set S. For metric
privacy the loss is epsilon times a distance; for local privacy it is epsilon for any pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import StrEnum
from html import escape
from typing import Any

from textveil.errors import InvalidInputError, require_probability

_NEGLIGIBLE = 1e-30
EACH_WORD = " for each word that differs"


class Status(StrEnum):
    """Whether the promise is a theorem."""

    PROVED = "proved"
    CONDITIONAL = "conditional"
    REFUTED = "refuted"


class Unit(StrEnum):
    """What is exchanged for another: the thing that is protected."""

    WORD = "word"
    VECTOR = "vector"
    SENTENCE = "sentence"
    UTTERANCE = "utterance"
    DOCUMENT = "document"
    TEXT = "text"


class Pairs(StrEnum):
    """Which pairs of inputs the promise is about."""

    METRIC = "metric"
    ANY = "any"
    WITHIN = "within"
    EDGES = "edges"


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Between which inputs the promise holds, and how its loss grows with their distance.

    Parameters
    ----------
    pairs : METRIC (loss = epsilon x distance), ANY (every pair), WITHIN (pairs closer than `radius`), EDGES
        (only pairs joined in a public graph)
    metric : the distance in words, with its scale
    radius : for METRIC the distance at which the loss stops growing; for WITHIN the largest distance covered
    condition : what else both inputs must have in common
    rounding : for METRIC what rounding adds to the distance of any two different inputs
    largest_loss : for METRIC the loss beyond which nothing is promised; None if there is no such limit
    """

    pairs: Pairs
    metric: str = ""
    radius: float | None = None
    condition: str = ""
    rounding: float = 0.0
    largest_loss: float | None = None

    def __str__(self) -> str:
        return self.among("pairs")

    def among(self, pairs: str) -> str:
        """Say between which inputs; `pairs` is what two inputs are called where only some are covered."""
        if self.pairs is Pairs.METRIC:
            text = f"any pair, by {self.distance}"
            if self.radius is not None:
                text += f" (never counted above {rounded_up(self.radius, 7)})"
        elif self.pairs is Pairs.ANY:
            text = "any pair"
        elif self.pairs is Pairs.WITHIN:
            text = f"{pairs} within {rounded_down(self.radius or 0.0, 7)} in {self.metric}"
        else:
            text = f"only {pairs} joined in {self.metric}"
        return text + (f", {self.conditions}" if self.conditions else "")

    @property
    def conditions(self) -> str:
        """All that must be so besides, in words."""
        limit = "" if self.largest_loss is None else f"for losses up to {rounded_down(self.largest_loss, 7)}"
        return ", ".join(filter(None, (self.condition, limit)))

    @property
    def distance(self) -> str:
        """The distance that is counted, in words."""
        return self.metric + (f", plus {rounded_up(self.rounding, 2)} for rounding" if self.rounding else "")


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """The promise of a mechanism. `str()` says it in English.

    Parameters
    ----------
    epsilon : loss per unit of distance (METRIC) or in all; in nats
    delta : probability mass that may escape the bound
    unit : what is protected
    relation : between which inputs
    status, reason : whether the promise is a theorem, and why not if it is not
    reveals : what the release shows anyway
    slack : total variation distance between the law sampled and the law proved; 0 for exact sampling
    positions : how many words a text has; losses add over those that differ. Where it is not known, delta and slack
        are those of one word, and add up as well
    mu : for Gaussian noise, how telling a unit of distance is: inputs at distance r are at least as hard to tell apart
        as N(0, 1) from N(mu r, 1); over several releases mu r adds in squares
    whole : of a text: that it is released at once, as one vector, and not word by word
    offset : for METRIC what is lost between any two different inputs, in nats, on top of epsilon x distance
    """

    epsilon: float
    unit: Unit
    relation: Relation
    delta: float = 0.0
    status: Status = Status.PROVED
    reason: str = ""
    reveals: tuple[str, ...] = ()
    slack: float = 0.0
    positions: int | None = None
    mu: float | None = None
    whole: bool = False
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise InvalidInputError(f"epsilon must be at least 0 (got {self.epsilon!r})")
        if not self.offset >= 0:
            raise InvalidInputError(f"offset must be at least 0 (got {self.offset!r})")
        require_probability("delta", self.delta)
        if self.status is not Status.PROVED and not self.reason:
            raise InvalidInputError(f"a {self.status} guarantee must say why: give reason=")
        if self.status is not Status.REFUTED and self.slack and (self.sampled_delta or 0.0) >= 1:
            raise InvalidInputError(
                f"sampling in floating point leaves nothing of a loss of {self._covered_loss:.4g}: delta would be 1; "
                'use precision="exact"'
            )

    def loss(self, distance: float) -> float:
        """Return the largest loss claimed, in nats, between two inputs at this distance (inf: no promise).

        It is a theorem only if `status` is proved; of a refuted guarantee it is the claim that fails. Of a text that is
        released word by word it is the loss of ONE word that differs by this distance: a radius, an offset and rounding
        count for each word, so `text_loss` must be asked for the text.
        """
        if not distance >= 0:
            raise InvalidInputError(f"distance must be at least 0 (got {distance!r})")
        if distance == 0:
            return 0.0
        if self.relation.pairs is Pairs.METRIC:
            radius = self.relation.radius
            counted = self.relation.rounding + (distance if radius is None else min(distance, radius))
            # Nothing times an infinite distance is nothing.
            loss = (self.epsilon * counted if self.epsilon else 0.0) + self.offset
            limit = self.relation.largest_loss
            return loss if limit is None or loss <= limit else math.inf
        if self.relation.pairs is Pairs.WITHIN and distance > (self.relation.radius or 0.0):
            return math.inf
        return self.epsilon

    def delta_at(self, distance: float) -> float:
        """Return delta between two inputs at this distance, float sampling included (SPEC 8.1); 1 for no promise."""
        if distance == 0:
            return 0.0
        loss = self.loss(distance)
        return 1.0 if math.isinf(loss) else self._delta_with_sampling(loss)

    def _delta_with_sampling(self, loss: float) -> float:
        sampling = 0.0 if self.slack == 0 else (1 + math.exp(min(loss, 700.0))) * self.slack
        return min(1.0, self.delta + sampling)

    @property
    def _covered_loss(self) -> float:
        """The largest loss of all pairs that the promise is about, inf if nothing bounds it."""
        return self.loss(math.inf) if self.relation.pairs is Pairs.METRIC else self.epsilon

    @property
    def sampled_delta(self) -> float | None:
        """Delta for all pairs covered, float sampling included; None if nothing bounds it or it adds over words."""
        loss = self._covered_loss
        if self.by_words or math.isinf(loss):
            return None
        return self._delta_with_sampling(loss)

    def text_loss(self, distances: Sequence[float]) -> float:
        """Return the loss between two texts of equal length whose words differ by these distances."""
        return math.fsum(self.loss(distance) for distance in distances)

    def for_text(self, words: int | None = None, *, reveals: Sequence[str] = ()) -> Guarantee:
        """Return the promise for a text whose words are released one by one, independently.

        Parameters
        ----------
        words : the number of words, if it is known; losses and deltas add over them
        reveals : what releasing a text shows in addition
        """
        delta = self.delta if words is None else min(self.delta * words, math.nextafter(1.0, 0.0))
        slack = self.slack if words is None else min(1.0, self.slack * words)
        shown = (*self.reveals, *(item for item in reveals if item not in self.reveals))
        return replace(self, unit=Unit.TEXT, positions=words, delta=delta, slack=slack, reveals=shown)

    def for_whole_text(self, meaning: str) -> Guarantee:
        """Return the promise for a text that is released at once, as the vector that stands for it.

        Parameters
        ----------
        meaning : which vector that is
        """
        metric = f"{self.relation.metric}; a text's vector is {meaning}" if self.relation.metric else ""
        return replace(self, unit=Unit.TEXT, relation=replace(self.relation, metric=metric), whole=True)

    @property
    def by_words(self) -> bool:
        """Whether a text is released word by word, so that losses add over its words."""
        return self.unit is Unit.TEXT and not self.whole

    def worst_case(self) -> float:
        """Return the loss between the two most different inputs, inf if unbounded."""
        if self.relation.pairs is Pairs.EDGES:
            return math.inf
        one = self.loss(math.inf)
        if self.by_words and self.positions != 0:
            return math.inf if self.positions is None else self.positions * one
        return 0.0 if self.by_words else one

    def as_dict(self) -> dict[str, Any]:
        """Return the guarantee as plain values for a receipt."""
        return asdict(self)

    def __str__(self) -> str:
        return " ".join([_promise(self), *_caveats(self)])

    def _repr_html_(self) -> str:
        colour = {Status.PROVED: "#0072b2", Status.CONDITIONAL: "#b35900", Status.REFUTED: "#a8003c"}[self.status]
        rows = {
            "epsilon": rounded_up(self.epsilon, 7)
            + (" per unit distance" if self.relation.pairs is Pairs.METRIC else "")
            + (f", plus {rounded_up(self.offset, 7)}" if self.offset else ""),
            "delta": rounded_up(self.delta, 3),
            "protects": str(self.unit),
            "between": _pairs(self),
            "reveals": ", ".join(self.reveals) or "nothing else",
        }
        cells = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
            for name, value in rows.items()
        )
        return (
            f"<div><strong style='color:{colour}'>{escape(self.status)}</strong> {escape(str(self))}"
            f"<table>{cells}</table></div>"
        )


def metric_privacy(epsilon: float, *, metric: str, unit: Unit, radius: float | None = None, **more: Any) -> Guarantee:
    """Loss epsilon x distance for every pair; with a radius, never more than epsilon x radius."""
    relation = Relation(pairs=Pairs.METRIC, metric=metric, radius=radius)
    return Guarantee(epsilon=epsilon, unit=unit, relation=relation, **more)


def local_privacy(epsilon: float, *, unit: Unit, delta: float = 0.0, **more: Any) -> Guarantee:
    """Loss epsilon between any two inputs whatever."""
    return Guarantee(epsilon=epsilon, delta=delta, unit=unit, relation=Relation(pairs=Pairs.ANY), **more)


def rounded_up(value: float, digits: int) -> str:
    """Print a number with so many digits and never less than it is: a printed loss must not be understated."""
    return _printed(value, digits, ROUND_CEILING)


def rounded_down(value: float, digits: int) -> str:
    """Print a number with so many digits and never more than it is, such as how far a promise reaches."""
    return _printed(value, digits, ROUND_FLOOR)


def _printed(value: float, digits: int, rounding: str) -> str:
    # The shortest decimal of a float stands for it, so that 0.1 stays 0.1.
    decimal = Context(prec=digits, rounding=rounding).create_decimal(repr(float(value)))
    return f"{float(decimal):.{digits}g}"


def _pairs(guarantee: Guarantee) -> str:
    return guarantee.relation.among("each pair of words that differ" if guarantee.by_words else "pairs")


def _promise(guarantee: Guarantee) -> str:
    relation, epsilon = guarantee.relation, rounded_up(guarantee.epsilon, 7)
    each = EACH_WORD if guarantee.by_words and guarantee.positions is None else ""
    delta = f", except with {_mass(guarantee.delta)}{each}" if guarantee.delta else ""
    opening = {
        Status.PROVED: "Proved:",
        Status.CONDITIONAL: f"Conditional ({guarantee.reason}):",
        Status.REFUTED: f"REFUTED ({guarantee.reason}); it was claimed that",
    }[guarantee.status]
    is_text = guarantee.by_words
    things = "two texts of equal length and layout" if is_text else f"two {guarantee.unit}s"
    if relation.pairs in (Pairs.WITHIN, Pairs.EDGES):
        things += f" ({_pairs(guarantee)})"
    elif relation.conditions:
        things += f" {relation.conditions}"
    if relation.pairs is Pairs.METRIC:
        distance = f"{'the sum of the distances of their words' if is_text else 'their distance'} ({relation.distance})"
        offset = f" + {rounded_up(guarantee.offset, 7)}" + (EACH_WORD if is_text else "") if guarantee.offset else ""
        bound = f"at most e^({epsilon} x {distance}{offset}) times as likely"
    else:
        bound = f"at most e^{epsilon} times as likely" + (" per word that differs" if is_text else "")
    sentence = f"{opening} for {things}, any output is {bound} from one as from the other{delta}."
    if relation.pairs is Pairs.METRIC and relation.radius is not None:
        each = "word" if is_text else str(guarantee.unit)
        sentence += (
            f" The distance of two {each}s never counts above {rounded_up(relation.radius, 7)}, so the loss"
            f"{' for each' if is_text else ''} never passes {rounded_up(guarantee.loss(math.inf), 7)}."
        )
    return sentence


def _mass(delta: float) -> str:
    if delta < _NEGLIGIBLE:
        return f"a negligible probability (below {_NEGLIGIBLE:g})"
    return f"probability mass {rounded_up(delta, 3)}"


def _caveats(guarantee: Guarantee) -> list[str]:
    caveats = []
    each = EACH_WORD if guarantee.by_words and guarantee.positions is None else ""
    if guarantee.slack and guarantee.status is not Status.REFUTED:
        total = guarantee.sampled_delta
        if total is not None:
            caveats.append(
                f"Sampling in floating point brings delta, what may escape, to {rounded_up(total, 3)}; "
                'precision="exact" adds nothing.'
            )
        else:
            # From here on (1 + e^loss) slack + delta is 1 or more.
            end = math.log(max(1.0, (1 - guarantee.delta) / guarantee.slack - 1))
            caveats.append(
                f"Sampling in floating point adds at most (1 + e^loss) x {rounded_up(guarantee.slack, 2)} to delta"
                f"{each}, so beyond a loss of {rounded_down(end, 3)} nothing is promised; "
                'precision="exact" removes it.'
            )
    if guarantee.mu is not None and guarantee.status is Status.PROVED:
        two = "two words" if guarantee.by_words else "the two"
        caveats.append(
            f"Whatever their distance r, {two} are at least as hard to tell apart as N(0, 1) from "
            f"N({rounded_up(guarantee.mu, 4)} r, 1)."
        )
    if guarantee.reveals:
        caveats.append(f"It reveals: {', '.join(guarantee.reveals)}.")
    return caveats
