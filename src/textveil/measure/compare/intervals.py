"""Values from samples, with intervals of 95%."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.measure.compare.frontier import SAMPLED, Value
from textveil.measure.statistics.sampled import clopper_pearson

Floats = NDArray[np.float64]

_DOUBT = 0.05
_NORMAL = 1.959964


def of_share(hits: NDArray[np.bool_], how: str = SAMPLED) -> Value:
    """Return how often something was so, with the interval of Clopper and Pearson."""
    low, high = clopper_pearson(np.array(int(hits.sum())), hits.size, _DOUBT)
    return Value(float(hits.mean()), float(low), float(high), how)


def of_repeats(hits: NDArray[np.bool_] | Floats, how: str = SAMPLED) -> Value:
    """Return how often something was so, by repeats (rows) of inputs (columns), where repeats of one are alike.

    As many independent releases are counted as have the spread that the inputs have among each other (Korn and Graubard
    1998), at least one an input; where all were alike no more than that.
    """
    share, inputs = float(hits.mean()), hits.shape[1]
    spread = float(hits.mean(axis=0).var(ddof=1)) / inputs if inputs > 1 else 0.0
    counted = int(min(hits.size, max(inputs, share * (1 - share) / spread))) if spread > 0 else inputs
    low, _ = clopper_pearson(np.floor(np.array(share * counted)), counted, _DOUBT)
    _, high = clopper_pearson(np.ceil(np.array(share * counted)), counted, _DOUBT)
    return Value(share, float(low), float(high), how)


def of_mean(numbers: Floats, how: str = SAMPLED) -> Value:
    """Return a mean, with the interval of the normal law for many numbers."""
    mean = float(numbers.mean())
    reach = _NORMAL * float(numbers.std(ddof=1)) / np.sqrt(numbers.size) if numbers.size > 1 else 0.0
    return Value(mean, mean - reach, mean + reach, how)
