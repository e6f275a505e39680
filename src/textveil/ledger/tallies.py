"""What releases cost one protected thing, in the amounts that a data set may count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from textveil.ledger.exact import read_back, shown

NONE = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """A cost, or a sum of costs: each amount adds over releases.

    Parameters
    ----------
    epsilon : nats, or nats per unit of distance
    delta : probability mass
    offset : nats on top of epsilon x distance, where distances are counted
    square : mu^2, where N(0, 1) and N(mu, 1) are at least as easy to tell apart as what was released
    gaussians : how many releases have a square alone, and no epsilon
    """

    epsilon: Fraction = NONE
    delta: Fraction = NONE
    offset: Fraction = NONE
    square: Fraction = NONE
    gaussians: Fraction = NONE

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            epsilon=self.epsilon + other.epsilon,
            delta=self.delta + other.delta,
            offset=self.offset + other.offset,
            square=self.square + other.square,
            gaussians=self.gaussians + other.gaussians,
        )

    def times(self, count: int) -> Tally:
        """Return the cost of so many releases alike."""
        return Tally(**{name: count * amount for name, amount in vars(self).items()})

    def minus(self, other: Tally) -> Tally:
        """Return what is left when a cost is taken back."""
        return self + other.times(-1)

    def as_text(self) -> dict[str, str]:
        """Return the amounts as the data base keeps them: numerator/denominator."""
        return {name: str(amount) for name, amount in vars(self).items()}

    @classmethod
    def from_text(cls, row: Mapping[Any, Any]) -> Tally:
        """Return the tally that texts describe."""
        return cls(**{name: read_back(row[name]) for name in AMOUNTS})

    def __str__(self) -> str:
        amounts = {"epsilon": self.epsilon, "delta": self.delta, "offset": self.offset, "mu^2": self.square}
        return ", ".join(f"{name} {shown(amount)}" for name, amount in amounts.items() if amount) or "nothing"


AMOUNTS = tuple(Tally.__dataclass_fields__)
