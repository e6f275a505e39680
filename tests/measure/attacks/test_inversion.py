"""Undoing noise by regression."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.attacks import invert


@pytest.fixture(scope="module")
def originals():
    rng = np.random.default_rng(0)
    return rng.standard_normal((2000, 3)) @ rng.standard_normal((3, 12)) + 5


def test_a_linear_map_is_undone(originals):
    turned = originals @ np.random.default_rng(1).standard_normal((12, 20)) - 3
    attack = invert(turned[:1000], originals[:1000])
    assert attack.explained(turned[1000:], originals[1000:]) > 0.999


def test_noise_that_drowns_the_vectors_leaves_nothing(originals):
    noise = np.random.default_rng(2).standard_normal((2000, 12))
    attack = invert(noise[:1000], originals[:1000])
    assert attack.explained(noise[1000:], originals[1000:]) < 0.05


def test_the_attack_comes_nearer_than_the_release_itself(originals):
    """Vectors near a plane of 3 of 12 dimensions: three quarters of the noise can be taken away."""
    released = tv.Laplace(epsilon=3.0, dimension=12).release(originals, source=tv.RandomSource.seeded(1))
    attack = invert(released[:1000], originals[:1000])
    missed = np.square(attack(released[1000:]) - originals[1000:]).sum()
    assert missed < 0.5 * np.square(released[1000:] - originals[1000:]).sum()


def test_too_few_pairs_are_refused(originals):
    with pytest.raises(tv.InvalidInputError, match="at least 10 pairs"):
        invert(originals[:9], originals[:9])
