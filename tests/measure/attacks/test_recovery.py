"""Which of many vectors it was."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.attacks import recovered_chances, recovery


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).standard_normal((300, 6))


def test_chances_are_those_of_all_distances(points, monkeypatch):
    monkeypatch.setattr(recovery, "_DISTANCES_A_BLOCK", 2000)
    rng = np.random.default_rng(1)
    truth = rng.integers(300, size=50)
    released = points[truth] + rng.standard_normal((50, 6))
    distances = np.linalg.norm(released[:, None] - points, axis=2)
    expected = (distances < distances[np.arange(50), truth][:, None]).sum(axis=1)
    for among in (1, 10):
        chances = recovered_chances(released, points, truth, among=among)
        assert chances.tolist() == (expected < among).tolist()


def test_equal_candidates_share_their_chance(points):
    table = np.zeros((4, 2))
    for among, chance in ((1, 0.25), (3, 0.75), (9, 1.0)):
        assert recovered_chances(np.ones((1, 2)), table, np.array([2]), among=among).tolist() == [chance]
    twice = np.concatenate([points, points])
    assert recovered_chances(twice, twice, np.arange(600)).mean() == 0.5


def test_without_noise_all_is_recovered_and_with_much_noise_nothing(points):
    truth = np.arange(300)
    assert recovered_chances(points, points, truth).mean() == 1
    far = tv.Laplace(epsilon=0.01, dimension=6).release(points, source=tv.RandomSource.seeded(1))
    # Chance is 1 in 300: with 300 tries more than 12 hits have a chance below 1e-9.
    assert recovered_chances(far, points, truth).mean() <= 12 / 300


def test_what_is_known_before_helps_the_attacker(points):
    """The posterior of Laplace noise and a prior names more than the nearest vector does."""
    epsilon, runs = 1.0, 20_000
    prior = np.exp(-np.arange(300) / 20)
    prior /= prior.sum()
    truth = np.random.default_rng(2).choice(300, p=prior, size=runs)
    noise = tv.Laplace(epsilon=epsilon, dimension=6)
    released = noise.release(points[truth], source=tv.RandomSource.seeded(3))
    plain = recovered_chances(released, points, truth).mean()
    informed = recovered_chances(released, points, truth, likelihood=lambda far: np.log(prior) - epsilon * far).mean()
    # Six standard deviations of the difference of two shares: a false alarm has chance 1e-9.
    assert informed - plain > 6 * np.sqrt(0.5 / runs)


def test_shapes_that_do_not_fit_are_refused(points):
    with pytest.raises(tv.InvalidInputError, match="as many numbers"):
        recovered_chances(points[:, :3], points, np.arange(300))
