"""The mechanisms of Figure 2 and 3, from public facts about a vocabulary that are computed once and kept.

Epsilon is the paper's, so that its figures come out; what each of them promises at that epsilon is not the same thing.
Gaussian noise for the longest edge of the graph is our variant "radius" (N1): it promises (epsilon, delta) for every
pair of words up to that distance. Ours ("word", N3) loses epsilon at that distance, in proportion below and above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.cache import cache_folder
from textveil.durable import replacing
from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.jaccard import Jaccard
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.word_vector import WordVector, WordVectorMechanism, noisy_points, whole_steps
from textveil.randomness import RandomSource
from textveil.reproduce.repeats import public_source
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.graph import neighbour_graph

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
# Words and the number of runs to their released vectors, run after run.
Releasing = Callable[[Ids, int], Iterator[Floats]]

NADP, GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD, OURS = (
    "NADP",
    "Gaussian",
    "Laplacian",
    "Mahalanobis",
    "Jaccard",
    "ours (word)",
)
# The paper's threshold in Figure 2; and the number of neighbours whose overlap its code takes.
THRESHOLD, OVERLAP = 0.5, 10
# 1 / 73,404, the size of its vocabulary.
DELTA = 1 / 73404


@dataclass(frozen=True)
class Facts:
    """Public facts about a vocabulary.

    Parameters
    ----------
    vocabulary : the words
    sensitivities : threshold -> the longest edge in the neighbourhood of each word
    longest : the longest edge of all, by l2 and by l1, at the threshold of Figure 2
    jaccard : the deviation of the Jaccard mechanism for each word at epsilon 1
    """

    vocabulary: Vocabulary
    sensitivities: dict[float, Floats]
    longest: tuple[float, float]
    jaccard: Floats

    @cached_property
    def covariance(self) -> Floats:
        """Of the vectors."""
        return np.asarray(np.cov(self.vocabulary.points, rowvar=False, dtype=np.float64))


def facts_of(vocabulary: Vocabulary, thresholds: tuple[float, ...]) -> Facts:
    """Return the facts, from the cache if they were computed before."""
    names = [f"{threshold:g}" for threshold in thresholds]
    path = cache_folder() / "cells" / f"nadp-facts-1-{OVERLAP}-{'-'.join(names)}-{vocabulary.digest[:32]}.npz"
    if not path.is_file():
        _compute(vocabulary, thresholds, path)
    with np.load(path) as kept:
        sensitivities = {one: kept[name] for one, name in zip(thresholds, names, strict=True)}
        return Facts(vocabulary, sensitivities, (float(kept["l2"]), float(kept["l1"])), kept["jaccard"])


def _compute(vocabulary: Vocabulary, thresholds: tuple[float, ...], path: Path) -> None:
    found: dict[str, Any] = {}
    for threshold in thresholds:
        graph = neighbour_graph(vocabulary, threshold=threshold, overlap=OVERLAP)
        found[f"{threshold:g}"] = graph.sensitivities
        if threshold == THRESHOLD:
            first, second = (vocabulary.points[ends].astype(np.float64) for ends in graph.edges.T)
            found |= {"l2": graph.lengths.max(), "l1": np.abs(first - second).sum(axis=1).max()}
    found["jaccard"] = Jaccard(vocabulary, epsilon=1.0, delta=DELTA).deviations
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.savez(file, **found)


def released(facts: Facts, mechanism: str, epsilon: float, threshold: float = THRESHOLD) -> Releasing:
    """Return the function that releases words by one of the mechanisms.

    Parameters
    ----------
    facts : of the vocabulary
    mechanism : one of the names above
    epsilon : the paper's
    threshold : of NADP
    """
    words, (radius, _) = facts.vocabulary, facts.longest

    def source(run: int) -> RandomSource:
        return public_source(mechanism, epsilon, threshold, run)

    if mechanism == OURS:
        choice = Exponential(words, epsilon=epsilon / radius, calibrated=False)

        def drawn(ids: Ids, runs: int) -> Iterator[Floats]:
            # All runs at once: what takes time is the law of a word, not the draw.
            for found in choice.release_ids(np.repeat(ids[None], runs, axis=0), source=source(0)):
                yield words.points[found].astype(np.float64)

        return drawn
    if mechanism == JACCARD:
        # Its deviations are inverse to epsilon.
        steps = whole_steps(words, facts.jaccard / epsilon)
        return lambda ids, runs: (
            noisy_points(words, ids, steps[ids], source(run).streams(b"noise", ids)) for run in range(runs)
        )
    noise = _noise(facts, mechanism, epsilon, threshold)
    return lambda ids, runs: (np.asarray(noise.release(words.words_of(ids), source=source(run))) for run in range(runs))


def _noise(facts: Facts, mechanism: str, epsilon: float, threshold: float) -> WordVectorMechanism:
    words, (radius, l1_radius) = facts.vocabulary, facts.longest
    if mechanism == NADP:
        sensitivities = facts.sensitivities[threshold]
        return Nadp(words, epsilon=epsilon, delta=DELTA, variant="published", sensitivities=sensitivities)
    if mechanism == GAUSSIAN:
        return Nadp(words, epsilon=epsilon, delta=DELTA, variant="radius", radius=radius)
    if mechanism == MAHALANOBIS:
        return WordVector(words, Mahalanobis(facts.covariance, epsilon=epsilon))
    return WordVector(words, CoordinateLaplace(epsilon=epsilon / l1_radius, dimension=words.dimension))
