"""A small vocabulary in clusters, and a cache of its own for each run of the tests."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.compare.setting import Setting, Sizes

SMALL = Sizes(words=60, repeats=2, pairs=20, rates=5)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))


def grouped(count=120, dimension=4, seed=0):
    rng = np.random.default_rng(seed)
    centres = 4 * rng.standard_normal((6, dimension))
    return centres[np.arange(count) % 6] + rng.standard_normal((count, dimension))


@pytest.fixture(scope="session")
def words():
    points = grouped()
    return tv.Vocabulary([f"word{i}" for i in range(len(points))], points, unknown="word0")


@pytest.fixture(scope="session")
def setting(words):
    return Setting.of(words, SMALL)
