import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.noise.lattice import Lattice, float_slack, lattice_for

EXPONENTS = st.integers(-60, 40)
REAL = st.floats(-1e6, 1e6)


def test_rounding_towards_zero_makes_no_vector_longer():
    lattice = Lattice(2.0**-3)
    vectors = np.random.default_rng(0).normal(size=(200, 7))
    rounded = lattice.towards_zero(vectors)
    assert (np.abs(rounded) <= np.abs(vectors)).all()
    assert (np.abs(vectors - rounded) < lattice.step).all()
    assert (lattice.snap(rounded) * lattice.step == rounded).all()


@given(EXPONENTS, st.integers(-(2**53), 2**53))
def test_lattice_points_are_exact_and_snap_back(exponent, k) -> None:
    lattice = Lattice(2.0**exponent)
    vector = lattice.to_vectors(np.array([k]))
    assert math.ldexp(k, exponent) == vector[0]
    if abs(k) <= 2**52:
        assert lattice.snap(vector)[0] == k


@given(st.integers(-30, 10), REAL)
def test_snapping_moves_by_at_most_half_a_step_and_ties_go_to_even(exponent, x) -> None:
    lattice = Lattice(2.0**exponent)
    k = int(lattice.snap([x])[0])
    assert abs(k * lattice.step - x) <= lattice.step / 2
    if abs(k * lattice.step - x) == lattice.step / 2:
        assert k % 2 == 0


@given(REAL, st.integers(-1000, 1000))
def test_snapping_is_odd_and_commutes_with_even_lattice_shifts(x, k) -> None:
    lattice = Lattice(2.0**-20)
    assert lattice.snap([-x])[0] == -lattice.snap([x])[0]
    x = float(lattice.to_vectors(lattice.snap([x]))[0])
    assert lattice.snap([x + 2 * k * lattice.step])[0] == lattice.snap([x])[0] + 2 * k


def test_the_shape_stays_and_float32_is_exact() -> None:
    x = np.float32([[0.1, -0.0], [3.0, 1e-30]])
    snapped = Lattice(2.0**-10).snap(x)
    assert snapped.dtype == np.int64
    assert snapped.tolist() == [[102, 0], [3072, 0]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 4503599627370497.0, 1.2345e300])
def test_what_the_lattice_can_not_hold_is_refused_without_quoting_it(bad) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Lattice(1.0).snap([0.5, bad])
    assert "1.23" not in str(caught.value)
    assert "7370497" not in str(caught.value)
    assert "0.5" not in str(caught.value)
    with pytest.raises(InvalidInputError, match="noise"):
        Lattice(1.0).to_integers([bad])


def test_a_tiny_step_does_not_overflow_into_a_warning() -> None:
    with pytest.raises(InvalidInputError):
        Lattice(2.0**-499).snap([1e300])


@pytest.mark.parametrize("step", [0.0, -0.5, 0.3, 3.0, np.nan, np.inf, 2.0**501, 2.0**-502])
def test_steps_that_are_no_powers_of_two_are_refused(step) -> None:
    with pytest.raises(InvalidInputError, match="step"):
        Lattice(step)


@given(st.floats(1e-100, 1e100))
def test_the_lattice_for_a_scale_is_between_two_powers_finer(scale) -> None:
    assert 2.0**-15 < lattice_for(scale).step / scale <= 2.0**-14


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_noise_that_no_lattice_holds_is_refused_in_words_of_who_asked_for_it(scale) -> None:
    with pytest.raises(InvalidInputError, match="can't be drawn; give an epsilon nearer to 1"):
        lattice_for(scale)


def test_the_lattice_for_a_power_of_two_is_the_coarser_one() -> None:
    assert lattice_for(1.0) == Lattice(2.0**-14)


def test_the_float_slack_is_the_bound_of_the_docs() -> None:
    assert float_slack(300, 17.0, 2.0**-10) == pytest.approx(300 * 17 * 2**10 * 2e-14)
    assert float_slack(300, 1e30, 1.0) == 1.0
    assert float_slack(300, 1e-9, 1.0) == float_slack(300, 1.0, 1.0) == pytest.approx(300 * 2e-14)
