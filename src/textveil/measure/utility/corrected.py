"""Utility bounds for projected and noisy vectors that hold, with exact constants.

w_i = A x_i + kappa_i, with independent l2-Laplace noise of scale s = L / epsilon in m dimensions; L is the certified
Lipschitz constant of the public matrix A (A = I and L = 1: noise without a projection). Everything about A is a
number that can be computed, since A is public; probabilities are over the noise alone. Proofs: docs/utility.md.
"""

from __future__ import annotations

import math

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability


def noise_norm(m: int, scale: float, failure: float, *, vectors: int = 1) -> float:
    """Return the exact bound that the norms of all noises pass with probability `failure`: a Gamma(m, scale) quantile.

    Parameters
    ----------
    m : dimension of the noise
    scale : s = L / epsilon
    failure : probability that the norm of some noise is larger
    vectors : how many independent noises
    """
    from scipy.special import gammainccinv

    m, scale = require_count("m", m), require_positive("scale", scale)
    each = -math.expm1(math.log1p(-_chance(failure)) / require_count("vectors", vectors))
    return scale * float(gammainccinv(m, each))


def mean_projection(m: int, scale: float) -> float:
    """Return E|<noise, u>| for a unit vector u: what noise does to one fixed linear score (some scale sqrt(2m/pi))."""
    m, scale = require_count("m", m), require_positive("scale", scale)
    return scale * m * math.exp(math.lgamma(m / 2) - math.lgamma((m + 1) / 2)) / math.sqrt(math.pi)


def distance_error(
    m: int,
    scale: float,
    failure: float,
    *,
    vectors: int = 2,
    largest_distance: float = 0.0,
    ratios: tuple[float, float] = (1.0, 1.0),
) -> float:
    """Bound | |w_i - w_j| - |x_i - x_j| | for all pairs, but with probability `failure`.

    Parameters
    ----------
    m, scale, failure, vectors : as for `noise_norm`
    largest_distance : bound of |x_i - x_j|; with the default the bound is for | |w_i - w_j| - |A (x_i - x_j)| |
    ratios : least and largest |A v| / |v| over the differences v of the vectors
    """
    low, high = ratios
    if not 0 <= low <= high:
        raise InvalidInputError(f"ratios must be 0 <= least <= largest (got {ratios!r})")
    distortion = max(1 - low, high - 1, 0.0) * _not_negative("largest_distance", largest_distance)
    return distortion + 2 * noise_norm(m, scale, failure, vectors=vectors)


def inner_product_distortion(beta: float) -> float:
    """Bound |<A x, A y> - <x, y>| / (|x| |y|) where A keeps the norms of x / |x| +- y / |y| within 1 +- beta."""
    return _not_negative("beta", beta) * (2 + beta)


def inner_product_error(
    m: int, scale: float, failure: float, *, vectors: int = 2, largest_norm: float, distortion: float = 0.0
) -> float:
    """Bound |<w_i, w_j> - <x_i, x_j>| for all pairs i != j, but with probability `failure`.

    The lesser of two bounds: the norms of the noises (Cauchy and Schwarz), or the normal law that noise has along any
    direction given its size, which is better by about sqrt(m) for few vectors.

    Parameters
    ----------
    m, scale, failure, vectors : as for `noise_norm`
    largest_norm : bound of |x_i| and of |A x_i|
    distortion : bound of |<A x_i, A x_j> - <x_i, x_j>| / (|x_i| |x_j|); 0 compares with <A x_i, A x_j>
    """
    from scipy.special import gammainccinv, ndtri

    n, chance = require_count("vectors", vectors, least=2), _chance(failure)
    tau = require_positive("largest_norm", largest_norm)
    whole = noise_norm(m, scale, chance, vectors=n)
    third = noise_norm(m, scale, chance / 3, vectors=n)
    deviation = scale * math.sqrt(2 * float(gammainccinv((m + 1) / 2, chance / (3 * n))))
    along = deviation * -float(ndtri(chance / (6 * n * (n - 1))))
    noise = min((2 * tau + whole) * whole, (2 * tau + third) * along)
    return _not_negative("distortion", distortion) * tau**2 + noise


def risk_error(
    m: int,
    scale: float,
    failure: float,
    *,
    vectors: int,
    largest_norm: float,
    largest_parameter: float,
    distortion: float,
    stretch: float,
    lipschitz: float = 1.0,
) -> float:
    """Bound the change of the mean loss, up or down, for all linear models at once, but with probability `failure`.

    For every theta with |theta| <= largest_parameter the mean of l(<w_i, A theta>, y_i) is within this bound of the
    mean of l(<x_i, theta>, y_i). So the best model for the noisy vectors is, on the true ones, within twice the bound
    of the best.

    Parameters
    ----------
    m, scale, failure, vectors : as for `noise_norm`
    largest_norm : bound of |x_i|
    largest_parameter : bound of |theta|
    distortion : bound of |<A x, A theta> - <x, theta>| / (|x| |theta|)
    stretch : largest singular value of A
    lipschitz : how much the loss changes per unit of <x, theta>
    """
    from scipy.special import gammainccinv

    m, n = require_count("m", m), require_count("vectors", vectors)
    # The mean of n Gamma(m, s) norms is Gamma(n m, s / n).
    mean_norm = require_positive("scale", scale) / n * float(gammainccinv(n * m, _chance(failure)))
    tau = _not_negative("largest_norm", largest_norm)
    change = tau * _not_negative("distortion", distortion) + require_positive("stretch", stretch) * mean_norm
    return require_positive("lipschitz", lipschitz) * require_positive("largest_parameter", largest_parameter) * change


def _chance(failure: float) -> float:
    return require_probability("failure", require_positive("failure", failure))


def _not_negative(name: str, value: float) -> float:
    if not (value >= 0 and math.isfinite(value)):
        raise InvalidInputError(f"{name} must be a finite number >= 0 (got {value!r})")
    return value
