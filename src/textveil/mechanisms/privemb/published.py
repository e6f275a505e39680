"""PrivEmb as it was published: a Gaussian matrix, noise for a stretch of 1 + beta, and what of its claim is true.

SPEC 2.1; proof: docs/mechanisms/privemb.md, claim 6.
"""

from __future__ import annotations

import math

from textveil.errors import InvalidInputError, require_positive, require_probability

DELTA = 1e-6


def published_target(*, beta: float, delta: float, dimension: int, width: float | None) -> int:
    """Return the dimension m = (width + sqrt(ln(1/delta)))^2 / beta^2, rounded up, with the constant 1.

    The paper leaves out the constant and the base of the logarithm of its width sqrt(log d). Without a width this
    is floor(4 log10(d^2 / delta) / beta^2), the reading that gives its 50, 100 and 200 dimensions at beta = .93, .66
    and .468; a width of sqrt(log2 d) gives 50.1, 99.6 and 198.0, and sqrt(ln d) 43.1, 85.6 and 170.2.
    """
    if width is None:
        return math.floor(4 * math.log10(dimension**2 / delta) / beta**2)
    return math.ceil((width + math.sqrt(math.log(1 / delta))) ** 2 / beta**2)


def checked_beta(beta: float | None) -> float:
    """Return beta if it is above 0 and below 1, as in the paper."""
    if beta is None:
        raise InvalidInputError('variant="published" needs beta=, the distortion allowed, above 0 and below 1')
    if not require_probability("beta", beta) > 0:
        raise InvalidInputError(f"beta must be above 0 and below 1 (got {beta!r})")
    return float(beta)


def checked_delta(delta: float | None) -> float:
    """Return the paper's delta, 1e-6, unless there is another."""
    if delta is None:
        return DELTA
    return require_positive("delta", require_probability("delta", delta))


def chance_for_a_pair(target: int, beta: float) -> float:
    """Return P[chi2_m > m (1 + beta)^2]: the chance that a Gaussian matrix stretches a fixed pair beyond 1 + beta."""
    from scipy.special import gammaincc

    return float(gammaincc(target / 2, target * (1 + beta) ** 2 / 2))


def published_reason(*, chance: float, delta: float, excess: float) -> str:
    """Say what of the published claim is true.

    Parameters
    ----------
    chance : that a fixed pair is stretched too far
    delta : claimed
    excess : largest stretch of the matrix at hand / (1 + beta)
    """
    pair = f"for two vectors fixed before the projection is drawn the chance of failure is {chance:.4g}"
    pair += f", within delta = {delta:g}" if chance <= delta else f", not delta = {delta:g}"
    if excess <= 1:
        return f"{pair}; the projection drawn stretches nothing beyond 1 + beta; ideal arithmetic"
    later = f"for vectors chosen after it is public the loss reaches {excess:.4g} x the one stated"
    return f"{pair}; {later}; ideal arithmetic"
