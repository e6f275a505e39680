"""Whole Laplace noise: its exact law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.noise.discrete_laplace import discrete_laplace
from textveil.randomness import RandomSource


@pytest.mark.parametrize("scale", [1, 2, 7])
def test_small_scales_follow_the_exact_probabilities(streams, counts_fit, scale):
    """G-test at 1e-6; a scale x1.3 must fail."""
    noise = discrete_laplace(streams(5000), np.full(8, scale))
    values = np.arange(-200, 201)
    assert counts_fit(noise, values, np.exp(-np.abs(values) / scale))
    assert not counts_fit(noise, values, np.exp(-np.abs(values) / (1.3 * scale)))


def test_each_coordinate_has_its_own_scale(streams, fits):
    scales = np.array([2**20, 2**40, 2**48])
    noise = discrete_laplace(streams(4000), scales)
    for column, scale in zip(noise.T, scales, strict=True):
        assert fits(column / scale, stats.laplace())
        assert not fits(column / scale, stats.laplace(scale=1.3))
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.1


def test_noise_does_not_depend_on_the_batch_or_the_threads():
    scales = np.array([3, 1000])
    source = RandomSource.keyed(b"a key of 16 bytes")
    together = discrete_laplace(source.streams(b"n", np.arange(9000)), scales, threads=2)
    assert (discrete_laplace(source.streams(b"n", np.arange(9000)), scales, threads=1) == together).all()
    alone = discrete_laplace(source.at(8000).streams(b"n", np.array([8000])), scales)
    assert (alone[0] == together[8000]).all()


@pytest.mark.parametrize("scales", [[0], [2**48 + 1], [1.5], [[1]]])
def test_bad_scales_are_refused(streams, scales):
    with pytest.raises(InvalidInputError, match="whole numbers from 1 to 2"):
        discrete_laplace(streams(1), np.array(scales))
