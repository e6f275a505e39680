"""Who took part."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textveil as tv
from textveil.measure.attacks import membership_attack
from textveil.measure.attacks.membership import advantage_bound


@pytest.fixture(scope="module")
def people():
    vectors = np.random.default_rng(0).standard_normal((2000, 8))
    return vectors[:1000], vectors[1000:]


def test_members_are_recognised_where_nothing_protects_them(people):
    found = membership_attack(people[0], *people)
    assert (found.area, found.advantage, found.recognised) == (1, 1, 1)


def test_others_of_the_same_kind_are_not_told_from_each_other(people):
    """Neither half took part: what is found is chance, by 6 standard deviations."""
    fresh = np.random.default_rng(1).standard_normal((500, 8))
    found = membership_attack(fresh, *people)
    assert abs(found.area - 0.5) < 6 / math.sqrt(12 * 500)
    assert abs(found.advantage) < 6 * math.sqrt(0.5 / 500)
    assert found.recognised < 0.06


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_a_bounded_loss_bounds_the_advantage(people, epsilon):
    noise = tv.PrivUnit(epsilon=epsilon, dimension=8, clip=2.0)
    released = noise.release(people[0], source=tv.RandomSource.seeded(2))
    found = membership_attack(released, *people)
    assert found.advantage < advantage_bound(epsilon) + 6 * math.sqrt(0.5 / 500)
    assert advantage_bound(epsilon) == pytest.approx((math.exp(epsilon) - 1) / (math.exp(epsilon) + 1))


def test_more_noise_hides_members_better(people):
    areas = [
        membership_attack(
            tv.Laplace(epsilon=epsilon, dimension=8).release(people[0], source=tv.RandomSource.seeded(3)), *people
        ).area
        for epsilon in (50.0, 10.0, 0.1)
    ]
    assert areas[0] > 0.95
    assert areas[0] > areas[1] > areas[2]
    assert areas[2] < 0.6


def test_too_few_are_refused(people):
    with pytest.raises(tv.InvalidInputError, match="at least 4"):
        membership_attack(people[0][:3], *people)
