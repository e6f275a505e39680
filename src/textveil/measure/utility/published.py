"""The utility bounds of the PrivEmb paper (Feyisetan and Kasiviswanathan 2021), as they were published.

Vectors of norm at most tau are projected to m dimensions and get l2-Laplace noise of scale (1 + beta) / epsilon.
These functions are for comparison; what is true of each is in its docstring, what to use instead in `corrected`.
"""

from __future__ import annotations

import math

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability


def noise_norm(m: int, scale: float, failure: float) -> float:
    """Claim 6: the norm of the noise is at most m ln(m / failure) scale, but with probability `failure`.

    True (each of the m exponential numbers that the norm is a sum of is below ln(m / failure)), and loose: 5.6
    times the exact quantile at m = 50 and failure = 0.05, 15 times at m = 300 and failure = 1e-6.
    """
    m, failure = _checked(m, failure)
    return m * math.log(m / failure) * require_positive("scale", scale)


def distance_error(m: int, epsilon: float, delta: float, *, vectors: int, largest_norm: float, beta: float) -> float:
    """Proposition 7: bound | |w_i - w_j| - |x_i - x_j| | for all pairs.

    True if, but with probability delta / 2, the projection changes the length of no difference x_i - x_j by more than
    a factor 1 +- beta; that this follows from the width of the points themselves is false. Loose, and about the
    wrong number: |w_i - w_j| is mostly noise, which can be subtracted in the mean.
    """
    return 2 * _beta(beta) * require_positive("largest_norm", largest_norm) + 2 * _noise(m, epsilon, delta, vectors)


def inner_product_error(
    m: int, epsilon: float, delta: float, *, vectors: int, largest_norm: float, beta: float
) -> float:
    """Proposition 8: bound |<w_i, w_j> - <x_i, x_j>| for all pairs.

    True if the projection changes no *inner product* by more than beta |x_i| |x_j|, and no norm by more than a factor
    1 +- beta. Corollary 2 says that both hold with the same beta. That is false: norms within 1 +- beta allow
    inner products off by 2 beta + beta^2.
    """
    tau, noise = require_positive("largest_norm", largest_norm), _noise(m, epsilon, delta, vectors)
    return _beta(beta) * tau**2 + 4 * tau * noise + noise**2


def training_loss_error(
    m: int,
    epsilon: float,
    delta: float,
    *,
    vectors: int,
    largest_norm: float,
    beta: float,
    largest_parameter: float,
    lipschitz: float = 1.0,
) -> float:
    """Proposition 9: how much the least training loss on noisy vectors exceeds that on the true ones.

    True under the condition of Proposition 8 for the x_i and theta, with parameters A theta (the main text has theta
    itself, which has the wrong dimension). It is one-sided and no promise of utility: a model that fits the noise
    has a small training loss and may be worthless on the true vectors.
    """
    tau, noise = require_positive("largest_norm", largest_norm), _noise(m, epsilon, delta, vectors)
    reach = require_positive("lipschitz", lipschitz) * require_positive("largest_parameter", largest_parameter)
    return reach * (2 * noise + _beta(beta) * tau)


def _noise(m: int, epsilon: float, delta: float, vectors: int) -> float:
    """2 m ln(2 n m / delta) / epsilon: Claim 6 for all n vectors with half of delta, and 1 + beta rounded up to 2."""
    n = require_count("vectors", vectors)
    return noise_norm(m, 2 / require_positive("epsilon", epsilon), delta / (2 * n))


def _checked(m: int, failure: float) -> tuple[int, float]:
    return require_count("m", m), require_probability("failure", require_positive("failure", failure))


def _beta(beta: float) -> float:
    if not 0 < beta < 1:
        raise InvalidInputError(f"beta must be above 0 and below 1, as in the paper (got {beta!r})")
    return beta
