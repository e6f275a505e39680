"""Laws that are computed for many rates at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textveil as tv
from textveil.measure.compare.exponentials import sweep
from textveil.measure.compare.setting import Setting


def laws(setting, swept):
    points = setting.vocabulary.points.astype(float)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    weights = np.exp(-swept.rates[:, None, None] * np.minimum(distances, swept.cut))
    return distances, weights / weights.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("cut", [math.inf, 5.0])
def test_every_number_is_that_of_its_definition_on_the_whole_matrix(setting, cut):
    swept = sweep(setting, cut=cut)
    distances, rows = laws(setting, swept)
    apart = distances > 0
    for place, law in enumerate(rows):
        ratios = np.abs(np.log(law[:, None] / law[None])).max(axis=2)
        assert swept.losses[place] == pytest.approx((ratios[apart] / np.minimum(distances, cut)[apart]).max(), rel=1e-8)
        assert swept.unchanged[place] == pytest.approx(np.diag(law).mean(), rel=1e-12)
        assert swept.running[place] == pytest.approx(np.diag(law) @ setting.frequencies, rel=1e-12)
        best = (setting.frequencies[:, None] * law).max(axis=0).sum()
        assert swept.frequent[place] == pytest.approx(best, rel=1e-12)
        own, other = law[setting.paired], law[setting.neighbours]
        assert swept.pair[place].value == pytest.approx(np.maximum(own, other).sum(axis=1).mean() / 2)
        moved = (own * distances[setting.paired]).sum(axis=1).mean() / setting.usual
        assert swept.moved[place].value == pytest.approx(moved)


def test_of_equally_likely_words_no_attack_names_more_than_stay(setting):
    swept = sweep(setting)
    _, rows = laws(setting, swept)
    for place, law in enumerate(rows):
        assert (law <= np.diag(law) * (1 + 1e-12)).all()
        assert law.max(axis=0).mean() == pytest.approx(swept.unchanged[place], rel=1e-12)


def test_rates_reach_from_little_kept_to_nearly_all(setting):
    swept = sweep(setting)
    assert swept.unchanged[0] < 0.05
    assert swept.unchanged[-1] > 0.98


def test_laws_are_spread_over_what_can_stay_where_words_share_a_point(setting):
    """Of two words at one point half stay at most, however little noise there is."""
    points = np.repeat(setting.vocabulary.points[:60], 2, axis=0)
    pairs = tv.Vocabulary([f"word{i}" for i in range(120)], points, unknown="word0")
    swept = sweep(Setting.of(pairs, setting.sizes))
    assert swept.unchanged[-1] == pytest.approx(0.5, abs=0.01)
    assert swept.rates[-1] < 3 * sweep(setting).rates[-1]
