"""k-means: clusters that are there are found, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.learn.clusters import cluster


@pytest.fixture(scope="module")
def heaps():
    rng = np.random.default_rng(0)
    centres = 10 * rng.normal(size=(8, 5))
    labels = rng.integers(0, 8, size=400)
    return centres[labels] + rng.normal(size=(400, 5)) / 10, labels


def test_heaps_that_lie_apart_are_found(heaps):
    vectors, labels = heaps
    found = cluster(vectors, 8)
    pairs = set(zip(labels.tolist(), found.labels.tolist(), strict=True))
    assert len(pairs) == 8
    for number in range(8):
        assert found.centres[number] == pytest.approx(vectors[found.labels == number].mean(axis=0))


def test_every_vector_belongs_to_its_nearest_centre(heaps):
    vectors, _ = heaps
    found = cluster(vectors, 20, seed=3)
    distances = np.linalg.norm(vectors[:, None] - found.centres[None], axis=2)
    assert (distances.argmin(axis=1) == found.labels).all()
    assert len(np.unique(found.labels)) == 20


def test_seeds_repeat_and_differ():
    vectors = np.random.default_rng(1).normal(size=(300, 4))
    first, again, other = (cluster(vectors, 10, seed=seed).labels for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


def test_each_different_vector_may_be_a_cluster_but_not_more():
    vectors = np.repeat(np.eye(4), 3, axis=0)
    assert len(np.unique(cluster(vectors, 4).labels)) == 4
    with pytest.raises(tv.InvalidInputError, match="5 clusters of 4 different"):
        cluster(vectors, 5)
    with pytest.raises(tv.InvalidInputError, match="clusters"):
        cluster(vectors, 1)
