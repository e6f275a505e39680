"""Noise shaped like a covariance: the law after whitening, the directions, what is promised in which metric."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy import integrate, stats

import textveil as tv
from textveil.guarantees import rounded_up
from textveil.mechanisms.mahalanobis import _each


def covariance(dimension=4, seed=0):
    sample = np.random.default_rng(seed).normal(size=(50, dimension)) * np.arange(1, dimension + 1)
    return np.cov(sample, rowvar=False)


def matrix(given, mix):
    size = len(given)
    return mix * given * size / np.trace(given) + (1 - mix) * np.eye(size)


@pytest.mark.parametrize("precision", ["fast", "exact"])
@pytest.mark.parametrize("mix", [1.0, 0.4])
def test_whitened_noise_is_laplace_noise(precision, mix):
    """KS at 1e-7 on 5,000 vectors for the radius and for each whitened direction; a scale x1.3 must fail."""
    given = covariance()
    mechanism = tv.Mahalanobis(given, epsilon=2.0, mix=mix, precision=precision)
    x = np.full((5000, 4), 0.5)
    noise = mechanism.release(x, source=tv.RandomSource.seeded(4)) - x
    white = np.linalg.solve(np.linalg.cholesky(matrix(given, mix)), noise.T).T
    radii = np.linalg.norm(white, axis=1)
    assert stats.kstest(radii, stats.gamma(4, scale=1 / 2.0).cdf).pvalue > 1e-7
    assert stats.kstest(1.3 * radii, stats.gamma(4, scale=1 / 2.0).cdf).pvalue < 1e-7
    for along in (white / radii[:, None]).T:
        assert stats.kstest((along + 1) / 2, stats.beta(1.5, 1.5).cdf).pvalue > 1e-7


def test_noise_is_large_where_the_covariance_is_large():
    """The variance along an eigenvector is (d + 1) lambda / epsilon^2, within 10% over 20,000 draws."""
    given = covariance()
    noise = tv.Mahalanobis(given, epsilon=1.0).release(np.zeros((20_000, 4)), source=tv.RandomSource.seeded(3))
    values, vectors = np.linalg.eigh(matrix(given, 1.0))
    np.testing.assert_allclose((noise @ vectors).var(axis=0), 5 * values, rtol=0.1)


def test_the_density_keeps_epsilon_in_its_metric_and_is_normalised():
    given = covariance(2)
    mechanism = tv.Mahalanobis(given, epsilon=1.5, mix=0.8)
    a = matrix(given, 0.8)
    y, x, z = np.random.default_rng(0).normal(size=(3, 200, 2))
    ratios = np.abs(mechanism.log_density(y, x) - mechanism.log_density(y, z))
    distances = np.sqrt(np.einsum("ij,jk,ik->i", x - z, np.linalg.inv(a), x - z))
    assert (ratios <= 1.5 * distances + 1e-9).all()
    assert (distances * 1.5 <= mechanism.euclidean_epsilon * np.linalg.norm(x - z, axis=1) + 1e-9).all()
    total, _ = integrate.dblquad(
        lambda u, v: float(np.exp(mechanism.log_density(np.array([u, v]), np.zeros(2)))), -25, 25, -25, 25, epsabs=1e-4
    )
    assert total == pytest.approx(1.0, abs=1e-3)


def test_the_guarantee_names_the_matrix_and_the_euclidean_rate():
    given = covariance()
    first, second = (tv.Mahalanobis(given, epsilon=2.0, mix=mix) for mix in (1.0, 0.9))
    least = np.linalg.eigvalsh(matrix(given, 1.0))[0]
    assert first.euclidean_epsilon == pytest.approx(2.0 / math.sqrt(least), rel=1e-9)
    assert first.guarantee.relation.metric != second.guarantee.relation.metric
    assert "sha256" in first.guarantee.relation.metric
    assert f"at most {rounded_up(1 / math.sqrt(least), 4)} x Euclidean distance" in str(first.guarantee)
    assert tv.Mahalanobis(7 * given, epsilon=2.0).euclidean_epsilon == pytest.approx(first.euclidean_epsilon)
    assert first.guarantee.slack > 0 == tv.Mahalanobis(given, epsilon=2.0, precision="exact").guarantee.slack


def test_without_a_covariance_in_the_mix_it_is_plain_laplace_noise():
    mechanism = tv.Mahalanobis(covariance(), epsilon=2.0, mix=0.0)
    assert mechanism.euclidean_epsilon == pytest.approx(2.0, rel=1e-10)
    released = mechanism.release(np.ones((5, 4))) / mechanism.lattice.step
    np.testing.assert_allclose(released, np.rint(released), atol=1e-6)


def test_a_release_does_not_depend_on_the_batch():
    mechanism = tv.Mahalanobis(covariance=covariance(7), epsilon=1.0)
    x = np.random.default_rng(0).normal(size=(100, 7))
    batch = mechanism.release(x, source=tv.RandomSource.keyed(bytes(32), 10))
    assert (batch[31] == mechanism.release(x[31], source=tv.RandomSource.keyed(bytes(32), 41))).all()


def test_a_spec_makes_it_again_with_the_same_covariance_only():
    given = covariance()
    mechanism = tv.Mahalanobis(given, epsilon=0.5, mix=0.7, precision="exact")
    spec = mechanism.spec()
    for name in ("covariance", spec["covariance"]):
        again = tv.from_spec(spec, objects={name: given})
        assert again.spec() == spec
        assert again.guarantee == mechanism.guarantee
    with pytest.raises(tv.CertificateError, match="not the one"):
        tv.from_spec(spec, objects={"covariance": 2 * given})
    with pytest.raises(tv.InvalidInputError, match="needs covariance"):
        tv.from_spec(spec)


def test_the_covariance_can_not_be_changed_afterwards():
    given = covariance()
    mechanism = tv.Mahalanobis(given, epsilon=1.0)
    spec = mechanism.spec()
    given *= 2
    assert mechanism.spec() == spec
    with pytest.raises(ValueError, match="read-only"):
        mechanism.covariance[0, 0] = 1.0


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (np.ones((2, 3)), {}, "square"),
        (np.ones(3), {}, "square"),
        (np.empty((0, 0)), {}, "square"),
        (np.array([[1.0, math.nan], [math.nan, 1.0]]), {}, "finite"),
        (np.array([[1.0, 0.5], [0.2, 1.0]]), {}, "symmetric"),
        (np.ones((2, 2)), {}, "positive definite.*mix"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), {}, "not a covariance"),
        (np.zeros((2, 2)), {}, "trace"),
        (np.eye(2), {"mix": 1.1}, "mix"),
        (np.eye(2), {"mix": math.nan}, "mix"),
        (np.eye(2), {"epsilon": 0.0}, "epsilon"),
        (np.eye(2), {"precision": "sloppy"}, "precision"),
        (np.eye(2), {"step": 0.3}, "step"),
    ],
)
def test_bad_parameters_are_refused(given, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Mahalanobis(given, **({"epsilon": 1.0} | options))


def test_a_singular_covariance_can_be_mixed():
    assert tv.Mahalanobis(np.ones((2, 2)), epsilon=1.0, mix=0.5).release(np.zeros(2)).shape == (2,)


def flat(dimension=8, digits=9.5):
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(dimension, dimension)))[0]
    given = (axes * np.logspace(0, -digits, dimension)) @ axes.T
    return (given + given.T) / 2


def exactly(matrix):
    return [[Decimal(value) for value in row] for row in matrix.tolist()]


def mahalanobis_distance(a, x, y):
    """|A^(-1/2) (x - y)| by Gauss elimination in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        v = [Decimal(one) - Decimal(other) for one, other in zip(x.tolist(), y.tolist(), strict=True)]
        rows = [[*row, value] for row, value in zip(exactly(a), v, strict=True)]
        for k, pivot in enumerate(rows):
            for row in rows[k + 1 :]:
                factor = row[k] / pivot[k]
                row[k:] = [one - factor * other for one, other in zip(row[k:], pivot[k:], strict=True)]
        # v A^-1 v is the sum of the squares of the reduced right side over the pivots.
        return float(sum(row[-1] ** 2 / row[k] for k, row in enumerate(rows)).sqrt())


