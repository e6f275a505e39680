"""What is public about a vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.compare.setting import Setting, Sizes, ladder, spread_over


def test_radius_and_neighbours_are_those_of_all_distances(words):
    setting = Setting.of(words, Sizes(pairs=len(words)))
    distances = np.linalg.norm(words.points[:, None] - words.points.astype(float), axis=2)
    np.fill_diagonal(distances, np.inf)
    assert setting.neighbours.tolist() == distances.argmin(axis=1).tolist()
    assert setting.radius == pytest.approx(np.median(distances.min(axis=1)))
    assert setting.farthest == pytest.approx(distances[np.isfinite(distances)].max())
    assert setting.frequencies.sum() == pytest.approx(1)
    assert (np.diff(setting.frequencies) < 0).all()
    assert setting.running[0] == 0
    assert np.bincount(setting.running)[0] > np.bincount(setting.running)[-1]


def test_epsilons_are_round_and_their_losses_cover_the_range():
    rungs = ladder(5.0)
    assert {10.0, 15.0, 20.0} <= set(rungs)
    assert 0.5 <= 5 * rungs[0] < 1
    assert 75 < 5 * rungs[-1] <= 150
    assert spread_over(10, 3).tolist() == [0, 4, 9]
    assert spread_over(2, 9).tolist() == [0, 1]


def test_a_table_without_two_points_is_refused():
    with pytest.raises(tv.InvalidInputError, match="at least 8 words"):
        Setting.of(tv.Vocabulary(["a", "b"], np.eye(2)), Sizes())
    same = tv.Vocabulary([f"w{i}" for i in range(9)], np.ones((9, 2)))
    with pytest.raises(tv.InvalidInputError, match="different points"):
        Setting.of(same, Sizes())
