"""Static and adaptive attacks on released words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import textveil as tv
from textveil.measure.attacks import adaptive_attack, best_attack, static_attack
from textveil.mechanisms.words import WordMechanism


@dataclass(frozen=True, eq=False)
class NextWord(WordMechanism):
    """Releases every word as the next of the table: nothing is private, and nothing stays as it is."""

    vocabulary: tv.Vocabulary

    @property
    def guarantee(self):
        return tv.Exponential(self.vocabulary, epsilon=1.0).guarantee

    def spec(self):
        return {"mechanism": "NextWord"}

    def _sample(self, items, streams):
        return (items + 1) % len(self.vocabulary)


def test_the_static_attack_counts_words_that_stay():
    found = static_attack(np.array([1, 2, 3, 4]), np.array([1, 0, 3, 4]))
    assert (found.right, found.made, found.success) == (3, 4, 0.75)
    low, high = found.interval()
    assert low < 0.75 < high
    with pytest.raises(tv.InvalidInputError, match="as many"):
        static_attack(np.array([1]), np.array([1, 2]))


def test_the_adaptive_attack_learns_what_the_static_one_can_not_see(tree):
    mechanism = NextWord(tree)
    words = np.arange(len(tree))
    assert static_attack(words, mechanism.release_ids(words)).success == 0
    found = adaptive_attack(mechanism, trained_on=5000, tested_on=1000, source=tv.RandomSource.seeded(1))
    assert found.success == 1


@pytest.mark.parametrize("kind", ["seeded", "keyed"])
def test_the_adaptive_attack_comes_near_the_best_one_and_never_passes_it(tree, kind):
    source = tv.RandomSource.seeded(3) if kind == "seeded" else tv.RandomSource.keyed(bytes(range(32)))
    mechanism = tv.Exponential(tree, epsilon=1.5)
    prior = np.arange(1.0, len(tree) + 1) ** 2
    best = best_attack(mechanism, prior=prior).success
    found = adaptive_attack(mechanism, prior=prior, trained_on=200_000, tested_on=40_000, source=source)
    # A false alarm has chance 1e-6 on either side.
    low, high = found.interval(1 - 2e-6)
    assert low <= best
    assert high > 0.9 * best
    assert low > 1.3 * best_attack(tv.Exponential(tree, epsilon=0.75), prior=prior).success
