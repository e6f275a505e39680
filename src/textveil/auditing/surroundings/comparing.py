"""Compare how often an event happens for two inputs: ln((p - delta) / q), each chance by its exact bound."""

from __future__ import annotations

import math
from typing import NamedTuple

from textveil.auditing.surroundings.chances import at_least, at_most


class Counts(NamedTuple):
    """How often the event happened for one input and for the other, of equally many trials."""

    ours: int
    theirs: int
    trials: int

    def least_loss(self, delta: float, alpha: float) -> float:
        """Return a loss that the true one is not below, but for a chance of alpha of being wrong."""
        excess = at_least(self.ours, self.trials, alpha / 2) - delta
        return max(0.0, math.log(excess / at_most(self.theirs, self.trials, alpha / 2))) if excess > 0 else 0.0
