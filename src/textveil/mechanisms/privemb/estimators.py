"""What released vectors say about distances and inner products before the noise (SPEC 2.4).

A release is w = A x + noise, with noise of norm Gamma(m, scale s), so E|noise|^2 = m (m+1) s^2 and each coordinate
has variance (m+1) s^2. Proof: docs/mechanisms/privemb.md, claim 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def squared_distances(first: ArrayLike, second: ArrayLike, scale: float) -> Floats:
    """Return |w - w'|^2 - 2 m (m+1) s^2 for each pair of rows: unbiased for |A x - A x'|^2, so it may be negative."""
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    m = difference.shape[-1]
    return np.asarray((difference**2).sum(axis=-1) - 2 * m * (m + 1) * scale**2)


def squared_distances_deviation(squared: ArrayLike, target: int, scale: float) -> Floats:
    """Return the standard deviation of `squared_distances` where |A x - A x'|^2 is `squared`."""
    m, variance = target, scale**2
    return np.sqrt(8 * (m + 1) * variance * np.asarray(squared) + m * (m + 1) * (12 * m + 16) * variance**2)


def inner_products(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return <w, w'> for each pair of rows: unbiased for <A x, A x'>, for two releases with noise of their own."""
    return np.asarray((np.asarray(first, dtype=np.float64) * np.asarray(second, dtype=np.float64)).sum(axis=-1))


def inner_products_deviation(first: ArrayLike, second: ArrayLike, target: int, scale: float) -> Floats:
    """Return the standard deviation of `inner_products` where |A x|^2 and |A x'|^2 are `first` and `second`."""
    m, variance = target, scale**2
    norms = np.asarray(first, dtype=np.float64) + np.asarray(second, dtype=np.float64)
    return np.asarray(np.sqrt((m + 1) * variance * norms + m * (m + 1) ** 2 * variance**2))
