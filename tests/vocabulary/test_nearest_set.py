"""The nearest few of a table: exact, the lower row first among equals, whatever the batch."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.vocabulary.nearest_set import NearestSet


def lattice(rng, *shape):
    return np.rint(rng.normal(size=shape) * 2**20) / 2**20


def brute(points, queries, count):
    squares = ((queries[:, None].astype(np.float64) - points[None].astype(np.float64)) ** 2).sum(axis=2)
    return np.argsort(squares, axis=1, kind="stable")[:, :count]


@pytest.mark.parametrize("count", [1, 5, 60, 299, 300])
def test_it_agrees_with_comparing_all(count):
    rng = np.random.default_rng(count)
    points, queries = lattice(rng, 300, 7), lattice(rng, 40, 7)
    assert (NearestSet(points, count).nearest(queries) == brute(points, queries, count)).all()


def test_ties_go_to_the_lower_row_where_single_precision_sees_none():
    rng = np.random.default_rng(1)
    points = np.repeat(lattice(rng, 60, 384), 10, axis=0)[rng.permutation(600)]
    queries = np.concatenate([points[:5], lattice(rng, 5, 384)])
    assert (NearestSet(points, 7).nearest(queries) == brute(points, queries, 7)).all()


def test_points_that_differ_by_one_step_are_told_apart():
    rng = np.random.default_rng(2)
    points = np.tile(lattice(rng, 1, 384), (200, 1))
    points[np.arange(200), np.arange(200)] += rng.permutation(200) * 2.0**-20
    answers = NearestSet(points.astype(np.float32), 20).nearest(points[:1] * 1.0)
    assert (answers == brute(points.astype(np.float32), points[:1], 20)).all()


def test_an_answer_does_not_depend_on_the_batch():
    rng = np.random.default_rng(3)
    search = NearestSet(lattice(rng, 5000, 16).astype(np.float32), 30)
    queries = rng.normal(size=(600, 16))
    together = search.nearest(queries)
    for row in (0, 255, 256, 599):
        assert (search.nearest(queries[[row]])[0] == together[row]).all()


@pytest.mark.parametrize("size", [1e30, 1e160, 1e308])
def test_queries_far_away_are_answered(size):
    rng = np.random.default_rng(4)
    answers = NearestSet(lattice(rng, 100, 3), 5).nearest(np.full((2, 3), size))
    assert answers.shape == (2, 5)
    assert len(set(answers[0])) == 5
    assert (answers[0] == answers[1]).all()


def test_no_queries_and_too_many_wanted():
    points = np.zeros((4, 2))
    assert NearestSet(points, 2).nearest(np.empty((0, 2))).shape == (0, 2)
    with pytest.raises(InvalidInputError, match="at most 4"):
        NearestSet(points, 5)
