"""Tests make their own data and keep their caches to themselves."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv


@pytest.fixture(autouse=True, scope="session")
def _own_cache_of_the_session(tmp_path_factory):
    """What is made once for many tests must not come from the cache of the user either."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def clustered():
    """600 words in 30 clusters, dimension 12: near words and far words, like a real table."""
    return clustered_vocabulary(600, 12, clusters=30)


def clustered_vocabulary(size, dimension, *, clusters=20, seed=0):
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(clusters, dimension))
    vectors = centres[rng.integers(clusters, size=size)] + 0.6 * rng.normal(size=(size, dimension))
    return tv.Vocabulary([f"w{i}" for i in range(size)], vectors, unknown="w0")
