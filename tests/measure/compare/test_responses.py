"""Public responses among words, computed without a release."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.compare.responses import Responses


@pytest.mark.parametrize("loss", [0.5, 2.0, 6.0])
def test_the_numbers_are_those_of_the_mechanism(setting, loss):
    found = Responses(setting).at(loss)
    points = setting.vocabulary.points.astype(float)
    mechanism = tv.PublicResponse(tv.Candidates(points), epsilon=loss, nearest=found.near)
    law = mechanism.transition_rows(points)
    assert found.unchanged.value == pytest.approx(np.diag(law).mean(), rel=1e-9)
    assert found.naming.value == pytest.approx(law.max(axis=0).mean(), rel=1e-9)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    own, other = law[setting.paired], law[setting.neighbours]
    moved = (own * distances[setting.paired]).sum(axis=1).mean() / setting.usual
    assert found.moved.value == pytest.approx(moved, rel=1e-9)
    assert found.pair.value == pytest.approx(np.maximum(own, other).sum(axis=1).mean() / 2, rel=1e-9)


def test_with_one_near_word_half_of_the_words_stay_at_the_logarithm_of_the_others(setting):
    others = len(setting.vocabulary) - 1
    found = Responses(setting).at(np.log(others), near=1)
    assert found.near == 1
    assert found.unchanged.value == pytest.approx(0.5)
    assert found.pair.value == pytest.approx(0.5 + 0.25 * (others - 1) / others)


def test_no_other_number_of_near_words_moves_them_less(setting):
    found = Responses(setting).at(3.0)
    points = setting.vocabulary.points.astype(float)
    distances = np.linalg.norm(points[:, None] - points, axis=2)[setting.paired]
    for near in (1, 5, 30, 100):
        law = tv.PublicResponse(tv.Candidates(points), epsilon=3.0, nearest=near).transition_rows(points)
        assert (law[setting.paired] * distances).sum(axis=1).mean() / setting.usual >= found.moved.value - 1e-9
