"""Simulated widths hold the exact ones, and look at every secant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.measure import widths
from textveil.measure.widths import estimate_secant_width, estimate_width
from textveil.spaces.widths import WidthKind, width_of_secants, width_of_simplex


def holds(width, exact):
    return width.lower <= exact <= width.upper


@pytest.mark.parametrize("p", [2, 10, 700])
def test_the_interval_holds_the_exact_width(p):
    exact = width_of_simplex(p).value
    width = estimate_width(np.eye(p))
    assert width.kind is WidthKind.ESTIMATE
    assert holds(width, exact)
    assert not holds(estimate_width(1.3 * np.eye(p), draws=20_000 if p == 2 else 1000), exact)


def test_moving_the_points_changes_nothing():
    points = np.random.default_rng(0).normal(size=(100, 6))
    here, there = estimate_width(points), estimate_width(points + 1000.0)
    assert there.value == pytest.approx(here.value, rel=1e-9)
    assert there.upper == pytest.approx(here.upper, rel=1e-9)


def test_secants_of_unit_vectors_have_their_exact_width():
    """(e_i - e_j) / sqrt 2 has the supremum (max g - min g) / sqrt 2."""
    exact = math.sqrt(2) * width_of_simplex(30).value
    width = estimate_secant_width(np.eye(30))
    assert holds(width, exact)
    assert not holds(width, 1.3 * exact)


def test_every_secant_is_looked_at_once_and_equal_points_have_none(monkeypatch):
    points = np.random.default_rng(1).normal(size=(40, 3))
    points[7] = points[21]
    normals = widths._normals(5, 3, seed=4)
    i, j = np.nonzero(np.linalg.norm(points[:, None] - points[None], axis=2) > 0)
    secants = points[i] - points[j]
    secants /= np.linalg.norm(secants, axis=1)[:, None]
    brute = (secants @ normals.T).max(axis=0).mean()
    for rows in (512, 9):
        monkeypatch.setattr(widths, "_ROWS", rows)
        assert estimate_secant_width(points, draws=5, seed=4).value == pytest.approx(brute, rel=1e-12)


def test_some_of_many_points_give_a_lower_bound_only():
    points = np.random.default_rng(2).normal(size=(300, 20))
    part = estimate_secant_width(points, most_points=50)
    full = estimate_secant_width(points)
    assert part.value < full.value
    assert part.lower < full.upper
    assert part.upper == width_of_secants(300, 20).upper


def test_the_seed_is_public_and_decides_the_estimate():
    points = np.eye(4)
    assert estimate_width(points, seed=1) == estimate_width(points, seed=1)
    assert estimate_width(points, seed=1) != estimate_width(points, seed=2)


def test_bad_input_is_refused():
    for call in [
        lambda: estimate_width(np.eye(3), draws=0),
        lambda: estimate_width(np.eye(3), confidence=1.0),
        lambda: estimate_secant_width(np.ones((5, 2))),
        lambda: estimate_secant_width(np.eye(3), most_points=1),
        lambda: estimate_secant_width([[1.0, 2.0]]),
    ]:
        with pytest.raises(InvalidInputError):
            call()
