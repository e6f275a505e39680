"""Clipping: no vector is left outside the ball, by exact arithmetic, and short ones are not touched."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from textveil.noise.clipping import clipped


def is_inside(vector, radius, order):
    return sum(abs(Fraction(float(x))) ** order for x in vector) <= Fraction(radius) ** order


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("radius", [1e-100, 0.3, 1e100])
def test_no_vector_of_any_size_is_left_outside(order, radius):
    random = np.random.default_rng(0)
    together, apart = random.uniform(-304, 307, size=(100, 1)), random.uniform(-307, 307, size=(100, 5))
    near = np.log10(radius) + random.uniform(-2, 2, size=(100, 5))
    for sizes in (together - random.uniform(0, 3, size=(100, 5)), apart, near):
        vectors = random.choice([-1.0, 1.0], size=(100, 5)) * 10**sizes
        for vector, kept in zip(vectors, clipped(vectors, radius, order=order), strict=True):
            assert is_inside(kept, radius, order)
            assert np.array_equal(kept, vector) or not is_inside(kept, radius * (1 - 1e-11), order)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("dimension", [3, 32, 500])
def test_vectors_on_the_border_stay_within_it_by_exact_arithmetic(order, dimension):
    vectors = np.random.default_rng(0).normal(size=(60, dimension))
    for layout in (vectors, np.asfortranarray(vectors)):
        assert all(is_inside(kept, 0.7, order) for kept in clipped(layout, 0.7, order=order))


def test_short_vectors_are_not_touched_and_long_ones_keep_their_direction():
    vectors = np.array([[0.0, 0.0], [0.3, -0.4], [5e-324, 0.0], [3e300, -4e300], [3e-5, 4e307]])
    kept = clipped(vectors, 1.0, order=2)
    assert np.array_equal(kept[:3], vectors[:3])
    assert kept[3:] == pytest.approx(np.array([[0.6, -0.8], [0.0, 1.0]]), abs=1e-11)
    assert clipped(vectors, 0.35, order=1)[1] == pytest.approx([0.15, -0.2], rel=1e-11)
