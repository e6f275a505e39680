"""Data sets and their ceilings: what is protected, how its losses are counted, and how much is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any

from textveil.errors import InvalidInputError, require_positive
from textveil.ledger.curve import LEAST_CURVE_DELTA, epsilon_of, within
from textveil.ledger.exact import ceiling, exactly, read_back, shown, shown_left
from textveil.ledger.tallies import NONE, Tally

_MOST_NAME = 200


class Protected(StrEnum):
    """What one thing is that the ceiling is for."""

    WORD = "word"
    SENTENCE = "sentence"
    RECORD = "record"
    PERSON = "person"


class Counting(StrEnum):
    """How losses of several releases are put together.

    SUM adds epsilons and deltas; GAUSSIAN adds squares of mu and reads epsilon off the Gaussian curve; METRIC adds
    losses per unit of one distance.
    """

    SUM = "sum"
    GAUSSIAN = "gaussian"
    METRIC = "metric"


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Private data with a ceiling on what all releases of it may cost one protected thing.

    Parameters
    ----------
    name : public, such as "tickets 2026"
    unit : what one protected thing is
    counting : how losses are put together
    epsilon, delta : the ceiling; of METRIC epsilon is per unit of distance
    offset : of METRIC, the ceiling of what is lost on top of epsilon x distance
    summed_delta : of GAUSSIAN, the part of delta that is for releases with a delta of their own; the curve has the rest
    metric : of METRIC the distance; else the one by which `radius` is measured, "" for none
    radius : only things that are at most so far apart are to be kept indistinguishable; None for any two
    """

    name: str
    unit: Protected
    counting: Counting
    epsilon: Fraction
    delta: Fraction = NONE
    offset: Fraction = NONE
    summed_delta: Fraction = NONE
    metric: str = ""
    radius: Fraction | None = None

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > _MOST_NAME or not self.name.isprintable():
            raise InvalidInputError(f"dataset must be a name of 1 to {_MOST_NAME} printable characters")
        if not self.epsilon > 0:
            raise InvalidInputError("epsilon, the ceiling, must be > 0; without one a data set can't be made")
        if self.delta >= 1:
            raise InvalidInputError("delta must be below 1: at 1 nothing is promised")
        if self.counting is Counting.METRIC and (not self.metric or self.radius is not None):
            raise InvalidInputError("counting=metric needs metric=, the name of the distance, and no radius")
        if self.counting is not Counting.METRIC and bool(self.metric) != (self.radius is not None):
            raise InvalidInputError("metric and radius belong together: within which distance things are alike")
        if self.offset and self.counting is not Counting.METRIC:
            raise InvalidInputError("offset is for counting=metric; in nats it is part of epsilon")
        if self.counting is Counting.GAUSSIAN and self.curve_delta < LEAST_CURVE_DELTA:
            raise InvalidInputError(
                f"counting=gaussian needs a delta of at least {LEAST_CURVE_DELTA:g} more than summed_delta"
            )
        if self.summed_delta and self.counting is not Counting.GAUSSIAN:
            raise InvalidInputError("summed_delta is for counting=gaussian; otherwise all of delta is summed")

    @property
    def curve_delta(self) -> Fraction:
        """The part of delta at which epsilon is read off the Gaussian curve."""
        return self.delta - self.summed_delta

    def allows(self, spent: Tally) -> bool:
        """Whether a sum of costs is below the ceiling."""
        if self.counting is Counting.GAUSSIAN:
            by_sum = not spent.gaussians and spent.epsilon <= self.epsilon
            by_curve = by_sum or within(spent.square, self.epsilon, self.curve_delta)
            return spent.delta <= self.summed_delta and by_curve
        return spent.epsilon <= self.epsilon and spent.delta <= self.delta and spent.offset <= self.offset

    def balance(self, spent: Tally) -> Balance:
        """Say what a sum of costs amounts to."""
        if self.counting is not Counting.GAUSSIAN:
            return Balance(dataset=self, epsilon=spent.epsilon, delta=spent.delta, offset=spent.offset, bound="sum")
        curve = epsilon_of(spent.square, self.curve_delta) if spent.square else NONE
        by_sum = not spent.gaussians and spent.epsilon <= curve
        return Balance(
            dataset=self,
            epsilon=spent.epsilon if by_sum else curve,
            delta=spent.delta + (NONE if by_sum else self.curve_delta),
            offset=spent.offset,
            bound="sum" if by_sum else "gaussian",
        )

    def as_text(self) -> dict[str, str]:
        """Return the data set as the data base keeps it."""
        return {name: "" if value is None else str(value) for name, value in vars(self).items()}

    @classmethod
    def from_text(cls, row: Mapping[Any, Any]) -> Dataset:
        """Return the data set that a row of the data base describes."""
        values = {field.name: row[field.name] for field in fields(cls)}
        return cls(
            name=values["name"],
            unit=Protected(values["unit"]),
            counting=Counting(values["counting"]),
            epsilon=read_back(values["epsilon"]),
            delta=read_back(values["delta"]),
            offset=read_back(values["offset"]),
            summed_delta=read_back(values["summed_delta"]),
            metric=values["metric"],
            radius=read_back(values["radius"]) if values["radius"] else None,
        )

    @classmethod
    def checked(
        cls,
        name: str,
        *,
        unit: str,
        epsilon: float | str | Fraction,
        delta: float | str | Fraction,
        counting: str,
        offset: float | str | Fraction,
        summed_delta: float | str | Fraction,
        metric: str,
        radius: float | None,
    ) -> Dataset:
        """Return a data set from what a user wrote."""
        if name and not re.fullmatch(r"[\w .-]+", name):
            raise InvalidInputError(
                f"dataset must be letters, digits, spaces, '.', '_' and '-': it is part of addresses (got {name!r})"
            )
        if unit not in list(Protected):
            raise InvalidInputError(f"unit must be one of {', '.join(Protected)} (got {unit!r})")
        if counting not in list(Counting):
            raise InvalidInputError(f"counting must be one of {', '.join(Counting)} (got {counting!r})")
        return cls(
            name=name,
            unit=Protected(unit),
            counting=Counting(counting),
            epsilon=ceiling("epsilon", epsilon),
            delta=ceiling("delta", delta),
            offset=ceiling("offset", offset),
            summed_delta=ceiling("summed_delta", summed_delta),
            metric=metric,
            radius=None if radius is None else exactly(require_positive("radius", radius)),
        )

    def __str__(self) -> str:
        per = " per unit of distance" if self.counting is Counting.METRIC else ""
        among = f", by {self.metric}" if per else ""
        if self.radius is not None:
            among = f", within {shown(self.radius)} in {self.metric}"
        delta = f", delta {shown(self.delta)}" if self.delta else ""
        return f"{self.name}: at most epsilon {shown(self.epsilon)}{per}{delta} for each {self.unit}{among}"


