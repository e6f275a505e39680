"""Gaussian widths: formulas against known values, bounds on the right side, and what the paper says of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.spaces.widths import (
    WidthKind,
    width_of_ball,
    width_of_l1_ball,
    width_of_points,
    width_of_secants,
    width_of_simplex,
    width_of_sparse,
    width_of_sparse_secants,
)


def classical_sparse_bound(dimension, sparsity):
    return math.sqrt(sparsity) + math.sqrt(2 * math.log(math.comb(dimension, sparsity)))


@pytest.mark.parametrize(
    ("found", "known"),
    [
        (width_of_ball(1), math.sqrt(2 / math.pi)),
        (width_of_ball(2, radius=3.0), 3 * math.sqrt(math.pi / 2)),
        (width_of_ball(3), 2 * math.sqrt(2 / math.pi)),
        (width_of_simplex(1), 0.0),
        (width_of_simplex(2), 1 / math.sqrt(math.pi)),
        (width_of_simplex(3), 1.5 / math.sqrt(math.pi)),
        (width_of_simplex(10), 1.5387527308),
        (width_of_simplex(1000), 3.2414357691),
        (width_of_l1_ball(1), math.sqrt(2 / math.pi)),
        (width_of_l1_ball(2, radius=0.5), 1 / math.sqrt(math.pi)),
    ],
)
def test_exact_widths_have_their_known_values(found, known):
    assert found.value == pytest.approx(known, abs=1e-9)
    assert found.lower == found.value == found.upper
    assert found.kind is WidthKind.EXACT


def test_the_ball_has_the_same_width_from_the_formula_and_from_the_series():
    for d in (9_999, 10_001, 10**9):
        # E|g_d| E|g_(d+1)| = d for all d.
        assert width_of_ball(d).value * width_of_ball(d + 1).value == pytest.approx(d, rel=1e-10)


@pytest.mark.parametrize(("p", "square"), [(10, 2.368), (1000, 10.507)])
def test_the_squared_width_of_p_points_can_exceed_log_p(p, square):
    """The paper has w(X)^2 <= log p; p unit vectors at right angles are a counterexample, and sqrt(2 ln p) a bound."""
    width = width_of_simplex(p).value
    assert width**2 == pytest.approx(square, abs=1e-3)
    assert width**2 > math.log(p)
    bound = width_of_points(np.eye(p))
    assert bound.lower < width < bound.upper <= math.sqrt(2 * math.log(p))


def test_the_published_width_of_sparse_vectors_is_too_small():
    """The paper has w = sqrt(c log(d / c)): nothing at c = d, where the set is the whole ball."""
    for d, c in [(300, 1), (300, 20), (300, 150), (300, 300)]:
        assert width_of_sparse(d, c).lower > math.sqrt(c * math.log(d / c))


@pytest.mark.parametrize(("d", "k"), [(300, 1), (300, 20), (300, 299), (40, 7)])
def test_the_width_of_sparse_vectors_lies_between_its_bounds(d, k):
    width = width_of_sparse(d, k)
    largest = np.sort(np.random.default_rng(1).normal(size=(4000, d)) ** 2, axis=1)[:, -k:]
    # A 1-Lipschitz function of g: the mean of n draws is within sqrt(2 ln(2e6) / n) of its own mean but once in 1e6.
    reach = math.sqrt(2 * math.log(2e6) / 4000)
    seen = np.sqrt(largest.sum(axis=1)).mean()
    assert width.lower - reach <= seen <= width.upper + reach
    assert not width.lower - reach <= 1.3 * seen <= width.upper + reach
    assert width.upper - width.lower <= 1 / width.lower
    assert width.upper <= classical_sparse_bound(d, k)


def test_the_bounds_for_sparse_vectors_are_close_where_the_classical_one_is_not():
    width = width_of_sparse(300, 20)
    assert (width.lower, width.upper) == pytest.approx((9.996, 10.084), abs=5e-4)
    assert classical_sparse_bound(300, 20) == pytest.approx(16.4, abs=0.05)


@pytest.mark.parametrize("d", [2, 300, 10**6, 10**9])
def test_sparse_vectors_with_one_entry_are_the_corners_of_the_l1_ball(d):
    exact = width_of_l1_ball(d).value
    width = width_of_sparse(d, 1)
    assert width.lower <= exact <= width.upper
    assert width.upper <= 1.12 * exact


def test_secants_of_sparse_vectors_have_twice_as_many_entries():
    assert width_of_sparse_secants(300, 10) == width_of_sparse(300, 20)
    assert width_of_sparse_secants(300, 200) == width_of_ball(300)


def test_the_width_of_points_scales_and_that_of_their_secants_does_not():
    """What Lemma 4 of the paper needs is the second."""
    points = np.random.default_rng(2).normal(size=(50, 8))
    assert width_of_points(points / 1000).upper == pytest.approx(width_of_points(points).upper / 1000)
    assert width_of_points(points + 5).upper == pytest.approx(width_of_points(points).upper)
    assert width_of_secants(*points.shape).upper == pytest.approx(width_of_ball(8).value)


def test_one_point_has_no_width():
    assert width_of_points([[3.0, 4.0]]).upper == 0


def test_bad_input_is_refused():
    for call in [
        lambda: width_of_ball(0),
        lambda: width_of_l1_ball(3, radius=-1.0),
        lambda: width_of_sparse(10, 0),
        lambda: width_of_secants(1, 5),
        lambda: width_of_points([1.0, 2.0]),
        lambda: width_of_points(np.empty((0, 3))),
        lambda: width_of_points([[1.0, math.nan]]),
    ]:
        with pytest.raises(InvalidInputError):
            call()
