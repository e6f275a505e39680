"""How large the error of a released vector is, for every mechanism that takes vectors of a ball.

All numbers are for the same promise: any two vectors of norm at most `clip` have loss at most epsilon. So Laplace
noise, whose loss is per unit of distance, is scaled to the diameter 2 clip. Picture: docs/choosing-vectors.md.
"""

from __future__ import annotations

import math

from textveil.errors import require_count, require_positive
from textveil.mechanisms.privunit import PrivUnit
from textveil.noise.gaussian_curve import gaussian_scale
from textveil.noise.laplace_curve import laplace_scale


def vector_errors(dimension: int, epsilon: float, *, delta: float = 1e-6, clip: float = 1.0) -> dict[str, float]:
    """Return the root mean squared error of each mechanism; releasing a zero for everything has at most `clip`.

    Parameters
    ----------
    dimension : length of a vector
    epsilon : the largest loss between any two vectors of the ball
    delta : what "Gaussian" and "Laplace with delta" may use; the others need none
    clip : radius of the ball
    """
    n, epsilon = require_count("dimension", dimension), require_positive("epsilon", epsilon)
    diameter = 2 * require_positive("clip", clip)
    norm = math.sqrt(n * (n + 1))
    return {
        "Laplace in each coordinate": diameter * math.sqrt(2) * n / epsilon,
        "Laplace": diameter * norm / epsilon,
        "Gaussian": diameter * math.sqrt(n) * gaussian_scale(epsilon, delta),
        "Laplace with delta": diameter * norm * laplace_scale(epsilon, delta, n),
        "PrivUnit": PrivUnit(epsilon=epsilon, dimension=n, clip=clip).rms,
    }
