"""Clusters of public vectors: k-means, begun by k-means++ (Arthur and Vassilvitskii, 2007) with a public seed."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.noise.transforms import uniforms
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Clusters:
    """Centres, and the number of the centre that each vector is nearest to."""

    centres: Floats
    labels: Ids


def cluster(vectors: Floats, count: int, *, seed: int = 0, rounds: int = 50) -> Clusters:
    """Find clusters whose centres are the means of the vectors nearest to them.

    Parameters
    ----------
    vectors : public, shape (n, dimension)
    count : of clusters
    seed : of the first centres
    rounds : at most so many times are centres moved; fewer if no vector changes its cluster
    """
    distinct = len(np.unique(vectors, axis=0))
    if require_count("clusters", count, least=2) > distinct:
        raise InvalidInputError(f"there can't be {count} clusters of {distinct:,} different vectors; give fewer")
    centres = _beginning(vectors, count, seed)
    labels = _nearest(vectors, centres)
    for _ in range(rounds):
        for number in range(count):
            members = labels == number
            # A centre that lost all of its vectors goes to the one that is worst served.
            centres[number] = vectors[members].mean(axis=0) if members.any() else _worst(vectors, centres, labels)
        moved = _nearest(vectors, centres)
        if (moved == labels).all():
            break
        labels = moved
    return Clusters(centres, labels)


def _beginning(vectors: Floats, count: int, seed: int) -> Floats:
    """Choose first centres one by one: of a few, each drawn by its squared distance from those before, the best."""
    source = RandomSource.keyed(hashlib.sha256(b"textveil clusters %d" % seed).digest())
    tries = 2 + int(math.log(count))
    draws = uniforms(source.streams(b"centres", np.arange(count)).words(tries))
    rows = [int(draws[0, 0] * len(vectors))]
    squares = _squares(vectors, vectors[rows])[:, 0]
    for draw in draws[1:]:
        squares[rows] = 0.0
        totals = np.cumsum(squares)
        drawn = np.searchsorted(totals, draw * totals[-1], side="right")
        left = np.minimum(squares[:, None], _squares(vectors, vectors[drawn]))
        best = int(left.sum(axis=0).argmin())
        rows.append(int(drawn[best]))
        squares = left[:, best]
    return vectors[rows].copy()


def _nearest(vectors: Floats, centres: Floats) -> Ids:
    return np.asarray(_squares(vectors, centres).argmin(axis=1))


def _worst(vectors: Floats, centres: Floats, labels: Ids) -> Floats:
    away = ((vectors - centres[labels]) ** 2).sum(axis=1)
    return np.asarray(vectors[away.argmax()])


def _squares(vectors: Floats, centres: Floats) -> Floats:
    """Return squared distances; those of rounding below 0 are 0."""
    inner = vectors @ centres.T
    lengths = (vectors**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(lengths - 2 * inner, 0.0))
