import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.spaces import Euclidean

STEP = 2.0**-20
LATTICE_ERROR = 2 * 2.0**-53


def exact_squared(a, b):
    return sum((Fraction(float(x)) - Fraction(float(y))) ** 2 for x, y in zip(a, b, strict=True))


def relative_error(distance, squared):
    """How far a positive float is from the root of a fraction, relative to the root, bounded from above."""
    scale = 10**40
    root = Fraction(math.isqrt(int(squared * scale * scale)), scale)
    return abs(Fraction(float(distance)) - root) / root


def points(seed, shape, size=2.0):
    return np.rint(np.random.default_rng(seed).standard_normal(shape) * size / STEP) * STEP


@pytest.mark.parametrize("dimension", [1, 7, 50, 300])
def test_distances_on_the_lattice_are_correctly_rounded_roots_of_exact_squares(dimension):
    a, b = points(1, (6, dimension)), points(2, (40, dimension))
    b[:3] = a[:3] + STEP
    distances = Euclidean(dimension).distances(a, b)
    for i, j in np.ndindex(distances.shape):
        squared = exact_squared(a[i], b[j])
        steps = int(squared * 2**40)
        assert distances[i, j] == math.sqrt(steps) * STEP
        assert relative_error(distances[i, j], squared) <= LATTICE_ERROR


def test_the_batch_makes_no_difference():
    a, b = points(3, (70, 33)), points(4, (90, 33))
    space = Euclidean(33)
    together = space.distances(a, b)
    assert (together == space.distances(b, a).T).all()
    for row in range(0, 70, 13):
        assert (space.distances(a[row : row + 1], b)[0] == together[row]).all()
        assert (space.distances(a[row : row + 3], b[5:6])[:, 0] == together[row : row + 3, 5]).all()


def test_equal_points_are_exactly_zero_apart():
    a = np.random.default_rng(5).standard_normal((50, 100)) * 1e3
    assert (np.diag(Euclidean(100).distances(a, a.copy())) == 0).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(-(2**22), 2**22), min_size=3, max_size=3), min_size=2, max_size=5))
def test_the_error_bound_holds_on_the_lattice(steps):
    table = np.array(steps) * STEP
    space = Euclidean(3)
    bound = space.relative_error(table)
    assert bound == LATTICE_ERROR
    distances = space.distances(table, table)
    for i, j in np.ndindex(distances.shape):
        squared = exact_squared(table[i], table[j])
        assert distances[i, j] == 0 if squared == 0 else relative_error(distances[i, j], squared) <= bound


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=4, max_size=4), min_size=2, max_size=5),
    st.floats(1e-9, 1.0),
)
def test_the_error_bound_holds_for_other_points(rows, nudge):
    table = np.array(rows) + 0.1
    table[1] = table[0] + nudge * 1e-3
    space = Euclidean(4)
    bound = space.relative_error(table)
    distances = space.distances(table, table)
    for i, j in np.ndindex(distances.shape):
        squared = exact_squared(table[i], table[j])
        if squared == 0:
            assert distances[i, j] == 0
        else:
            assert relative_error(distances[i, j], squared) <= bound


def test_the_bound_is_the_small_one_only_where_it_is_true():
    space = Euclidean(2)
    assert space.relative_error(np.array([[1.0, 2.0], [3.0, 4.0]])) == LATTICE_ERROR
    assert space.relative_error(np.array([[0.1, 2.0], [3.0, 4.0]])) > LATTICE_ERROR
    assert space.relative_error(np.array([[64.0, 2.0], [3.0, 4.0]])) > LATTICE_ERROR


def test_the_metric_is_named():
    assert Euclidean(3).metric == "Euclidean distance"
