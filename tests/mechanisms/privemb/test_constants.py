"""Tail bounds with explicit constants, against the values of an independent computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from textveil.mechanisms.privemb.constants import (
    gaussian_norm,
    gaussian_stretch,
    haar_stretch,
    stretch_before_drawing,
    width_stretch,
)
from textveil.mechanisms.privemb.projections import projection_of

# delta = 1e-6, d = 300: (m, points, Gaussian, Haar scaled by sqrt(d / m))
GOLDEN = [
    (50, 10_000, 1.824, 1.656),
    (50, 73_404, 1.884, 1.695),
    (50, 400_000, 1.932, 1.725),
    (50, 2_196_000, 1.978, 1.754),
    (100, 10_000, 1.571, 1.383),
    (100, 73_404, 1.612, 1.404),
    (100, 400_000, 1.645, 1.420),
    (100, 2_196_000, 1.676, 1.435),
    (200, 10_000, 1.397, 1.160),
    (200, 73_404, 1.425, 1.166),
    (200, 400_000, 1.448, 1.171),
    (200, 2_196_000, 1.469, 1.175),
]


@pytest.mark.parametrize(("target", "points", "gaussian", "haar"), GOLDEN)
def test_the_table_of_constants(target, points, gaussian, haar):
    pairs = math.comb(points, 2)
    assert gaussian_stretch(target, pairs, 1e-6) == pytest.approx(gaussian, abs=6e-4)
    assert haar_stretch(target, 300, pairs, 1e-6) * math.sqrt(300 / target) == pytest.approx(haar, abs=6e-4)


@pytest.mark.parametrize(("target", "gordon", "norm"), [(50, 2.754, 4.193), (100, 2.242, 3.258), (200, 1.878, 2.596)])
def test_gordons_bound_and_the_bound_for_all_of_space(target, gordon, norm):
    width = math.sqrt(2 * math.log(2 * math.comb(400_000, 2)))
    assert width_stretch(target, width, 1e-6) == pytest.approx(gordon, abs=6e-4)
    assert gaussian_norm(target, 300, 1e-6) == pytest.approx(norm, abs=6e-4)


@pytest.mark.parametrize("name", ["gaussian", "haar"])
def test_the_chance_of_a_larger_stretch_is_delta(name):
    """1,500 draws, one pair, delta = .1: 150 +- 5.5 x 11.6 (1e-7); a constant that is 1.3 times too small fails."""
    direction = np.full(12, 1 / math.sqrt(12))
    stretches = np.array(
        [np.linalg.norm(projection_of(name, 12, 5, seed=seed, table=None).matrix @ direction) for seed in range(1500)]
    )
    bound = stretch_before_drawing(name, 5, 12, delta=0.1, points=2, width=None)
    assert abs((stretches > bound).sum() - 150) < 64
    assert abs((stretches > bound / 1.3).sum() - 150) > 64


def test_the_bound_for_all_of_space_holds_for_haar_and_identity():
    assert stretch_before_drawing("haar", 5, 5, delta=0.1, points=9, width=None) == pytest.approx(1.0, abs=1e-4)
    for seed in range(20):
        projection = projection_of("haar", 40, 9, seed=seed, table=None)
        bound = stretch_before_drawing("haar", 9, 40, delta=0.1, points=None, width=None)
        assert projection.operator_norm <= bound
