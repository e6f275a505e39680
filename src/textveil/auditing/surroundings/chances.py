"""Chances: what coins and dice an auditor throws, and what counts of successes show.

`at_least` and `at_most` are the bounds of Clopper and Pearson: exact for every number of trials.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from textveil.errors import InvalidInputError
from textveil.randomness import RandomSource, SourceKind


def at_least(successes: int, trials: int, alpha: float) -> float:
    """Return a chance that the true one is not below, but for a chance of alpha of being wrong."""
    return float(betaincinv(successes, trials - successes + 1, alpha)) if successes else 0.0


def at_most(successes: int, trials: int, alpha: float) -> float:
    """Return a chance that the true one is not above, but for a chance of alpha of being wrong."""
    return 1.0 - at_least(trials - successes, trials, alpha)


class Dice:
    """The auditor's own random choices. They are no part of any release.

    Parameters
    ----------
    source : secure or seeded; a keyed source repeats itself, and would make every mechanism look as if it did
    """

    def __init__(self, source: RandomSource) -> None:
        if source.kind is SourceKind.KEYED:
            raise InvalidInputError(
                "a keyed source repeats its noise, so that an audit would find that; use secure, or seeded in tests"
            )
        self.source = source

    def below(self, sides: int, count: int) -> NDArray[np.int64]:
        """Throw `count` dice with `sides` sides, numbered from 0."""
        words = self.source.streams(b"textveil audit", np.zeros(1, dtype=np.int64)).words(count)[0]
        return np.asarray(words % np.uint64(sides), dtype=np.int64)

    def letters(self, alphabet: str, count: int) -> str:
        """Return a random string."""
        return "".join(alphabet[side] for side in self.below(len(alphabet), count))
