"""The nearest neighbours of every point: as a brute force in exact arithmetic finds them, ties and all."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from textveil.errors import InvalidInputError
from textveil.vocabulary import neighbours
from textveil.vocabulary.neighbours import nearest_neighbours

STEP = 2.0**-20


def brute(points, k):
    """Whole numbers of steps, so that squares are exact; the lower id first among equals."""
    whole = np.rint(np.asarray(points, dtype=np.float64) / STEP).astype(object)
    ids, squares = [], []
    for row in range(len(whole)):
        found = ((whole - whole[row]) ** 2).sum(axis=1)
        order = sorted((j for j in range(len(whole)) if j != row), key=lambda j: (found[j], j))[:k]
        ids.append(order)
        squares.append([float(found[j]) * STEP**2 for j in order])
    return np.array(ids), np.sqrt(squares)


def quick_brute(points, k):
    """Float64 differences, stable order; exact for these tables."""
    points = np.asarray(points, dtype=np.float64)
    squares = np.array([((points - point) ** 2).sum(axis=1) for point in points])
    np.fill_diagonal(squares, np.inf)
    ids = np.argsort(squares, axis=1, kind="stable")[:, :k]
    return ids, np.sqrt(np.take_along_axis(squares, ids, axis=1))


def lattice(values):
    return np.rint(np.asarray(values, dtype=np.float64) / STEP) * STEP


@settings(max_examples=60, deadline=None)
@given(
    points=st.tuples(st.integers(2, 40), st.integers(1, 3)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.integers(-3, 3).map(float))
    ),
    k=st.integers(1, 6),
    tile=st.integers(1, 9),
    spare=st.integers(1, 4),
)
def test_ties_and_repeated_points_are_in_the_order_of_a_brute_force(points, k, tile, spare):
    k = min(k, len(points) - 1)
    with patch.multiple(neighbours, _TILE=tile, TO_SPARE=spare):
        ids, distances = nearest_neighbours(points, k)
    expected, expected_distances = brute(points, k)
    assert (ids == expected).all()
    assert distances == pytest.approx(expected_distances, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("dimension", "k"), [(3, 1), (40, 20)])
def test_tables_of_several_tiles_agree_with_a_brute_force(dtype, dimension, k):
    generator = np.random.default_rng(dimension)
    points = lattice(generator.standard_normal((1300, dimension))).astype(dtype)
    ids, distances = nearest_neighbours(points, k)
    expected, expected_distances = quick_brute(points, k)
    assert (ids == expected).all()
    assert (distances == expected_distances).all()


def test_points_that_float32_can_not_tell_apart_are_told_apart():
    generator = np.random.default_rng(1)
    points = lattice(5 + STEP * generator.integers(-40, 41, (400, 30)))
    ids, _ = nearest_neighbours(points.astype(np.float32), 3)
    assert (ids == quick_brute(points - 5, 3)[0]).all()


def test_large_values_and_many_copies_of_a_point():
    generator = np.random.default_rng(2)
    points = lattice(1e6 + generator.standard_normal((300, 4)))
    points[100:180] = points[7]
    ids, distances = nearest_neighbours(points, 5)
    assert (ids == brute(points, 5)[0]).all()
    assert (distances[100] == 0).all()


def test_the_answer_does_not_depend_on_threads(monkeypatch):
    points = np.random.default_rng(3).standard_normal((1500, 8))
    answers = []
    for threads in ("1", "4"):
        monkeypatch.setenv("TEXTVEIL_THREADS", threads)
        answers.append(nearest_neighbours(points, 7))
    assert (answers[0][0] == answers[1][0]).all()
    assert (answers[0][1] == answers[1][1]).all()


def test_a_point_may_be_its_own_first_neighbour():
    points = np.array([[0.0], [0.0], [1.0], [5.0]])
    ids, distances = nearest_neighbours(points, 2, include_self=True)
    assert ids.tolist() == [[0, 1], [1, 0], [2, 0], [3, 2]]
    assert distances.tolist() == [[0, 0], [0, 0], [0, 1], [0, 4]]
    assert nearest_neighbours(points, 1, include_self=True)[0].tolist() == [[0], [1], [2], [3]]
    assert nearest_neighbours(points.astype(int), 3)[0].shape == (4, 3)
    points[2] = np.nan
    with pytest.raises(InvalidInputError, match="finite"):
        nearest_neighbours(points, 1, include_self=True)


@pytest.mark.parametrize(
    ("points", "k", "message"),
    [
        (np.zeros((3, 2)), 3, "at most 2"),
        (np.zeros((3, 2)), 0, "k must be"),
        (np.zeros(3), 1, "shape"),
        (np.array([[1.0], [np.nan]]), 1, "finite"),
        (np.array([[1.0], [2.0**33]]), 1, r"below 2\^32"),
        (np.array([["a"], ["b"]]), 1, "real numbers"),
    ],
)
def test_bad_tables_are_refused(points, k, message):
    with pytest.raises(InvalidInputError, match=message):
        nearest_neighbours(points, k)
    with pytest.raises(InvalidInputError, match="at most 3"):
        nearest_neighbours(np.zeros((3, 2)), 4, include_self=True)
