"""Telling one of two words from the other."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.attacks import pair_attack, pair_bound

# Five standard deviations and a half: a false alarm has chance 4e-8.
SPREAD = 5.5


def test_the_best_attack_on_a_pair_is_that_of_its_definition_and_can_be_carried_out(tree):
    mechanism = tv.Exponential(tree, epsilon=1.0)
    law = mechanism.transition_matrix()
    first, second = np.array([1, 5]), np.array([2, 30])
    success = pair_attack(mechanism, first, second)
    for one, other, chance in zip(first, second, success, strict=True):
        assert chance == pytest.approx(np.maximum(law[one], law[other]).sum() / 2, rel=1e-12)
    runs = 100_000
    truth = np.tile([1, 2], runs // 2)
    released = mechanism.release_ids(truth, source=tv.RandomSource.seeded(1))
    hits = (np.where(law[1, released] >= law[2, released], 1, 2) == truth).mean()
    assert abs(hits - success[0]) < SPREAD * 0.5 / np.sqrt(runs)
    assert abs(hits - pair_attack(tv.Exponential(tree, epsilon=1.3), first, second)[0]) > SPREAD * 0.5 / np.sqrt(runs)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_the_guarantee_bounds_the_attack_on_every_pair(tree, epsilon):
    mechanism = tv.Exponential(tree, epsilon=epsilon)
    first, second = (ids[::7] for ids in np.triu_indices(len(tree), 1))
    distances = tree.space.distances(*[tree.block(0, len(tree))] * 2)[first, second]
    success = pair_attack(mechanism, first, second)
    bounds = np.array([pair_bound(mechanism.guarantee.loss(distance)) for distance in distances])
    assert (success >= 0.5 - 1e-12).all()
    assert (success <= bounds + 1e-12).all()
