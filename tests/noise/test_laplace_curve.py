"""The curve of l2-Laplace noise: golden values, agreement with the plain formula, scales on the safe side."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from textveil.noise import laplace_curve
from textveil.noise.gaussian_curve import gaussian_scale
from textveil.noise.laplace_curve import laplace_delta, laplace_scale

# Scales at distance 1 and delta 1e-6, for epsilon 1, 5, 10.
GOLDEN = {
    32: (0.6570457277088412, 0.14568185434759034, 0.0773311729630179),
    300: (0.24051752441805724, 0.05550129384868869, 0.03049524979952406),
    768: (0.1516113586596362, 0.0350980448832559, 0.019340978029546277),
}
# The same to the digits that were printed.
PRINTED = {
    8: (0.94793990, 0.19481002, 0.09834738),
    64: (0.49484875, 0.11208833, 0.06057948),
    128: (0.36139033, 0.08281664, 0.04522051),
}
TWICE_THE_NODES = np.polynomial.legendre.leggauss(512)


def plain_delta(epsilon, dimension, scale):
    """P1 - e^epsilon P2 over the radius, with the cosine's Beta law."""
    shift = epsilon * scale
    half = (dimension - 1) / 2
    law = stats.gamma(dimension, scale=scale)
    cosine = stats.beta(half, half, loc=-1, scale=2)

    def integrand(r):
        own = cosine.cdf((1 - shift**2 - 2 * r * shift) / (2 * r))
        other = cosine.sf((1 - shift**2 + 2 * r * shift) / (2 * r))
        return law.pdf(r) * (own - math.exp(epsilon) * other)

    breaks = sorted({1e-12, (1 - shift) / 2, (1 + shift) / 2, law.mean(), law.isf(1e-14)})
    return sum(integrate.quad(integrand, a, b, limit=200, epsabs=1e-13)[0] for a, b in pairwise(breaks))


@pytest.mark.parametrize("dimension", GOLDEN)
def test_scales_have_the_golden_values(dimension):
    found = [laplace_scale(epsilon, 1e-6, dimension) for epsilon in (1.0, 5.0, 10.0)]
    np.testing.assert_allclose(found, GOLDEN[dimension], rtol=1e-8)


@pytest.mark.parametrize("dimension", PRINTED)
def test_scales_have_the_printed_values(dimension):
    found = [laplace_scale(epsilon, 1e-6, dimension) for epsilon in (1.0, 5.0, 10.0)]
    np.testing.assert_allclose(found, PRINTED[dimension], atol=1e-8)


def test_delta_has_the_golden_value():
    assert laplace_delta(2, dimension=32, scale=1 / 6) == pytest.approx(0.025853, abs=5e-7)


@pytest.mark.parametrize(
    ("dimension", "epsilon", "scale"), [(2, 1.0, 0.5), (3, 0.5, 1.2), (5, 3.0, 0.1), (32, 2.0, 1 / 6), (300, 1.0, 0.1)]
)
def test_one_smooth_integral_equals_the_difference_of_two(dimension, epsilon, scale):
    found = laplace_delta(epsilon, dimension=dimension, scale=scale)
    assert found == pytest.approx(plain_delta(epsilon, dimension, scale), rel=1e-7)


def test_in_one_dimension_it_is_the_closed_form_and_the_others_continue_it():
    scale, epsilon = 0.4, 1.0
    total, _ = integrate.quad(
        lambda y: max(0.0, math.exp(-abs(y) / scale) - math.exp(epsilon - abs(y - 1) / scale)) / (2 * scale),
        -10,
        10,
        points=[0, 0.3, 1],
    )
    assert laplace_delta(epsilon, dimension=1, scale=scale) == pytest.approx(total, rel=1e-8)


@pytest.mark.parametrize("dimension", [2, 17, 4096])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_twice_the_nodes_change_nothing(dimension, epsilon, monkeypatch):
    for delta in (1e-12, 1e-5, 0.2):
        scale = laplace_scale(epsilon, delta, dimension)
        found = laplace_delta(epsilon, dimension=dimension, scale=scale)
        monkeypatch.setattr(laplace_curve, "_gauss_legendre", lambda: TWICE_THE_NODES)
        monkeypatch.setattr(laplace_curve, "_DEPTH", 90.0)
        assert laplace_delta(epsilon, dimension=dimension, scale=scale) == pytest.approx(found, rel=1e-10)
        monkeypatch.undo()


@pytest.mark.parametrize("dimension", [1, 2, 40, 1000])
@pytest.mark.parametrize("delta", [1e-9, 0.1])
def test_a_scale_keeps_its_delta_and_is_no_larger_than_it_must_be(dimension, delta):
    scale = laplace_scale(2.0, delta, dimension)
    assert laplace_delta(2.0, dimension=dimension, scale=scale) <= delta
    assert scale <= 1 / 2.0
    if scale < 1 / 2.0:
        assert laplace_delta(2.0, dimension=dimension, scale=scale * (1 - 1e-6)) > delta


def test_delta_grows_with_the_distance_and_ends_at_the_pure_scale():
    distances = np.linspace(0.5, 3, 26)
    deltas = [laplace_delta(1.0, dimension=20, scale=0.6 / distance) for distance in distances]
    assert (np.diff(deltas) > 0).sum() >= 20
    assert (np.diff(deltas) >= 0).all()
    assert laplace_delta(1.0, dimension=20, scale=1.0) == 0.0
    assert laplace_scale(4.0, 0.0, 20) == 0.25


def test_it_needs_less_noise_than_the_gaussian_in_few_dimensions():
    for dimension, ratio in ((8, 0.67), (32, 0.893), (128, 0.972), (768, 0.995)):
        own = laplace_scale(1.0, 1e-6, dimension) * math.sqrt(dimension + 1)
        assert own / gaussian_scale(1.0, 1e-6) == pytest.approx(ratio, abs=6e-3)


def test_bad_values_are_refused():
    for epsilon in (0.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="epsilon"):
            laplace_delta(epsilon, dimension=3, scale=1.0)
    with pytest.raises(ValueError, match="scale"):
        laplace_delta(1.0, dimension=3, scale=0.0)
    with pytest.raises(ValueError, match="delta"):
        laplace_scale(1.0, 1.0, 3)
