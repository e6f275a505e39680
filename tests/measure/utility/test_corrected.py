"""The corrected utility bounds hold at their level, and not much more than that where they can be exact."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.measure.utility import corrected
from textveil.noise.laplace import radial_laplace
from textveil.randomness import RandomSource

FALSE_ALARM = 1e-6
LEVEL = 0.05


def noise(items, m, scale, seed=5):
    return radial_laplace(RandomSource.seeded(seed).streams(b"test", np.arange(items)), m, scale)


def too_often(failed):
    """Whether failures are more frequent than LEVEL; false alarm 1e-6."""
    return stats.binomtest(int(failed.sum()), failed.size, LEVEL, alternative="greater").pvalue < FALSE_ALARM


def too_rare(failed):
    return stats.binomtest(int(failed.sum()), failed.size, LEVEL, alternative="less").pvalue < FALSE_ALARM


def mean_is(sample, expected):
    """Whether the mean of a sample is as expected, within 5.1 standard errors: false alarm below 1e-6."""
    return abs(sample.mean() - expected) < 5.1 * sample.std() / math.sqrt(sample.size)


@pytest.mark.parametrize(("m", "vectors"), [(1, 1), (50, 1), (50, 7)])
def test_the_largest_noise_norm_passes_its_bound_exactly_as_often_as_said(m, vectors):
    bound = corrected.noise_norm(m, 0.3, LEVEL, vectors=vectors)
    norms = np.linalg.norm(noise(4000 * vectors, m, 0.3), axis=1).reshape(4000, vectors).max(axis=1)
    assert not too_often(norms > bound)
    assert not too_rare(norms > bound)
    assert too_often(1.3 * norms > bound)
    assert too_rare(norms / 1.3 > bound)


def test_the_noise_norm_has_the_golden_quantiles():
    for m, middle, far in [(50, 62.171056702, 91.0633885598), (300, 329.046786569, 389.642302555)]:
        assert corrected.noise_norm(m, 1.0, 0.05) == pytest.approx(middle, rel=1e-9)
        assert corrected.noise_norm(m, 2.0, 1e-6) == pytest.approx(2 * far, rel=1e-9)


@pytest.mark.parametrize("m", [1, 2, 50])
def test_the_mean_projection_is_that_of_the_noise(m):
    along = np.abs(noise(20_000, m, 2.0)[:, 0])
    expected = corrected.mean_projection(m, 2.0)
    assert mean_is(along, expected)
    assert not mean_is(1.3 * along, expected)
    assert corrected.mean_projection(300, 1.0) == pytest.approx(math.sqrt(600 / math.pi), rel=2e-3)


@pytest.fixture(scope="module")
def projected():
    """Four vectors, a public matrix, and 3,000 noisy releases of them: (x, A, scale, w with shape (3000, 4, m))."""
    rng = np.random.default_rng(0)
    x, A, scale = rng.normal(size=(4, 12)), rng.normal(size=(6, 12)) / math.sqrt(6), 0.2
    return x, A, scale, x @ A.T + noise(4 * 3000, 6, scale).reshape(3000, 4, 6)


def pairs(x):
    i, j = np.triu_indices(x.shape[-2], 1)
    return x[..., i, :], x[..., j, :]


def test_distances_are_within_their_bound(projected):
    x, A, scale, w = projected
    (a, b), (wa, wb) = pairs(x), pairs(w)
    distances = np.linalg.norm(a - b, axis=-1)
    ratios = np.linalg.norm((a - b) @ A.T, axis=-1) / distances
    bound = corrected.distance_error(
        6, scale, LEVEL, vectors=4, largest_distance=distances.max(), ratios=(ratios.min(), ratios.max())
    )
    errors = np.abs(np.linalg.norm(wa - wb, axis=-1) - distances).max(axis=1)
    assert not too_often(errors > bound)
    # Opposite noises of the largest norm attain the bound.
    along = (x[0] - x[1]) @ A.T
    largest = corrected.noise_norm(6, scale, LEVEL, vectors=2) * along / np.linalg.norm(along)
    stretched = np.linalg.norm((x[0] @ A.T + largest) - (x[1] @ A.T - largest)) - np.linalg.norm(along)
    assert stretched == pytest.approx(corrected.distance_error(6, scale, LEVEL), rel=1e-12)


def test_inner_products_are_within_their_bound(projected):
    x, A, scale, w = projected
    (a, b), (wa, wb) = pairs(x), pairs(w)
    true, kept = (a * b).sum(-1), ((a @ A.T) * (b @ A.T)).sum(-1)
    norms, images = np.linalg.norm(x, axis=1), np.linalg.norm(x @ A.T, axis=1)
    given = {"vectors": 4, "largest_norm": max(norms.max(), images.max())}
    distortion = (np.abs(kept - true) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))).max()
    noisy = (wa * wb).sum(-1)
    bound = corrected.inner_product_error(6, scale, LEVEL, **given, distortion=distortion)
    assert not too_often(np.abs(noisy - true).max(axis=1) > bound)
    bound = corrected.inner_product_error(6, scale, LEVEL, **given)
    assert not too_often(np.abs(noisy - kept).max(axis=1) > bound)
    # The bound is a union over pairs and norms, so it is loose; noise of 4 times the scale is seen.
    wa, wb = pairs(x @ A.T + 4 * (w - x @ A.T))
    assert too_often(np.abs((wa * wb).sum(-1) - kept).max(axis=1) > bound)


def test_the_normal_law_along_a_direction_beats_cauchy_and_schwarz_in_many_dimensions():
    bound = corrected.inner_product_error(300, 1.0, LEVEL, vectors=2, largest_norm=1.0)
    norm = corrected.noise_norm(300, 1.0, LEVEL, vectors=2)
    assert bound < (2 + norm) * norm / 4
    sample = np.abs((noise(4000, 300, 1.0) * noise(4000, 300, 1.0, seed=6)).sum(axis=1))
    assert np.quantile(sample, 1 - LEVEL) < bound < 2.5 * np.quantile(sample, 1 - LEVEL)


@pytest.mark.parametrize("beta", [0.1, 0.9])
def test_norms_within_beta_allow_inner_products_off_by_twice_beta(beta):
    """Corollary 2 of the paper has beta; the matrix diag(1 + beta, 1 - beta) keeps every norm within 1 +- beta."""
    A = np.diag([1 + beta, 1 - beta])
    x, y = np.array([1.0, 1.0]) / math.sqrt(2), np.array([1.0, -1.0]) / math.sqrt(2)
    angles = np.linspace(0, math.pi, 200)
    norms = np.linalg.norm(A @ np.stack([np.cos(angles), np.sin(angles)]), axis=0)
    assert norms.max() <= 1 + beta + 1e-12
    assert norms.min() >= 1 - beta - 1e-12
    assert abs((A @ x) @ (A @ y) - x @ y) == pytest.approx(2 * beta)
    e = np.array([1.0, 0.0])
    attained = (A @ e) @ (A @ e) - e @ e
    assert attained == pytest.approx(corrected.inner_product_distortion(beta))
    assert attained > beta


def test_the_risk_bound_is_attained_on_a_line():
    """One dimension, x = 0 and the loss |t|: the mean loss is the mean norm, and fails exactly as often as said."""
    sizes, users, radius, stretch = 3000, 20, 2.0, 1.5
    bound = corrected.risk_error(
        1, 0.5, LEVEL, vectors=users, largest_norm=0.0, largest_parameter=radius, distortion=0.0, stretch=stretch
    )
    risks = np.abs(noise(sizes * users, 1, 0.5) * stretch * radius).reshape(sizes, users).mean(axis=1)
    assert not too_often(risks > bound)
    assert not too_rare(risks > bound)
    assert too_often(1.3 * risks > bound)


def test_the_risk_of_every_model_is_within_its_bound_and_the_best_noisy_model_within_twice():
    rng = np.random.default_rng(1)
    n, d, m, scale, radius = 40, 5, 3, 0.02, 1.0
    x, A = rng.normal(size=(n, d)) / 3, rng.normal(size=(m, d)) / math.sqrt(m)
    labels = np.sign(x[:, 0])
    models = rng.normal(size=(500, d))
    models *= radius / np.linalg.norm(models, axis=1)[:, None]
    norms = np.linalg.norm(x, axis=1)
    bound = corrected.risk_error(
        m,
        scale,
        LEVEL,
        vectors=n,
        largest_norm=norms.max(),
        largest_parameter=radius,
        distortion=(np.linalg.norm(x @ A.T @ A - x, axis=1) / norms).max(),
        stretch=np.linalg.norm(A, 2),
    )
    true = np.maximum(0, 1 - labels[:, None] * (x @ models.T)).mean(axis=0)
    failed, best = [], []
    for kappa in noise(n * 300, m, scale).reshape(300, n, m):
        noisy = np.maximum(0, 1 - labels[:, None] * ((x @ A.T + kappa) @ (A @ models.T))).mean(axis=0)
        failed.append(np.abs(noisy - true).max() > bound)
        best.append(true[noisy.argmin()] - true.min() > 2 * bound)
    assert not too_often(np.array(failed))
    assert not too_often(np.array(best))


def test_bad_input_is_refused():
    for call in [
        lambda: corrected.noise_norm(0, 1.0, 0.1),
        lambda: corrected.noise_norm(5, 0.0, 0.1),
        lambda: corrected.noise_norm(5, 1.0, 0.0),
        lambda: corrected.noise_norm(5, 1.0, 1.0),
        lambda: corrected.noise_norm(5, 1.0, 0.1, vectors=0),
        lambda: corrected.mean_projection(5, math.nan),
        lambda: corrected.distance_error(5, 1.0, 0.1, ratios=(2.0, 1.0)),
        lambda: corrected.inner_product_distortion(-0.1),
        lambda: corrected.inner_product_error(5, 1.0, 0.1, vectors=1, largest_norm=1.0),
    ]:
        with pytest.raises(InvalidInputError):
            call()
