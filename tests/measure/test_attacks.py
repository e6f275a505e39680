"""The best attack, and what the guarantee says about it."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure import passes
from textveil.measure.attacks import best_attack


def test_the_best_attack_is_the_bayes_attack(tree, monkeypatch):
    mechanism = tv.Exponential(tree, epsilon=1.0)
    law = mechanism.transition_matrix()
    prior = np.random.default_rng(0).exponential(size=len(tree))
    monkeypatch.setattr(passes, "_ENTRIES_A_BLOCK", 700)
    attack = best_attack(mechanism, prior=prior)
    prior /= prior.sum()
    assert attack.success == pytest.approx((prior[:, None] * law).max(axis=0).sum(), rel=1e-12)
    assert attack.blind == pytest.approx(prior.max())
    guess = (prior[:, None] * law).argmax(axis=0)
    rng = np.random.default_rng(1)
    words = rng.choice(len(tree), p=prior, size=200_000)
    hits = (guess[mechanism.release_ids(words, source=tv.RandomSource.seeded(2))] == words).mean()
    # Five standard deviations and a half: a false alarm has chance 4e-8.
    assert abs(hits - attack.success) < 5.5 * np.sqrt(0.25 / 200_000)
    assert abs(hits - 1.3 * attack.success) > 5.5 * np.sqrt(0.25 / 200_000)


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.6, 3.0])
def test_the_guarantee_bounds_every_attack(tree, epsilon):
    mechanism = tv.Exponential(tree, epsilon=epsilon)
    for prior in (None, np.arange(1.0, len(tree) + 1), np.eye(1, len(tree), 7)[0]):
        attack = best_attack(mechanism, prior=prior)
        assert attack.blind <= attack.success * (1 + 1e-9)
        assert attack.success <= attack.bound * (1 + 1e-9)
    if epsilon == 0.05:
        assert best_attack(mechanism).bound < 0.02


def test_a_radius_makes_it_a_bound_for_any_pair(clustered):
    """T17: the loss never passes epsilon x radius, so no attack passes e^(epsilon radius) times the prior."""
    attack = best_attack(tv.Exponential(clustered, epsilon=0.5, radius=4.0))
    assert attack.bound == pytest.approx(np.exp(2.0) / 600, rel=1e-9)
    assert attack.success <= attack.bound
    assert "passes" in str(attack)


def test_without_a_law_there_is_only_the_bound(tree):
    attack = best_attack(tv.NearestWord(tree, tv.HyperbolicLaplace(epsilon=1.5, dimension=2)))
    assert attack.success is None
    assert attack.bound == 1.0
    assert "does not exclude" in str(attack)
    refuted = tv.HyperbolicLaplace(epsilon=1.0, dimension=2, variant="published", margin=-1e-4)
    assert best_attack(tv.NearestWord(tree, refuted)).bound is None
