"""Polar coordinates of hyperbolic space: conversions, the isometry that moves the origin, the maps at a point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.spaces import Poincare
from textveil.spaces.hyperbolic import LARGEST_NORM, Polar, distance, translate, walk, way


def polar(seed, count, dimension, farthest):
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((count, dimension))
    return Polar(rng.uniform(0, farthest, count), directions / np.linalg.norm(directions, axis=1)[:, None])


vectors = st.lists(st.floats(-4, 4), min_size=3, max_size=3)


@settings(max_examples=200, deadline=None)
@given(vectors, vectors, vectors)
def test_translation_is_an_isometry_and_undone_by_its_opposite(base, first, second):
    base, a, b = Polar.of_tangents(base), Polar.of_tangents(first), Polar.of_tangents(second)
    moved_a, moved_b = translate(base, a), translate(base, b)
    apart = distance(a, b)
    # Directions are rounded to 1e-16, which is 1e-16 e^r / 2 at distance r.
    blur = 1e-15 * np.exp(max(moved_a.radius[0], moved_b.radius[0]))
    assert np.allclose(distance(moved_a, moved_b), apart, rtol=1e-12, atol=blur)
    assert np.allclose(distance(translate(-base, moved_a), a), 0, atol=2 * blur)


@pytest.mark.parametrize("dimension", [1, 2, 10, 100])
def test_a_point_at_distance_r_comes_to_lie_at_distance_r_from_the_base(dimension):
    base, noise = polar(1, 3000, dimension, 8.0), polar(2, 3000, dimension, 12.0)
    moved = translate(base, noise)
    assert np.abs(distance(moved, base) - noise.radius).max() < 1e-12
    assert np.allclose(np.linalg.norm(moved.direction, axis=1), 1, rtol=0, atol=1e-15)


def test_translation_is_that_of_the_hyperboloid():
    """Against the textbook's boost, where it has digits."""
    base, points = polar(3, 500, 4, 4.0), polar(4, 500, 4, 4.0)
    t, u, r, w = base.radius[:, None], base.direction, points.radius[:, None], points.direction
    c = (w * u).sum(axis=1, keepdims=True)
    time = np.cosh(t) * np.cosh(r) + np.sinh(t) * np.sinh(r) * c
    space = (np.sinh(t) * np.cosh(r) + np.cosh(t) * np.sinh(r) * c) * u + np.sinh(r) * (w - c * u)
    assert np.allclose(translate(base, points).hyperboloid(), np.hstack([time, space]), rtol=1e-10, atol=1e-10)


def test_far_points_neither_overflow_nor_vanish():
    base = Polar.of_tangents([[3.0, 0.0]] * 3)
    far = Polar(np.array([40.0, 700.0, 5000.0]), np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    moved = translate(base, far)
    assert np.allclose(moved.radius[:2], [43, 697], rtol=1e-14)
    assert np.allclose(distance(moved, base), far.radius, rtol=1e-14)
    assert np.isfinite(moved.ball()).all()
    assert (np.linalg.norm(moved.ball(), axis=1) <= LARGEST_NORM * (1 + 1e-15)).all()


@settings(max_examples=200, deadline=None)
@given(vectors, vectors)
def test_the_ways_and_walks_of_a_point_undo_each_other(base, tangent):
    base = Polar.of_tangents(base)
    there = walk(base, [tangent])
    assert np.allclose(distance(there, base), np.linalg.norm(tangent), rtol=1e-12, atol=1e-15 * np.exp(base.radius))
    assert np.allclose(way(base, there), [tangent], rtol=0, atol=1e-13 * np.exp(there.radius[0]))


def test_the_three_models_agree():
    points = polar(5, 300, 6, 9.0)
    for again in (Polar.of_ball(points.ball()), Polar.of_hyperboloid(points.hyperboloid())):
        assert np.allclose(again.radius, points.radius, rtol=1e-12, atol=1e-12)
        assert np.allclose(again.direction, points.direction, rtol=0, atol=1e-15)
    assert np.allclose(Polar.of_tangents(points.tangents()).radius, points.radius, rtol=1e-15)
    time, *space = points.hyperboloid().T
    assert np.allclose(np.array(space).T / (1 + time)[:, None], points.ball(), rtol=1e-12)


def test_distances_are_those_of_the_ball():
    a, b = polar(6, 200, 5, 9.0), polar(7, 200, 5, 9.0)
    in_ball = Poincare(5).distances(a.ball(), b.ball()).diagonal()
    assert np.allclose(distance(a, b), in_ball, rtol=0, atol=1e-10)


def test_a_small_step_in_the_ball_is_stretched_by_the_metric():
    x, step = np.array([[0.3, -0.6]]), np.array([[1e-7, 2e-7]])
    stretched = step * 2 / (1 - (x**2).sum())
    assert np.allclose(way(Polar.of_ball(x), Polar.of_ball(x + step)), stretched, rtol=1e-6)


def test_the_origin_has_a_direction_and_the_boundary_is_refused():
    assert Polar.of_ball([[0.0, 0.0]]).direction.tolist() == [[1.0, 0.0]]
    for bad in ([1.0, 0.0], [0.8, 0.7], [np.nan, 0.0]):
        with pytest.raises(InvalidInputError, match="norm < 1"):
            Polar.of_ball([bad])