@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_the_true_distance_and_rounding_bound_the_loss_also_for_a_flat_matrix_and_long_vectors(scale):
    """The loss of what is snapped, against 60 digits, for pairs that differ along the longest axis, near the reach."""
    mechanism = tv.Mahalanobis(flat(), epsilon=1.0, precision="exact")
    rng, longest = np.random.default_rng(1), np.linalg.eigh(mechanism.matrix)[1][:, -1]
    for length in rng.uniform(0.1, 0.9, size=30):
        x = mechanism.reach * length * (longest if scale else rng.normal(size=8) / 4)
        y = x * (1 + 1e-12 * rng.normal()) + scale * 1e-5 * rng.normal() * longest
        first, second = (mechanism.lattice.snap(_each(mechanism._check(v), mechanism._whitening)) for v in (x, y))
        loss = mechanism._noise.epsilon * mechanism.lattice.step * np.linalg.norm((first - second).astype(float))
        distance = mahalanobis_distance(mechanism.matrix, x, y)
        assert loss <= mechanism.guarantee.loss(distance)
        assert distance <= mechanism._euclidean_rate * np.linalg.norm(x - y) * (1 + 1e-9)


def test_the_whitening_is_not_trusted_beyond_what_it_was_checked_for():
    """A whitening that is too large by 1.3 must cost 1.3 times the noise."""
    honest, wrong = (tv.Mahalanobis(covariance(), epsilon=1.0) for _ in range(2))
    vars(wrong)["_whitening"] = 1.3 * honest._whitening
    for name in ("_defect", "_noise", "_euclidean_rate"):
        vars(wrong).pop(name, None)
    assert wrong._stretch >= 1.3
    assert wrong._noise.scale >= 1.3 * honest._noise.scale * (1 - 1e-9)


def test_vectors_too_long_to_be_whitened_exactly_are_refused():
    mechanism = tv.Mahalanobis(flat(), epsilon=1.0)
    assert mechanism.release(np.full(8, 0.3 * mechanism.reach)).shape == (8,)
    for length in (1.1 * mechanism.reach, 1e300):
        with pytest.raises(tv.InvalidInputError, match="norm of a vector must be at most"):
            mechanism.release(np.full(8, length))


def test_a_matrix_too_flat_for_its_dimension_is_refused(monkeypatch):
    monkeypatch.setattr("textveil.mechanisms.mahalanobis._MOST_DEFECT", 1e-8)
    with pytest.raises(tv.InvalidInputError, match=r"too flat for float64 in 8 dimensions.*smaller mix"):
        tv.Mahalanobis(flat(), epsilon=1.0)
