"""Noise on the vector of a word, then the nearest word: each at a loss that is proved at the public radius.

It is that of the noisy vector. The word is made of the vector alone, and loses at most as much; how much is not known.
Where a promise is refuted the mechanism is set up as its paper does, for the loss that it claims, and the true loss
stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.guarantees import Status
from textveil.measure.compare.frontier import Way
from textveil.measure.compare.setting import Setting
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import VectorMechanism
from textveil.noise.gaussian_curve import gaussian_delta, least_enough
from textveil.randomness import RandomSource
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

DELTA = 1e-6
CLIPPED = 0.99
_PORTION = 4096


@dataclass(frozen=True)
class Noisy:
    """The release of a noisy vector alone, and the logarithm of its density by distances, but for a constant."""

    release: Callable[[Ids, RandomSource], Floats]
    density: Callable[[Floats], Floats]


@dataclass(frozen=True)
class Setup:
    """A mechanism at one strength.

    Parameters
    ----------
    epsilon : its own parameter
    loss, far : what its noisy vector truly loses at most at the radius, and between far words
    release : words in, words out
    noisy : what it does before the nearest word is looked for, where the density is known
    """

    epsilon: float
    loss: float
    far: float
    release: Callable[[Ids, RandomSource], Ids]
    noisy: Noisy | None = None


@dataclass(frozen=True)
class Noise:
    """A way to release words by noise.

    Parameters
    ----------
    way : its names
    build : makes it for a loss at the radius; raises InvalidInputError where it does not exist
    best_named : whether the nearest word is the likeliest one, so that nobody names more words than stay
    by_distance : whether it loses epsilon x distance and no delta, so that the guarantee alone bounds attacks
    """

    way: Way
    build: Callable[[Setting, float], Setup]
    best_named: bool = False
    by_distance: bool = False


def laplace(setting: Setting, loss: float) -> Setup:
    """Laplace noise in the l2 norm: epsilon x distance."""
    epsilon = loss / setting.radius
    noise = NearestWord(setting.vocabulary, Laplace(epsilon=epsilon, dimension=setting.vocabulary.dimension))
    noisy = Noisy(_vectors_of(noise), lambda distances: -epsilon * distances)
    return Setup(epsilon, loss, epsilon * setting.farthest, _of_words(noise), noisy)


def gaussian(setting: Setting, loss: float) -> Setup:
    """Gaussian noise: (loss, delta) within the radius."""
    noise = Gaussian(epsilon=loss, delta=DELTA, sensitivity=setting.radius, dimension=setting.vocabulary.dimension)
    words, precision = NearestWord(setting.vocabulary, noise), 1 / (2 * noise.sigma**2)
    noisy = Noisy(_vectors_of(words), lambda distances: -precision * np.square(distances))
    return Setup(loss, loss, gaussian_loss(setting.farthest / noise.sigma, DELTA), _of_words(words), noisy)


def mahalanobis(setting: Setting, loss: float) -> Setup:
    """Noise in the shape of the table, at the epsilon whose worst direction loses no more at the radius."""
    covariance = _covariance(setting.vocabulary)
    epsilon = loss / (setting.radius * Mahalanobis(covariance, epsilon=1.0).euclidean_epsilon)
    noise = Mahalanobis(covariance, epsilon=epsilon)
    return Setup(epsilon, loss, loss * setting.farthest / setting.radius, _of_vectors(setting.vocabulary, noise))


def privunit(setting: Setting, loss: float) -> Setup:
    """PrivUnit: the loss is the same between any two words. Its release is shortened to the clip before it is read."""
    noise = PrivUnit(epsilon=loss, dimension=setting.vocabulary.dimension, clip=_clip(setting.vocabulary))
    shrink = noise.cap.mean(noise._drawer.odds)[0]
    return Setup(loss, loss, loss, _of_vectors(setting.vocabulary, noise, scale=shrink))


def clipped_published(setting: Setting, loss: float) -> Setup:
    """ADePT's noise as published: it claims the loss for any pair; its noise counts the l1 distance."""
    dimension, clip = setting.vocabulary.dimension, _clip(setting.vocabulary)
    noise = ClippedLaplace(epsilon=loss, clip=clip, dimension=dimension, variant="published", precision="fast")
    a_unit = loss * math.sqrt(dimension) / (2 * clip)
    true, far = (a_unit * min(distance, 2 * clip) for distance in (setting.radius, setting.farthest))
    return Setup(loss, true, far, _of_vectors(setting.vocabulary, noise))


