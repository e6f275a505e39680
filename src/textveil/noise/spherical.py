"""Laplace noise in the l2 norm on the integers, exactly (SPEC 8.3).

A standard deviation is drawn by integer weights and then a discrete Gaussian vector of that deviation: both
without any rounding, so the law is the table. What the table promises is computed from its integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from textveil.compiled import compiled
from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.noise.exact import discrete_gaussian, rounded_normal
from textveil.noise.lattice import Integers
from textveil.noise.mixture import WEIGHT_BITS, Mixture, laplace_mixture
from textveil.randomness import Streams, Words

_LARGEST_RATE = 2.0**-13
# How far below the promised rate the table is built: room for the ripple of the rule and of whole deviations.
_MARGIN = 1e-6
_GRID = 2.0**-12
_ROUNDING = 1e-11
# The slope must hold at least up to the radius that noise passes with this probability.
_LEAST_TAIL = 1e-30
_LIMBS = WEIGHT_BITS // 64


@dataclass(frozen=True)
class SphericalLaplace:
    """Integer noise with log-probability slope at most `rate` per lattice unit, up to `radius`.

    For inputs a, b the release is (rate |a - b|, escape(|a - b|))-private.

    Parameters
    ----------
    dimension : length of a vector
    rate : epsilon times the lattice step, at most 2^-13
    """

    dimension: int
    rate: float
    slope: float = field(init=False, compare=False)
    radius: float = field(init=False, compare=False)
    mixture: Mixture = field(init=False, repr=False, compare=False)
    _prefixes: Words = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        dimension = require_count("dimension", self.dimension)
        rate = require_positive("rate", self.rate)
        if rate > _LARGEST_RATE:
            raise InvalidInputError(f"rate must be at most 2^-13 (got {rate:.3g}); use a finer lattice")
        mixture, slope, radius = _certified(dimension, rate)
        for name, value in (("mixture", mixture), ("slope", slope), ("radius", radius)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_prefixes", _prefixes(mixture.weights))

    def escape(self, distance: float) -> float:
        """Bound what the slope does not cover, P[|K| > radius - distance]; `distance` in lattice units."""
        return self.mixture.tail(self.radius - distance)

    def draw(self, streams: Streams, *, threads: int | None = None, rounded: bool = False) -> Integers:
        """Draw a vector an item: shape (items, dimension).

        Parameters
        ----------
        streams : one an item
        threads : how many; changes the speed, never the result
        rounded : draw from the mixture of continuous normal laws and round, instead of discrete Gaussians
        """
        chosen = np.empty(len(streams), dtype=np.int64)
        _pick(streams.words(_LIMBS), self._prefixes, chosen)
        normal = rounded_normal if rounded else discrete_gaussian
        return normal(streams, self.dimension, self.mixture.deviations[chosen], threads=threads)


@lru_cache(maxsize=64)
def _certified(dimension: int, rate: float) -> tuple[Mixture, float, float]:
    """Build the table a little below `rate` and find the radius up to which its slope stays within it."""
    built = rate * (1 - _MARGIN)
    mixture = laplace_mixture(dimension, built)
    low, high = (float(deviation) ** 2 * built for deviation in mixture.deviations[[0, -1]])
    # Up to `low` the slope r / S is within the rate for every S; beyond `high` it can't be.
    radii = low * np.exp(np.arange(0, np.log(high / low), _GRID))
    slopes, bends = mixture.slopes(radii)
    # Between grid points h' leaves its chord by at most gap^2 / 8 sup |h'''|; twice, as h''' may change.
    arches = np.diff(radii) ** 2 / 4 * np.maximum(bends[1:], bends[:-1])
    chords = (np.maximum(slopes[1:], slopes[:-1]) + arches) * (1 + _ROUNDING)
    good = int(np.argmax(np.append(chords, np.inf) > rate))
    radius = float(radii[good])
    from scipy.special import gammainccinv

    if radius * rate < gammainccinv(dimension, _LEAST_TAIL):
        raise InvalidInputError(f"no table keeps the rate {rate:.3g} in dimension {dimension}; use a finer lattice")
    return mixture, max(built, float(chords[:good].max(initial=0.0))), radius


def _prefixes(weights: tuple[int, ...]) -> Words:
    """Cumulative weights as rows of 64-bit limbs, the highest first."""
    limbs = np.empty((len(weights), _LIMBS), dtype=np.uint64)
    total = 0
    for row, weight in zip(limbs, weights, strict=True):
        total += weight
        row[:] = [(total >> (64 * (_LIMBS - 1 - place))) & (2**64 - 1) for place in range(_LIMBS)]
    return limbs


@compiled
def _pick(words, prefixes, picked):  # type: ignore[no-untyped-def]
    """Find the first prefix above a uniform number of 256 bits; the last is 2^256 and never looked at."""
    for i in range(words.shape[0]):
        low, high = 0, len(prefixes) - 1
        while low < high:
            middle = (low + high) // 2
            if _is_below(words[i], prefixes[middle]):
                high = middle
            else:
                low = middle + 1
        picked[i] = low


@compiled
def _is_below(a, b):  # type: ignore[no-untyped-def]
    for place in range(_LIMBS):
        if a[place] != b[place]:
            return a[place] < b[place]
    return False
