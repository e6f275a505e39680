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
        rare, rare_expected = sample.size - observed.sum(), expected[~common].sum()
        common_fit = stats.power_divergence(
            observed, expected[common] * (observed.sum() / expected[common].sum()), lambda_="log-likelihood"
        )
        rare_fit = stats.poisson.sf(rare - 1, rare_expected) if rare else 1.0
        return common_fit.pvalue > FALSE_ALARM / 2 and rare_fit > FALSE_ALARM / 2

    return test
