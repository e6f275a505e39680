"""The published utility bounds: the paper's constants, where they hold, how loose they are, and what they leave out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.measure.utility import corrected, published
from textveil.noise.laplace import radial_laplace
from textveil.randomness import RandomSource


def test_the_constants_are_those_of_the_paper():
    m, epsilon, delta, n, tau, beta = 50, 2.0, 1e-6, 100, 3.0, 0.93
    log = math.log(2 * n * m / delta)
    given = {"vectors": n, "largest_norm": tau, "beta": beta}
    assert published.noise_norm(m, 1.93 / epsilon, 0.05) == pytest.approx(m * math.log(m / 0.05) * 1.93 / epsilon)
    assert published.distance_error(m, epsilon, delta, **given) == pytest.approx(2 * beta * tau + 4 * m * log / epsilon)
    assert published.inner_product_error(m, epsilon, delta, **given) == pytest.approx(
        beta * tau**2 + 8 * tau * m * log / epsilon + (2 * m * log / epsilon) ** 2
    )
    assert published.training_loss_error(
        m, epsilon, delta, **given, largest_parameter=5.0, lipschitz=0.5
    ) == pytest.approx(4 * 0.5 * m * log * 5.0 / epsilon + 0.5 * beta * tau * 5.0)


@pytest.mark.parametrize(("m", "failure", "times"), [(50, 0.05, 5.56), (50, 1e-6, 9.73), (300, 1e-6, 15.03)])
def test_claim_6_is_true_and_loose(m, failure, times):
    ratio = published.noise_norm(m, 1.0, failure) / corrected.noise_norm(m, 1.0, failure)
    assert ratio == pytest.approx(times, abs=0.01)


@pytest.mark.parametrize("m", [1, 2, 50, 1000])
@pytest.mark.parametrize("failure", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("beta", [0.01, 0.93])
def test_every_published_bound_is_above_the_corrected_one_with_the_same_distortion(m, failure, beta):
    epsilon, n, tau, radius = 2.0, 30, 1.5, 3.0
    scale = (1 + beta) / epsilon
    given = {"vectors": n, "largest_norm": tau, "beta": beta}
    # In one dimension Claim 6 is the exact quantile.
    assert published.noise_norm(m, scale, failure) >= corrected.noise_norm(m, scale, failure) * (1 - 1e-12)
    assert published.distance_error(m, epsilon, failure, **given) > corrected.distance_error(
        m, scale, failure / 2, vectors=n, largest_distance=2 * tau, ratios=(1 - beta, 1 + beta)
    )
    assert published.inner_product_error(m, epsilon, failure, **given) > corrected.inner_product_error(
        m, scale, failure / 2, vectors=n, largest_norm=(1 + beta) * tau, distortion=beta / (1 + beta) ** 2
    )
    assert published.training_loss_error(m, epsilon, failure, **given, largest_parameter=radius) > corrected.risk_error(
        m,
        scale,
        failure / 2,
        vectors=n,
        largest_norm=tau,
        largest_parameter=radius,
        distortion=beta,
        stretch=1 + beta,
    )


def test_how_loose_the_propositions_are():
    """m = 50, epsilon = 1, beta = 0.93, 100 vectors of norm 1, failure 1e-6: the paper's setting."""
    m, beta, failure = 50, 0.93, 1e-6
    paper = {"vectors": 100, "largest_norm": 1.0, "beta": beta}
    distance = corrected.distance_error(
        m, 1 + beta, failure, vectors=100, largest_distance=2.0, ratios=(1 - beta, 1 + beta)
    )
    product = corrected.inner_product_error(
        m, 1 + beta, failure, vectors=100, largest_norm=1 + beta, distortion=corrected.inner_product_distortion(beta)
    )
    assert published.distance_error(m, 1.0, failure, **paper) / distance == pytest.approx(11.8, abs=0.1)
    assert published.inner_product_error(m, 1.0, failure, **paper) / product == pytest.approx(179, abs=1)


def test_a_small_training_loss_on_noise_promises_nothing():
    """Proposition 9 holds here, and no model is any good: the true vectors are all zero, their hinge loss is 1."""
    m, n = 30, 10
    noise = radial_laplace(RandomSource.seeded(1).streams(b"test", np.arange(n)), m, 1.0)
    labels = np.array([1.0, -1.0] * (n // 2))
    fitted = np.linalg.lstsq(noise, labels, rcond=None)[0]
    training = np.maximum(0, 1 - labels * (noise @ fitted)).mean()
    true = np.maximum(0, 1 - labels * (np.zeros((n, m)) @ fitted)).mean()
    assert training < 1e-9
    assert true == 1


def test_bad_input_is_refused():
    for beta in (0.0, 1.0, math.nan):
        with pytest.raises(InvalidInputError, match="beta"):
            published.distance_error(5, 1.0, 0.1, vectors=2, largest_norm=1.0, beta=beta)
    with pytest.raises(InvalidInputError, match="epsilon"):
        published.distance_error(5, 0.0, 0.1, vectors=2, largest_norm=1.0, beta=0.5)
