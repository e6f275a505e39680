"""Distances and inner products from released vectors: unbiased, with the variance that is stated."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv

COUNT = 40_000


@pytest.fixture(scope="module")
def released():
    """Two fixed vectors, released 40,000 times each."""
    mechanism = tv.PrivEmb(epsilon=4.0, dimension=9, target=5)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 9))
    source = tv.RandomSource.seeded(1)
    first, second = (mechanism.release(np.tile(vector, (COUNT, 1)), source=source) for vector in (x, y))
    return mechanism, mechanism.chosen.matrix @ x, mechanism.chosen.matrix @ y, first, second


def within_five_sigma(sample, mean, deviation):
    return abs(sample.mean() - mean) < 5 * deviation / np.sqrt(len(sample))


def test_squared_distances_are_unbiased_and_their_deviation_is_right(released):
    mechanism, x, y, first, second = released
    truth = ((x - y) ** 2).sum()
    found = mechanism.squared_distances(first, second)
    deviation = mechanism.squared_distances_deviation(truth)
    assert within_five_sigma(found, truth, deviation)
    assert found.std() == pytest.approx(deviation, rel=0.06)
    raw = ((first - second) ** 2).sum(axis=1)
    assert not within_five_sigma(raw, truth, deviation)
    assert not within_five_sigma(raw - 1.3 * (raw - found), truth, deviation)


def test_inner_products_are_unbiased_and_their_deviation_is_right(released):
    mechanism, x, y, first, second = released
    found = mechanism.inner_products(first, second)
    deviation = mechanism.inner_products_deviation((x**2).sum(), (y**2).sum())
    assert within_five_sigma(found, x @ y, deviation)
    assert found.std() == pytest.approx(deviation, rel=0.06)
    assert found.std() != pytest.approx(1.3 * deviation, rel=0.06)


def test_estimates_in_the_original_space_are_divided_by_the_mean_ratio(released):
    mechanism, _, _, first, second = released
    for estimate in (mechanism.squared_distances, mechanism.inner_products):
        plain, scaled = (estimate(first[:5], second[:5], original=original) for original in (False, True))
        assert scaled == pytest.approx(plain / mechanism.mean_ratio)
    assert mechanism.squared_distances(first[:3, None], second[None, :4]).shape == (3, 4)
