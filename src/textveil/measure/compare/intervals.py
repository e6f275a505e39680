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


def of_mean(numbers: Floats, how: str = SAMPLED) -> Value:
    """Return a mean, with the interval of the normal law for many numbers."""
    mean = float(numbers.mean())
    reach = _NORMAL * float(numbers.std(ddof=1)) / np.sqrt(numbers.size) if numbers.size > 1 else 0.0
    return Value(mean, mean - reach, mean + reach, how)
