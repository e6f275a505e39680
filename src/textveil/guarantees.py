"""What a release promises: to whom, between which inputs, how much, and whether that is proved.

A guarantee says how far the law of the output may move when the protected thing (a `Unit`) is exchanged
for another (a `Relation`): P[M(x) in S] <= e^loss P[M(x') in S] + delta for every set S. For metric
privacy the loss is epsilon times a distance; for local privacy it is epsilon for any pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from html import escape
from typing import Any

from textveil.errors import InvalidInputError, require_probability

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
    """

    pairs: Pairs
    metric: str = ""
    radius: float | None = None
    condition: str = ""
    rounding: float = 0.0

    def __str__(self) -> str:
        if self.pairs is Pairs.METRIC:
            text = f"any pair, by {self.distance}"
            if self.radius is not None:
                text += f" (never counted above {self.radius:.6g})"
        elif self.pairs is Pairs.ANY:
            text = "any pair"
        elif self.pairs is Pairs.WITHIN:
            text = f"pairs within {self.radius:.6g} in {self.metric}"
        else:
            text = f"only pairs joined in {self.metric}"
        return text + (f", {self.condition}" if self.condition else "")

    @property
    def distance(self) -> str:
        """The distance that is counted, in words."""
        return self.metric + (f", plus {self.rounding:.2g} for rounding" if self.rounding else "")


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

    def loss(self, distance: float) -> float:
        """Return the largest loss claimed, in nats, between two inputs at this distance (inf: no promise).

        It is a theorem only if `status` is proved; of a refuted guarantee it is the claim that fails.
        """
        if not distance >= 0:
            raise InvalidInputError(f"distance must be at least 0 (got {distance!r})")
        if distance == 0:
            return 0.0
        if self.relation.pairs is Pairs.METRIC:
            radius = self.relation.radius
            counted = self.relation.rounding + (distance if radius is None else min(distance, radius))
            return self.epsilon * counted + self.offset
        if self.relation.pairs is Pairs.WITHIN and distance > (self.relation.radius or 0.0):
            return math.inf
        return self.epsilon

    def delta_at(self, distance: float) -> float:
        """Return delta between two inputs at this distance, float sampling included (SPEC 8.1)."""
        if distance == 0:
            return 0.0
        loss = self.loss(distance)
        sampling = 0.0 if self.slack == 0 else (1 + math.exp(min(loss, 700.0))) * self.slack
        return min(1.0, self.delta + sampling)

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
        one = self.loss(math.inf)
        if self.by_words:
            return math.inf if self.positions is None else self.positions * one
        return one

    def as_dict(self) -> dict[str, Any]:
        """Return the guarantee as plain values for a receipt."""
        return asdict(self)

    def __str__(self) -> str:
        return " ".join([_promise(self), *_caveats(self)])

    def _repr_html_(self) -> str:
        colour = {Status.PROVED: "#0072b2", Status.CONDITIONAL: "#b35900", Status.REFUTED: "#a8003c"}[self.status]
        rows = {
            "epsilon": f"{self.epsilon:.6g}"
            + (" per unit distance" if self.relation.pairs is Pairs.METRIC else "")
            + (f", plus {self.offset:.6g}" if self.offset else ""),
            "delta": f"{self.delta:.3g}",
            "protects": str(self.unit),
            "between": str(self.relation),
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


def _promise(guarantee: Guarantee) -> str:
    relation, epsilon = guarantee.relation, f"{guarantee.epsilon:.6g}"
    each = EACH_WORD if guarantee.by_words and guarantee.positions is None else ""
    delta = f", except with probability mass {guarantee.delta:.3g}{each}" if guarantee.delta else ""
    opening = {
        Status.PROVED: "Proved:",
        Status.CONDITIONAL: f"Conditional ({guarantee.reason}):",
        Status.REFUTED: f"REFUTED ({guarantee.reason}); it was claimed that",
    }[guarantee.status]
    is_text = guarantee.by_words
    things = "two texts of equal length and layout" if is_text else f"two {guarantee.unit}s"
    if relation.pairs in (Pairs.WITHIN, Pairs.EDGES):
        things += f" ({relation})"
    elif relation.condition:
        things += f" {relation.condition}"
    if relation.pairs is Pairs.METRIC:
        distance = f"{'the sum of the distances of their words' if is_text else 'their distance'} ({relation.distance})"
        offset = f" + {guarantee.offset:.6g}" + (EACH_WORD if is_text else "") if guarantee.offset else ""
        bound = f"at most e^({epsilon} x {distance}{offset}) times as likely"
    else:
        bound = f"at most e^{epsilon} times as likely" + (" per word that differs" if is_text else "")
    sentence = f"{opening} for {things}, any output is {bound} from one as from the other{delta}."
    if relation.pairs is Pairs.METRIC and relation.radius is not None:
        each = "word" if is_text else str(guarantee.unit)
        sentence += (
            f" The distance of two {each}s never counts above {relation.radius:.6g}, so the loss"
            f"{' for each' if is_text else ''} never passes {guarantee.loss(math.inf):.6g}."
        )
    return sentence


def _caveats(guarantee: Guarantee) -> list[str]:
    caveats = []
    each = EACH_WORD if guarantee.by_words and guarantee.positions is None else ""
    if guarantee.slack and guarantee.status is not Status.REFUTED:
        caveats.append(
            f"Sampling in floating point adds at most (1 + e^loss) x {guarantee.slack:.2g} to delta{each}; "
            'precision="exact" removes it.'
        )
    if guarantee.mu is not None and guarantee.status is Status.PROVED:
        caveats.append(
            f"Whatever their distance r, the two are at least as hard to tell apart as N(0, 1) from "
            f"N({guarantee.mu:.4g} r, 1)."
        )
    if guarantee.reveals:
        caveats.append(f"It reveals: {', '.join(guarantee.reveals)}.")
    return caveats
