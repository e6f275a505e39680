from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from textveil.randomness import RandomSource, Streams

FALSE_ALARM = 1e-6


@pytest.fixture
def streams() -> Callable[..., Streams]:
    """Streams of a fixed seed: `streams(items)`; another seed gives other streams."""

    def make(items: int, seed: int = 7) -> Streams:
        return RandomSource.seeded(seed).streams(b"test", np.arange(items))

    return make


@pytest.fixture
def fits() -> Callable[..., bool]:
    """Whether a sample passes the Kolmogorov–Smirnov test against a law; false alarm 1e-6."""

    def test(sample: np.ndarray, law: object) -> bool:
        return stats.kstest(np.ravel(sample), law.cdf).pvalue > FALSE_ALARM

    return test


@pytest.fixture
def counts_fit() -> Callable[..., bool]:
    """Whether whole numbers pass the G-test against probabilities of `values`; false alarm 1e-6."""

    def test(sample: np.ndarray, values: np.ndarray, probabilities: np.ndarray) -> bool:
        sample = np.ravel(sample)
        expected = probabilities / probabilities.sum() * sample.size
        common = expected >= 10
        observed = np.array([np.count_nonzero(sample == value) for value in values[common]])
        observed = np.append(observed, sample.size - observed.sum())
        expected = np.append(expected[common], expected[~common].sum() + 1e-9)
        if expected[-1] < 1:
            observed, expected = observed[:-1], expected[:-1]
        expected *= observed.sum() / expected.sum()
        return stats.power_divergence(observed, expected, lambda_="log-likelihood").pvalue > FALSE_ALARM

    return test
