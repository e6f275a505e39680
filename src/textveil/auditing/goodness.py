"""Tests of a sample against a law, valid for any number of samples: no p-value here is an approximation of large ones.

A test has two p-values: that values are smaller than the law has them, and that they are larger. Noise is rounded, so
a value may be off by `slack` either way; whatever is in doubt is decided for the law.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# How far from the law the mixture of alternatives is: the law counts as much as so many samples.
_STRENGTHS = (4.0, 64.0, 1024.0)
_MOST_VALUES = 100_000


class Sides(NamedTuple):
    """P-values that values are smaller than the law has them, and larger."""

    smaller: float
    larger: float


def kolmogorov(values: Floats, cdf: Callable[[Floats], Floats], slack: float = 0.0) -> Sides:
    """Compare the whole distribution; the p-values are exact (Smirnov) for a continuous law, and safe for any."""
    from scipy.special import smirnov

    ordered = np.sort(np.ravel(values)[:_MOST_VALUES])
    count = len(ordered)
    above = np.arange(1, count + 1) / count - cdf(ordered + slack)
    below = cdf(ordered - slack) - np.arange(count) / count
    return Sides(*(float(smirnov(count, min(1.0, max(0.0, float(gap.max()))))) for gap in (above, below)))


def gamma_sum(total: float, shape: float, slack: float = 0.0) -> Sides:
    """Compare a sum of scaled noise with Gamma(shape, 1), the law of a sum of independent Gamma numbers."""
    from scipy.special import gammainc, gammaincc

    return Sides(float(gammainc(shape, total + slack)), float(gammaincc(shape, max(0.0, total - slack))))


def binomial(hits: int, of: int, chance: float) -> Sides:
    """Compare a count with its chance: "larger" is that there are more hits."""
    from scipy.special import betainc

    larger = 1.0 if hits == 0 else float(betainc(hits, of - hits + 1, chance))
    smaller = 1.0 if hits == of else float(1 - betainc(hits + 1, of - hits, chance))
    return Sides(smaller, larger)


def two_sided(sides: Sides) -> float:
    """Return one p-value for both sides."""
    return min(1.0, 2 * min(sides))


def choices(counts: Floats, law: Floats) -> float:
    """Compare counts of outcomes with their probabilities, however rare some are.

    The likelihood under a mixture of laws around this one, over that under this one, has mean 1; by Markov's inequality
    the reciprocal is a p-value.
    """
    from scipy.special import gammaln, logsumexp

    seen = counts > 0
    if (law[seen] <= 0).any():
        return 0.0
    # Only outcomes that were seen have a factor; law sums to 1, so the others need not be known.
    n, c, p = counts.sum(), counts[seen], law[seen]
    found = [
        gammaln(a) - gammaln(a + n) + (gammaln(a * p + c) - gammaln(a * p) - c * np.log(p)).sum() for a in _STRENGTHS
    ]
    return float(min(1.0, np.exp(-(logsumexp(found) - np.log(len(found))))))
