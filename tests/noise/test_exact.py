from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.noise import exact, karney
from textveil.noise.exact import discrete_gaussian, rounded_normal


def discrete_law(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    values = np.arange(-int(12 * sigma) - 1, int(12 * sigma) + 2)
    weights = np.exp(-(values**2) / (2 * sigma**2))
    return values, weights / weights.sum()


def rounded_law(sigma: float) -> tuple[np.ndarray, np.ndarray]:
    values = np.arange(-int(12 * sigma) - 1, int(12 * sigma) + 2)
    return values, stats.norm.cdf((values + 0.5) / sigma) - stats.norm.cdf((values - 0.5) / sigma)


@pytest.mark.parametrize(("draw", "law"), [(discrete_gaussian, discrete_law), (rounded_normal, rounded_law)])
@pytest.mark.parametrize("sigma", [1, 2, 5, 23])
def test_small_deviations_follow_the_exact_probabilities(streams, counts_fit, draw, law, sigma) -> None:
    sample = draw(streams(20_000), 20, sigma)
    assert counts_fit(sample, *law(sigma))
    assert not counts_fit(sample, *law(1.3 * sigma))


def test_the_two_laws_are_told_apart_at_deviation_one(streams, counts_fit) -> None:
    assert not counts_fit(discrete_gaussian(streams(20_000), 20, 1), *rounded_law(1))
    assert not counts_fit(rounded_normal(streams(20_000), 20, 1), *discrete_law(1))


@pytest.mark.parametrize("draw", [discrete_gaussian, rounded_normal])
@pytest.mark.parametrize("sigma", [2**20 + 7, 2**50 - 1])
def test_large_deviations_are_normal(streams, fits, draw, sigma) -> None:
    sample = draw(streams(2000), 50, sigma) / sigma
    assert fits(sample, stats.norm())
    assert not fits(1.3 * sample, stats.norm())


@pytest.mark.parametrize("draw", [discrete_gaussian, rounded_normal])
def test_coordinates_are_uncorrelated(streams, draw) -> None:
    x = draw(streams(50_000), 3, 4)
    bound = stats.norm.isf(5e-7) / np.sqrt(50_000)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        assert abs(np.corrcoef(x[:, a], x[:, b])[0, 1]) < bound
        assert abs(np.corrcoef(x[:, a] ** 2, x[:, b] ** 2)[0, 1]) < bound


@pytest.mark.parametrize("draw", [discrete_gaussian, rounded_normal])
def test_each_item_may_have_its_own_deviation(streams, draw) -> None:
    sigmas = np.array([1, 1000, 2**40])
    together = draw(streams(3), 40, sigmas)
    for i, sigma in enumerate(sigmas):
        assert np.array_equal(draw(streams(3), 40, int(sigma))[i], together[i])


@pytest.mark.parametrize("draw", [discrete_gaussian, rounded_normal])
def test_running_out_of_words_anywhere_changes_nothing(streams, draw, monkeypatch) -> None:
    whole = draw(streams(200), 30, 5)
    for first, refill in ((2, 2), (10, 4), (64, 128)):
        monkeypatch.setattr(exact, "_first_words", lambda _, first=first: first)
        monkeypatch.setattr(exact, "_REFILL_WORDS", refill)
        assert np.array_equal(draw(streams(200), 30, 5), whole)


def test_comparisons_that_tie_are_decided_by_the_next_words() -> None:
    rng = np.random.default_rng(5)
    answers = []
    for _ in range(400):
        sigma = int(rng.integers(1, 2**50))
        j = int(rng.integers(0, sigma))
        v = [int(word) for word in rng.integers(0, 2**64, 3, dtype=np.uint64)]
        target = (j + Fraction(v[0] * 2**128 + v[1] * 2**64 + v[2], 2**192)) / sigma
        # A number that agrees with the target in its first word or two, where only later words decide.
        near = int(target * 2**192) + int(rng.integers(-(2**62), 2**62)) * 2 ** int(rng.integers(0, 90))
        near = min(max(near, 0), 2**192 - 1)
        u = [(near >> 128), (near >> 64) & (2**64 - 1), near & (2**64 - 1)]
        answers.append(compare(u, v, j, sigma))
        assert answers[-1] == (Fraction(near, 2**192) < target)
    assert 100 < sum(answers) < 300


def compare(u: list[int], v: list[int], j: int, sigma: int) -> bool:
    words = np.array([*u, 0, 0], dtype=np.uint64)
    state = np.zeros(karney._SLOTS, dtype=np.uint64)
    state[0], state[1] = words.ctypes.data, len(words)
    state[5], state[6:9] = 3, v
    answer = karney._less(np.uint64(state.ctypes.data), np.uint64(j), np.uint64(sigma), True)
    return bool(answer)


def test_whole_numbers_of_the_kernel_refuse_the_uneven_end(counts_fit) -> None:
    words = np.random.default_rng(9).integers(0, 2**64, 8000, dtype=np.uint64)
    state = np.zeros(karney._SLOTS, dtype=np.uint64)
    state[0], state[1] = words.ctypes.data, len(words)
    address, limit = np.uint64(state.ctypes.data), np.uint64(3 * 2**61)
    sample = np.array([int(karney._below(address, limit)) % 3 for _ in range(4000)])
    assert state[2] > 4500
    assert counts_fit(sample, np.arange(3), np.full(3, 1 / 3))
    assert not counts_fit(sample, np.arange(3), np.array([3, 3, 2]) / 8)


@pytest.mark.parametrize("sigma", [0, -1, 2**50, 1.0, np.array([1, 2, 3]), np.array([1.0, 2.0]), np.array([1, 0])])
def test_other_deviations_are_refused(streams, sigma) -> None:
    for draw in (discrete_gaussian, rounded_normal):
        with pytest.raises(InvalidInputError, match="sigma"):
            draw(streams(2), 3, sigma)
