"""Words with Gaussian noise of different sizes: which pair can be told apart best (SPEC T2 and 6.1).

Between two words with noise of one size delta grows with distance / deviation, so that one pair stands for all. Where
the sizes differ each pair is computed for itself, in both directions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.noise.gaussian_curve import unequal_gaussian_delta_both_ways
from textveil.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

# Pairs of unequal noise take about a millisecond each; those that differ most in size come first.
MOST_UNEQUAL = 256
MOST_WORDS = 512
_HALVINGS = 40
_LARGEST_EPSILON = 1e4


@dataclass(frozen=True)
class Found:
    """The pair with the largest delta, and whether all pairs were looked at."""

    first: int
    second: int
    distance: float
    delta: float
    complete: bool


@dataclass(frozen=True)
class NoisyWords:
    """A vocabulary, and the deviation of the noise of each of its words."""

    vocabulary: Vocabulary
    deviations: Floats

    def delta(self, epsilon: float, first: int, second: int, distance: float) -> float:
        """Return the delta between two words; 1 where one of them has no noise, since it is then released as it is."""
        one, other = float(self.deviations[first]), float(self.deviations[second])
        if distance == 0 and one == other:
            return 0.0
        if one == 0 or other == 0:
            return 1.0
        return unequal_gaussian_delta_both_ways(
            epsilon, dimension=self.vocabulary.dimension, sigma=one, other_sigma=other, distance=distance
        )

    def epsilon(self, delta: float, first: int, second: int, distance: float) -> float:
        """Return the least epsilon for which a delta is enough between two words."""
        low, high = 0.0, 1.0
        while self.delta(high, first, second, distance) > delta:
            low, high = high, 2 * high
            if high > _LARGEST_EPSILON:
                return math.inf
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle, first, second, distance) > delta else (low, middle)
        return high

    def worst(self, epsilon: float, pairs: Ids, distances: Floats, *, complete: bool = True) -> Found:
        """Return the pair with the largest delta among some, shape (n, 2), n at least 1."""
        one, other = self.deviations[pairs[:, 0]], self.deviations[pairs[:, 1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.nan_to_num(distances / one, nan=0.0, posinf=np.inf)
            unequal = np.nan_to_num(np.abs(np.log(one) - np.log(other)), nan=0.0, posinf=np.inf)
        same = np.flatnonzero(one == other)
        tried = [] if not len(same) else [int(same[np.argmax(apart[same])])]
        different = np.flatnonzero(one != other)
        order = different[np.argsort(-unequal[different], kind="stable")]
        tried += order[:MOST_UNEQUAL].tolist()
        deltas = [
            self.delta(epsilon, int(pairs[place, 0]), int(pairs[place, 1]), float(distances[place])) for place in tried
        ]
        best = int(np.argmax(deltas))
        first, second = map(int, pairs[tried[best]])
        everything = complete and len(order) <= MOST_UNEQUAL
        return Found(first, second, float(distances[tried[best]]), deltas[best], everything)

    def some_pairs(self) -> tuple[Ids, Floats, bool]:
        """Return pairs of words, their distances, and whether they are all: the words of least and of most noise."""
        count = len(self.vocabulary)
        order = np.argsort(self.deviations, kind="stable")
        half = MOST_WORDS // 2
        chosen = order if count <= MOST_WORDS else np.concatenate([order[:half], order[-half:]])
        points = self.vocabulary.points[chosen].astype(np.float64)
        i, j = np.triu_indices(len(chosen), 1)
        distances = self.vocabulary.space.distances(points, points)[i, j]
        return np.stack([chosen[i], chosen[j]], axis=1), distances, count <= MOST_WORDS
