"""The law of a choice by score: what the auditor reads. Probabilities are right to about 1e-12 of themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES = 64
_PANELS = 48


def exponential_law(gaps: NDArray[np.integer], rate: float) -> Floats:
    """Return the probability of each candidate under the exponential mechanism, given how far it is below the best."""
    weights = np.exp(-rate * gaps.astype(np.float64))
    return np.asarray(weights / weights.sum())


def permute_and_flip_law(gaps: NDArray[np.integer], rate: float) -> Floats:
    """Return the probability of each candidate under permute-and-flip (T10).

    P(r) is p_r times the integral over t from 0 to 1 of the product of 1 - p_s t over all s but r. The product falls
    fast at first, so the panels of integration halve towards 0.
    """
    levels, inverse, counts = np.unique(gaps, return_inverse=True, return_counts=True)
    p = np.exp(-rate * levels.astype(np.float64))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    ends = np.concatenate([[0.0], 2.0 ** np.arange(1 - _PANELS, 1)])
    middles, halves = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    t = (middles[:, None] + halves[:, None] * nodes).ravel()
    logs = np.log1p(-np.multiply.outer(t, p))
    others = np.exp((logs @ counts)[:, None] - logs)
    law = p * ((halves[:, None] * weights).ravel() @ others)
    return np.asarray(law[inverse])
