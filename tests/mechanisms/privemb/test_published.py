"""The published variant: its dimension, its law, and which part of its claim is true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import textveil as tv
from textveil.guarantees import Status
from textveil.mechanisms.privemb.published import chance_for_a_pair, published_target

PAPER = [(50, 0.93, 1.410e-17), (100, 0.66, 2.439e-18), (200, 0.468, 5.180e-19)]


@pytest.mark.parametrize(("target", "beta", "chance"), PAPER)
def test_the_papers_dimensions_and_what_a_fixed_pair_risks(target, beta, chance):
    assert published_target(beta=beta, delta=1e-6, dimension=300, width=None) == target
    assert chance_for_a_pair(target, beta) == pytest.approx(chance, rel=1e-3)


def test_a_width_gives_the_dimension_with_the_constant_one():
    width = np.sqrt(np.log2(300))
    given = [published_target(beta=beta, delta=1e-6, dimension=300, width=width) for _, beta, _ in PAPER]
    assert given == [51, 100, 199]


@pytest.mark.parametrize(("target", "beta", "excess"), [(50, 0.93, 1.76), (100, 0.66, 1.62), (200, 0.468, 1.50)])
def test_the_claim_is_conditional_and_says_how_far_it_fails(target, beta, excess):
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=300, variant="published", beta=beta)
    guarantee = mechanism.guarantee
    assert mechanism.target == target
    assert guarantee.status is Status.CONDITIONAL
    assert guarantee.delta == 1e-6
    assert f"{chance_for_a_pair(target, beta):.4g}" in guarantee.reason
    actual = np.linalg.norm(mechanism.chosen.matrix, 2) / (1 + beta)
    assert actual == pytest.approx(excess, rel=0.05)
    assert f"reaches {actual:.4g} x" in guarantee.reason


def test_the_worst_pair_for_a_public_matrix_breaks_epsilon():
    """Along the top singular vector the densities differ by more than epsilon x distance: the claim fails there."""
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=60, target=10, variant="published", beta=0.66)
    _, stretches, directions = np.linalg.svd(mechanism.chosen.matrix)
    x = directions[0]
    output = mechanism.chosen.matrix @ x
    loss = mechanism.log_density(output, x) - mechanism.log_density(output, np.zeros(60))
    assert loss == pytest.approx(stretches[0] / 1.66)
    assert loss > 1.3


def test_a_dimension_too_small_for_beta_is_refuted():
    guarantee = tv.PrivEmb(epsilon=1.0, dimension=300, target=20, variant="published", beta=0.1).guarantee
    assert guarantee.status is Status.REFUTED
    assert "not delta = 1e-06" in guarantee.reason


def test_the_noise_is_the_papers():
    """KS at 1e-7 on 4,000 vectors; the same test must fail for a scale x1.3."""
    mechanism = tv.PrivEmb(epsilon=2.0, dimension=20, target=7, variant="published", beta=0.8)
    x = np.random.default_rng(0).normal(size=(4000, 20))
    released = mechanism.release(x, source=tv.RandomSource.seeded(2))
    norms = np.linalg.norm(released - x @ mechanism.chosen.matrix.T, axis=1)
    assert stats.kstest(norms, stats.gamma(7, scale=1.8 / 2.0).cdf).pvalue > 1e-7
    assert stats.kstest(norms, stats.gamma(7, scale=1.3 * 1.8 / 2.0).cdf).pvalue < 1e-7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "beta"),
        ({"beta": 1.0}, "beta"),
        ({"beta": 0.0}, "beta"),
        ({"beta": 0.2}, "at most dimension"),
        ({"beta": 0.9, "delta": 0.0}, "delta"),
        ({"beta": 0.9, "projection": "haar"}, "Gaussian"),
        ({"beta": 0.9, "projection": np.eye(60, 300)}, "Gaussian"),
        ({"beta": 0.9, "certify": "operator"}, "no certificate"),
        ({"beta": 0.9, "precision": "exact"}, "float noise"),
        ({"beta": 0.9, "step": 2.0**-10}, "step"),
    ],
)
def test_what_the_paper_does_not_have_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tv.PrivEmb(epsilon=1.0, dimension=300, variant="published", **options)
