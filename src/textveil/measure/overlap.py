"""How paper 5 measures privacy: whether a word and its release have the same neighbours, and how skewed that is.

The overlap is called a probability there; it is none, and its skewness does not measure privacy: where nothing is
hidden at all every overlap is 1 and the skewness is 0, the best value. See docs/mechanisms/nadp.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.vocabulary.nearest_set import NearestSet

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Overlap(NamedTuple):
    """The Jaccard index of the neighbours of each word and of its release; and the words nearest to the release."""

    shares: Floats
    nearest: Ids


class NeighbourOverlap:
    """Compares words with their releases.

    Parameters
    ----------
    points : the public vectors of all words
    words : the numbers of those released
    neighbours : how many; a word is the first of its own
    """

    def __init__(self, points: NDArray[Any], words: Ids, *, neighbours: int = 10) -> None:
        self.words = words
        self._search = NearestSet(points, neighbours)
        self._own = self._search.nearest(points[words].astype(np.float64))

    def __call__(self, released: Floats) -> Overlap:
        """Return the overlaps of releases, one a word, in the same order."""
        if len(released) != len(self.words):
            raise InvalidInputError(f"there must be one release a word (got {len(released)} for {len(self.words)})")
        found = self._search.nearest(released)
        common = (self._own[:, :, None] == found[:, None, :]).sum(axis=(1, 2))
        return Overlap(common / (2 * self._search.count - common), found)


def skewness(values: Floats) -> float:
    """Return n / ((n-1) (n-2)) times the sum of the cubes of (value - mean) / deviation; 0 if all are the same."""
    count = len(values)
    if count < 3:
        raise InvalidInputError(f"skewness needs at least three values (got {count})")
    deviation = float(values.std(ddof=1))
    if deviation <= 1e-12 * float(np.abs(values).max()):
        return 0.0
    return float(count / ((count - 1) * (count - 2)) * (((values - values.mean()) / deviation) ** 3).sum())
