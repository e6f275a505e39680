"""Shorten long vectors to a ball of the l1 or l2 norm, for certain: rounding never leaves one outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# How far inside the ball a vector is put, relative to the radius; a sum of n numbers is off by less than n 2^-53.
_MARGIN = 2.0**-40
_MARGIN_A_NUMBER = 2.0**-50


def clipped(vectors: Floats, radius: float, *, order: int) -> Floats:
    """Return the vectors (n, d), the long ones shortened so that no norm is above the radius.

    Numbers are divided by the largest of their vector before norms are taken, so that none overflows.

    Parameters
    ----------
    vectors : finite numbers
    radius : of the ball
    order : 1 or 2, the norm
    """
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    inside = radius * (1 - max(_MARGIN, vectors.shape[1] * _MARGIN_A_NUMBER))
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        directions = vectors / np.where(largest > 0, largest, 1.0)
        lengths = np.linalg.norm(directions, ord=order, axis=1, keepdims=True)
        is_long = lengths > inside / largest
        shortened = directions * (inside / np.maximum(lengths, 1.0))
    return np.where(is_long, shortened, vectors)