def nadp_published(setting: Setting, loss: float) -> Setup:
    """NADP as published: it claims the loss for neighbours in a graph; words without any are released as they are."""
    noise = Nadp(setting.vocabulary, epsilon=loss, delta=DELTA, variant="published")
    return Setup(loss, math.inf, math.inf, _of_vectors(setting.vocabulary, noise))


def hyperbolic(setting: Setting, loss: float) -> Setup:
    """Noise of the Poincaré ball: epsilon x hyperbolic distance; it exists above dimension - 1 only."""
    epsilon = loss / setting.radius
    noise = HyperbolicLaplace(epsilon=epsilon, dimension=setting.vocabulary.dimension)
    released = _of_words(NearestWord(setting.vocabulary, noise))
    return Setup(epsilon, loss, epsilon * setting.farthest, released)


def hyperbolic_published(setting: Setting, loss: float) -> Setup:
    """The paper's noise in the ball, added as if it were flat: some words can't come out of others."""
    epsilon = loss / setting.radius
    noise = HyperbolicLaplace(
        epsilon=epsilon, dimension=setting.vocabulary.dimension, variant="published", margin=-1e-4
    )
    return Setup(epsilon, math.inf, math.inf, _of_words(NearestWord(setting.vocabulary, noise)))


EUCLIDEAN = (
    Noise(Way("laplace", "Laplace noise, nearest word", 6, 1), laplace, best_named=True, by_distance=True),
    Noise(Way("gaussian", f"Gaussian noise (delta {DELTA:g}), nearest word", 1, 2), gaussian, best_named=True),
    Noise(Way("mahalanobis", "Mahalanobis noise, nearest word", 4, 3), mahalanobis, by_distance=True),
    Noise(Way("privunit", "PrivUnit, nearest word", 7, 4), privunit),
    Noise(
        Way(
            "clipped-published", "ADePT's noise as published, nearest word", 0, 5, Status.REFUTED,
            "its noise is for the l1 distance, its clipping in l2: it loses more than it claims",
        ),
        clipped_published,
    ),
    Noise(
        Way(
            "nadp-published", "NADP as published, nearest word", 0, 6, Status.REFUTED,
            "words without neighbours are released as they are, and the noise shows the component of the others",
        ),
        nadp_published,
    ),
)  # fmt: skip
POINCARE = (
    Noise(Way("hyperbolic", "hyperbolic noise, nearest word", 6, 1), hyperbolic, best_named=True, by_distance=True),
    Noise(
        Way(
            "hyperbolic-published", "hyperbolic noise as published, nearest word", 0, 5, Status.REFUTED,
            "the noise is added as if the ball were flat, so that some words can't come out of others",
        ),
        hyperbolic_published,
    ),
)  # fmt: skip


def gaussian_loss(mu: float, delta: float) -> float:
    """Return the least epsilon at which Gaussian noise keeps delta between inputs that are mu deviations apart."""
    if gaussian_delta(0.0, mu) <= delta:
        return 0.0
    return least_enough(lambda epsilon: gaussian_delta(epsilon, mu) <= delta)


def _of_words(mechanism: NearestWord) -> Callable[[Ids, RandomSource], Ids]:
    return lambda ids, source: mechanism.release_ids(ids, source=source)


def _vectors_of(mechanism: NearestWord) -> Callable[[Ids, RandomSource], Floats]:
    """Return the release of the vector alone."""
    noise, points = mechanism.mechanism, mechanism.vocabulary.points
    return lambda ids, source: np.asarray(noise.release(points[ids].astype(np.float64), source=source))


def _of_vectors(
    vocabulary: Vocabulary, mechanism: VectorMechanism | Nadp, *, scale: float = 1.0
) -> Callable[[Ids, RandomSource], Ids]:
    """Return the release of a vector, then the word nearest to it, which looks at public data alone."""

    def release(ids: Ids, source: RandomSource) -> Ids:
        private: Any = ids if isinstance(mechanism, Nadp) else mechanism._check(vocabulary.points[ids])
        streams = source.streams(mechanism._purpose, private)
        words = np.empty(len(ids), dtype=np.int64)
        for start in range(0, len(ids), _PORTION):
            part = slice(start, start + _PORTION)
            words[part] = vocabulary.nearest(scale * mechanism._sample(private[part], streams.select(part)))
        return words

    return release


@lru_cache(maxsize=2)
def _covariance(vocabulary: Vocabulary) -> Floats:
    return np.asarray(np.cov(vocabulary.points, rowvar=False, dtype=np.float64))


@lru_cache(maxsize=2)
def _clip(vocabulary: Vocabulary) -> float:
    """A public length that few words pass."""
    return float(np.quantile(np.linalg.norm(vocabulary.points.astype(np.float64), axis=1), CLIPPED))
