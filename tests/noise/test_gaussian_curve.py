"""Gaussian curves: golden values, no overflow, both directions, and scales that never promise too much."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.special import log_ndtr

from textveil.noise import gaussian_curve
from textveil.noise.gaussian_curve import (
    gaussian_delta,
    gaussian_scale,
    unequal_gaussian_delta,
    unequal_gaussian_delta_both_ways,
)

DELTAS = (1e-5, 1e-6, 1 / 73404, 1e-9)
# The least standard deviation at distance 1, for each of DELTAS.
GOLDEN = {
    0.1: (30.74956613197784, 36.30469042619582, 29.955304085234108, 50.20981826301388),
    0.5: (7.031826675582497, 8.057618480725058, 6.886174306614051, 10.673896815080026),
    0.8: (4.5727617478, 5.1980814689, 4.4841581730, 6.8018976831),
    1: (3.7306316348159454, 4.224678889326821, 3.660699526324107, 5.495266157238253),
    2: (1.9938124456435349, 2.230476271186417, 1.9604213891781066, 2.8445470734957405),
    3: (1.3905934567, 1.5438614178, 1.3690104311, 1.9437242635),
    4: (1.0811618495, 1.1935185872, 1.0653610445, 1.4878036771),
    5: (0.8918682649515182, 0.9800490003092096, 0.8794796284301603, 1.2117124661345822),
    8: (0.6002290721989517, 0.6529353843582155, 0.5928378525542233, 0.7922370498040952),
    10: (0.4998886197090085, 0.5410868318183661, 0.4941152189650831, 0.6502469189586576),
    15: (0.3619095161, 0.3881671794, 0.3582329779, 0.4579950738),
    20: (0.2900414180327959, 0.30908468121885957, 0.2873756718006155, 0.3598120866545925),
    30: (0.2147201465, 0.2268157084, 0.2130266495, 0.2590638289),
    40: (0.17485394228442688, 0.18362000523583594, 0.17362602085117168, 0.2069807228301514),
}


@pytest.mark.parametrize("epsilon", GOLDEN)
def test_scales_have_the_golden_values(epsilon):
    found = [gaussian_scale(epsilon, delta) for delta in DELTAS]
    np.testing.assert_allclose(found, GOLDEN[epsilon], rtol=5e-10)


@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.01, 1.0, 30.0, 1000.0, 1e6])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.3, 0.999])
def test_a_scale_keeps_its_delta_and_is_no_larger_than_it_must_be(epsilon, delta):
    scale = gaussian_scale(epsilon, delta)
    assert gaussian_delta(epsilon, 1 / scale) <= delta
    assert gaussian_delta(epsilon, 1 / (scale * (1 - 1e-9))) > delta


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, 20.0])
@pytest.mark.parametrize("mu", [0.05, 0.7, 0.999999, 1.0, 1.3, 6.0])
def test_delta_is_its_formula(epsilon, mu):
    first = np.exp(log_ndtr(mu / 2 - epsilon / mu))
    second = np.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))
    assert gaussian_delta(epsilon, mu) == pytest.approx(first - second, rel=1e-9, abs=1e-15)


def test_nothing_overflows():
    assert gaussian_delta(1e300, 1.0) == 0.0
    assert gaussian_delta(1.0, 1e300) == 1.0
    assert gaussian_delta(1.0, 0.0) == 0.0
    # Digits by arbitrary precision arithmetic: the two terms agree in their first 13.
    assert gaussian_delta(0.0, 1e-9) == pytest.approx(3.9894228040143268e-10, rel=1e-12)


def test_the_classical_formula_is_invalid_where_it_is_said_to_be():
    def classical(epsilon, delta):
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon

    for epsilon, true in ((10, 2.27e-5), (20, 1.53e-3), (40, 0.203)):
        assert gaussian_delta(epsilon, 1 / classical(epsilon, 1e-5)) == pytest.approx(true, rel=5e-3)
    assert gaussian_delta(8.41, 1 / classical(8.41, 1e-5)) < 1e-5 < gaussian_delta(8.43, 1 / classical(8.43, 1e-5))


def test_unequal_scales_have_the_golden_value_and_the_larger_one_backwards():
    pair = {"dimension": 300, "distance": 3}
    assert unequal_gaussian_delta(5, sigma=1, other_sigma=1.1, **pair) == pytest.approx(0.5435831685079203, rel=1e-9)
    assert unequal_gaussian_delta(5, sigma=1.1, other_sigma=1, **pair) == pytest.approx(0.6229528840, rel=1e-9)
    for sigmas in ((1, 1.1), (1.1, 1)):
        both = unequal_gaussian_delta_both_ways(5, sigma=sigmas[0], other_sigma=sigmas[1], **pair)
        assert both == pytest.approx(0.6229528840, rel=1e-9)


@pytest.mark.parametrize(("sigma", "other"), [(1.0, 1.5), (1.5, 1.0), (1.0, 1.02), (1.02, 1.0), (1.0, 3.0)])
@pytest.mark.parametrize("distance", [0.0, 0.7, 2.5])
def test_in_one_dimension_unequal_scales_agree_with_plain_integration(sigma, other, distance):
    def excess(y, epsilon):
        p = math.exp(-(y**2) / (2 * sigma**2)) / sigma
        q = math.exp(-((y - distance) ** 2) / (2 * other**2)) / other
        return max(0.0, p - math.exp(epsilon) * q) / math.sqrt(2 * math.pi)

    for epsilon in (0.2, 1.0):
        y = np.linspace(-14, 14, 280_001)
        total = integrate.trapezoid([excess(each, epsilon) for each in y[::10]], y[::10])
        found = unequal_gaussian_delta(epsilon, dimension=1, sigma=sigma, other_sigma=other, distance=distance)
        assert found == pytest.approx(total, abs=3e-6)


@pytest.mark.parametrize("dimension", [1, 2, 3, 10, 300, 4096])
def test_nearly_equal_scales_join_the_two_ways_of_computing(dimension, monkeypatch):
    for sigma, other in ((1.0, 1.02), (1.02, 1.0)):
        pair = {"dimension": dimension, "sigma": sigma, "other_sigma": other, "distance": 3.0}
        ball = unequal_gaussian_delta(5, **pair)
        monkeypatch.setattr(gaussian_curve, "_LARGEST_NONCENTRALITY", 1e3)
        assert unequal_gaussian_delta(5, **pair) == pytest.approx(ball, rel=1e-9)
        monkeypatch.undo()
    near = unequal_gaussian_delta(5, dimension=dimension, sigma=1.0, other_sigma=1 + 1e-11, distance=3.0)
    assert near == pytest.approx(gaussian_delta(5, 3.0), rel=1e-6)


@pytest.mark.parametrize("bad", [-1.0, math.nan])
def test_bad_values_are_refused(bad):
    with pytest.raises(ValueError, match="epsilon"):
        gaussian_delta(bad, 1.0)
    with pytest.raises(ValueError, match="mu"):
        gaussian_delta(1.0, bad)
    for delta in (bad, 0.0, 1.0):
        with pytest.raises(ValueError, match="delta"):
            gaussian_scale(1.0, delta)
