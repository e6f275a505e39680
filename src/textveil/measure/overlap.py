"""How paper 5 measures privacy: whether a word and its release have the same neighbours, and how skewed that is.

The overlap is called a probability there; it is none, and its skewness does not measure privacy: where nothing is
hidden at all every overlap is 1 and the skewness is 0, the best value. See docs/mechanisms/nadp.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.vocabulary.nearest_set import NearestSet

Floats = NDArray[np.float64]


def neighbour_overlap(
    points: NDArray[Any], words: NDArray[np.int64], released: Floats, *, neighbours: int = 10
) -> Floats:
    """Return the Jaccard index of the neighbours of words and of their releases.

    Parameters
    ----------
    points : the public vectors of all words
    words : the numbers of those released
    released : (n, d), the releases
    neighbours : how many; a word is the first of its own
    """
    if len(words) != len(released):
        raise InvalidInputError(f"there must be one release a word (got {len(released)} for {len(words)})")
    search = NearestSet(points, neighbours)
    own, others = search.nearest(points[words].astype(np.float64)), search.nearest(released)
    common = np.array([len(np.intersect1d(a, b)) for a, b in zip(own, others, strict=True)], dtype=np.float64)
    return common / (2 * neighbours - common)


def skewness(values: Floats) -> float:
    """Return n / ((n-1) (n-2)) times the sum of the cubes of (value - mean) / deviation; 0 if all are the same."""
    count = len(values)
    if count < 3:
        raise InvalidInputError(f"skewness needs at least three values (got {count})")
    deviation = float(values.std(ddof=1))
    if deviation <= 1e-12 * float(np.abs(values).max()):
        return 0.0
    return float(count / ((count - 1) * (count - 2)) * (((values - values.mean()) / deviation) ** 3).sum())