@dataclass(frozen=True, kw_only=True)
class Balance:
    """What was spent of a ceiling, and what is left.

    Parameters
    ----------
    dataset : whose ceiling it is
    epsilon, delta, offset : spent
    bound : by which theorem: "sum" or "gaussian"
    """

    dataset: Dataset
    epsilon: Fraction
    delta: Fraction
    offset: Fraction
    bound: str

    @property
    def epsilon_left(self) -> Fraction:
        """What is left of epsilon."""
        return max(NONE, self.dataset.epsilon - self.epsilon)

    @property
    def delta_left(self) -> Fraction:
        """What is left of delta for releases with a delta of their own."""
        if self.dataset.counting is Counting.GAUSSIAN:
            summed = self.delta - (self.dataset.curve_delta if self.bound == "gaussian" else NONE)
            return max(NONE, self.dataset.summed_delta - summed)
        return max(NONE, self.dataset.delta - self.delta)

    @property
    def share(self) -> float:
        """How much of the ceiling is spent: of epsilon, delta or offset the one of which most is."""
        dataset = self.dataset
        amounts = [(self.epsilon, dataset.epsilon), (self.offset, dataset.offset)]
        if dataset.counting is not Counting.GAUSSIAN:
            amounts.append((self.delta, dataset.delta))
        return float(max(spent / limit for spent, limit in amounts if limit))

    def __str__(self) -> str:
        dataset = self.dataset
        parts = [f"epsilon {shown(self.epsilon)} of {shown(dataset.epsilon)} (left {self._left()})"]
        if dataset.delta:
            parts.append(f"delta {shown(self.delta)} of {shown(dataset.delta)}")
        if dataset.offset:
            parts.append(f"offset {shown(self.offset)} of {shown(dataset.offset)}")
        return ", ".join(parts) + (", by the Gaussian curve" if self.bound == "gaussian" else "")

    def _left(self) -> str:
        return shown_left(self.epsilon_left, self.dataset.epsilon)
