"""Laplace noise: the law before rounding, what the lattice and the precision promise, vectors of any kind."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import textveil as tv


@pytest.mark.parametrize("precision", ["fast", "exact"])
@pytest.mark.parametrize("dimension", [1, 3, 50])
def test_released_noise_has_a_gamma_norm(precision, dimension):
    """KS at 1e-7 on 4,000 vectors; the same test must fail for a scale x1.3."""
    mechanism = tv.Laplace(epsilon=2.0, dimension=dimension, precision=precision)
    x = np.full((4000, dimension), 0.5)
    norms = np.linalg.norm(mechanism.release(x, source=tv.RandomSource.seeded(4)) - x, axis=1)
    assert stats.kstest(norms, stats.gamma(dimension, scale=1 / 2.0).cdf).pvalue > 1e-7
    assert stats.kstest(norms, stats.gamma(dimension, scale=1.3 / 2.0).cdf).pvalue < 1e-7


def test_the_density_is_normalised_and_keeps_epsilon():
    mechanism = tv.Laplace(epsilon=1.7, dimension=1)
    total, _ = integrate.quad(lambda y: float(np.exp(mechanism.log_density(np.array([y]), np.array([0.3])))), -40, 40)
    assert total == pytest.approx(1.0, abs=1e-6)
    flat = tv.Laplace(epsilon=1.7, dimension=5)
    rng = np.random.default_rng(0)
    y, x, z = rng.normal(size=(3, 100, 5))
    ratios = np.abs(flat.log_density(y, x) - flat.log_density(y, z))
    assert (ratios <= 1.7 * np.linalg.norm(x - z, axis=1) + 1e-9).all()
    radial, _ = integrate.quad(
        lambda r: float(np.exp(flat.log_density(np.array([r, 0, 0, 0, 0]), np.zeros(5)))) * r**4 * 8 * math.pi**2 / 3,
        0,
        60,
    )
    assert radial == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("precision", ["fast", "exact"])
def test_outputs_lie_on_the_lattice_whatever_the_input(precision):
    mechanism = tv.Laplace(epsilon=3.0, dimension=4, precision=precision)
    released = mechanism.release(np.random.default_rng(1).normal(size=(500, 4)) / 3)
    steps = released / mechanism.lattice.step
    assert (steps == np.rint(steps)).all()


def test_the_guarantee_says_what_sampling_costs():
    fast, exact = (tv.Laplace(epsilon=1.0, dimension=300, precision=p).guarantee for p in ("fast", "exact"))
    assert 0 < fast.slack < 1e-5
    assert fast.delta == 0
    assert exact.slack == 0
    assert 0 < exact.delta < 1e-30
    assert "for losses up to 100" in str(exact)
    assert (exact.loss(99.9 / exact.epsilon), exact.delta_at(99.9 / exact.epsilon)) == (
        pytest.approx(99.9),
        exact.delta,
    )
    assert (exact.loss(101 / exact.epsilon), exact.delta_at(101 / exact.epsilon)) == (math.inf, 1.0)
    assert fast.loss(2.0) == 2.0
    assert "rounded to multiples of 2^-14" in str(fast)


def test_a_finer_step_is_kept():
    mechanism = tv.Laplace(epsilon=1.0, dimension=2, step=2.0**-20)
    assert mechanism.lattice.step == 2.0**-20
    assert mechanism.spec()["step"] == 2.0**-20


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32])
def test_numpy_in_numpy_out(kind):
    mechanism = tv.Laplace(epsilon=1.0, dimension=3)
    one = mechanism.release(np.ones(3, dtype=kind))
    many = mechanism.release(np.ones((5, 3), dtype=kind))
    assert one.shape == (3,)
    assert many.shape == (5, 3)
    assert many.dtype == (kind if np.dtype(kind).kind == "f" else np.float64)
    assert mechanism.release(np.empty((0, 3))).shape == (0, 3)
    assert mechanism.release([1.0, 2.0, 3.0]).shape == (3,)


def test_torch_in_torch_out():
    torch = pytest.importorskip("torch")
    mechanism = tv.Laplace(epsilon=1.0, dimension=3)
    released = mechanism.release(torch.ones(4, 3))
    assert isinstance(released, torch.Tensor)
    assert released.dtype == torch.float32
    assert mechanism.release(torch.ones(3)).shape == (3,)


def test_a_fixed_key_repeats_whatever_the_batch():
    mechanism = tv.Laplace(epsilon=1.0, dimension=3)
    x = np.random.default_rng(0).normal(size=(10, 3))
    batch = mechanism.release(x, source=tv.RandomSource.keyed(bytes(32), 100))
    assert (batch[7] == mechanism.release(x[7], source=tv.RandomSource.keyed(bytes(32), 107))).all()
    moved = x.copy()
    moved[7, 0] += 1e-9
    assert (batch[7] != mechanism.release(moved, source=tv.RandomSource.keyed(bytes(32), 100))[7]).all()


def test_a_spec_makes_it_again():
    for options in ({}, {"precision": "exact"}, {"step": 2.0**-18}):
        mechanism = tv.Laplace(epsilon=0.5, dimension=7, **options)
        assert tv.from_spec(mechanism.spec()).spec() == mechanism.spec()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0, "dimension": 2}, "epsilon"),
        ({"epsilon": math.nan, "dimension": 2}, "epsilon"),
        ({"epsilon": 1.0, "dimension": 0}, "dimension"),
        ({"epsilon": 1.0, "dimension": 1.5}, "dimension"),
        ({"epsilon": 1.0, "dimension": 2, "precision": "sloppy"}, "precision"),
        ({"epsilon": 1.0, "dimension": 2, "step": 0.3}, "step"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tv.Laplace(**options)


@pytest.mark.parametrize(
    "private",
    [np.array([1.0, math.nan]), np.array([math.inf, 0.0]), np.ones(3), np.ones((2, 2, 2)), np.array(["a", "b"]), 1.0],
)
def test_bad_vectors_are_refused_without_being_quoted(private):
    with pytest.raises(ValueError, match="vectors must"):
        tv.Laplace(epsilon=1.0, dimension=2).release(private)
