"""The law of PrivUnit's cap: golden values, the optimum, extremes, and quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from textveil.noise.cap import Cap, best_cap

# SPEC 10.4: (dimension, epsilon) -> gamma = m, q, p, rms of V / m.
GOLDEN = {
    (8, 0.5): (0.0725893847277307, 0.42638495756168604, 0.5506714713885547, 13.739776340523841),
    (8, 4): (0.5120617068387436, 0.07937065899049298, 0.8247795529296233, 1.6774319444546402),
    (8, 32): (0.9989797439869759, 5.5790243736621545e-11, 0.9997730554549149, 0.04520662613487052),
    (32, 1): (0.07072379870144288, 0.3478608171219437, 0.5918321166017088, 14.104105764930743),
    (32, 16): (0.6946059149954853, 3.6535811439067906e-06, 0.9701191449419635, 1.0356814371494827),
    (128, 2): (0.06956703863943686, 0.21669942785305044, 0.6715038813232336, 14.33979796019223),
    (300, 1): (0.022963637752203187, 0.3457578868074256, 0.5895877192397673, 43.53562408926558),
    (300, 4): (0.08741053044789276, 0.06512666518688191, 0.7918186839620649, 11.396480139400447),
    (300, 8): (0.1575049965049274, 0.0030873952899148466, 0.9022664237245999, 6.269757862696049),
    (768, 32): (0.2518550878787236, 6.835259625190199e-13, 0.9818093290345452, 3.84254678574283),
    (1024, 1): (0.012423272346945952, 0.34558462910511556, 0.589402352483817, 80.48787793178866),
    (1024, 32): (0.21898261294171537, 6.777864293947845e-13, 0.9816581147994896, 4.455736224845093),
}


def odds(epsilon):
    return 1 / math.expm1(epsilon)


@pytest.mark.parametrize(("dimension", "epsilon"), GOLDEN)
def test_the_optimum_has_the_golden_values(dimension, epsilon):
    cap = best_cap(dimension, epsilon)
    m, rest = cap.mean(odds(epsilon))
    p = (1 + odds(epsilon)) * cap.mass / (odds(epsilon) + cap.mass)
    found = (cap.gamma, cap.mass, p, math.sqrt(rest * (1 + m)) / m)
    np.testing.assert_allclose(found, GOLDEN[dimension, epsilon], rtol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3, 4, 10, 301, 1025, 100_000])
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1.0, 8.0, 50.0, 200.0, 300.0])
def test_gamma_is_m_to_twelve_digits_at_every_size(dimension, epsilon):
    cap = best_cap(dimension, epsilon)
    m, rest = cap.mean(odds(epsilon))
    assert m == pytest.approx(cap.gamma, rel=1e-12)
    assert rest == pytest.approx(cap.gap, rel=1e-12)
    assert 0 < cap.gap <= 1
    assert cap.mass > math.exp(-epsilon) / 2


@given(st.integers(2, 2000), st.floats(0.01, 60), st.floats(0.0, 0.999))
def test_no_other_cap_has_a_larger_mean(dimension, epsilon, gamma):
    best = best_cap(dimension, epsilon).mean(odds(epsilon))[0]
    assert Cap(dimension, gamma, 1 - gamma).mean(odds(epsilon))[0] <= best * (1 + 1e-9)


@pytest.mark.parametrize("dimension", [3, 4, 9, 60, 700])
@pytest.mark.parametrize("gamma", [0.0, 0.1, 0.45, 0.55, 0.8])
def test_mass_moment_and_mean_agree_with_quadrature(dimension, gamma):
    cap = Cap(dimension, gamma, 1 - gamma)

    def moment(power, start):
        return integrate.quad(lambda t: t**power * cap.density(t), start, 1 - 1e-15, epsabs=0, epsrel=1e-11)[0]

    assert moment(0, -1 + 1e-15) == pytest.approx(1.0, rel=1e-8)
    assert cap.mass == pytest.approx(moment(0, gamma), rel=1e-8)
    assert cap.moment == pytest.approx(moment(1, gamma), rel=1e-8)
    assert cap.mean(0.3)[0] == pytest.approx(moment(1, gamma) / (0.3 + moment(0, gamma)), rel=1e-8)


def test_in_the_plane_and_in_space_the_mass_is_elementary():
    assert Cap(2, 0.3, 0.7).mass == pytest.approx(math.acos(0.3) / math.pi, rel=1e-13)
    assert Cap(3, 0.3, 0.7).mass == pytest.approx(0.35, rel=1e-13)
