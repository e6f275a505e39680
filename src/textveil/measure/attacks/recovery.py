"""Which of many public vectors was it? An attack on released vectors.

Candidates are ranked by how likely they make the release. For noise whose density falls with the distance, such as
Laplace and Gaussian, and candidates that are equally likely, that is the nearest first, and no attack does better.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.errors import InvalidInputError
from textveil.spaces import Euclidean

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_DISTANCES_A_BLOCK = 2**22


def recovered_chances(
    released: Floats,
    candidates: Floats,
    truth: Ids,
    *,
    among: int = 1,
    likelihood: Callable[[Floats], Floats] | None = None,
) -> Floats:
    """Return the chance that the true candidate of each release is among the first; equals are taken in any order.

    Parameters
    ----------
    released : (n, dimension)
    candidates : public, (m, dimension)
    truth : n numbers of candidates
    among : so many are first
    likelihood : makes scores, likelier is larger, of the distances of releases (rows) to candidates (columns), with
        what is known before as well; the nearest is likeliest if left out
    """
    if released.ndim != 2 or candidates.ndim != 2 or released.shape[1] != candidates.shape[1]:
        raise InvalidInputError(
            f"released and candidates must have as many numbers a row (got {released.shape} and {candidates.shape})"
        )
    space, height = Euclidean(candidates.shape[1]), max(1, _DISTANCES_A_BLOCK // len(candidates))
    public = np.asarray(candidates, dtype=np.float64)

    def work(start: int) -> Floats:
        own = truth[start : start + height]
        distances = space.distances(np.asarray(released[start : start + height], dtype=np.float64), public)
        scores = -distances if likelihood is None else likelihood(distances)
        true = scores[np.arange(len(own)), own][:, None]
        return np.asarray(np.clip((among - (scores > true).sum(axis=1)) / (scores == true).sum(axis=1), 0.0, 1.0))

    parts = list(over_threads(work, range(0, len(released), height)))
    return np.concatenate(parts) if parts else np.empty(0)
