"""Baselines for documents: the mean of the sentence vectors, with noise (SPEC 5.2).

All of them show how many sentences there are, by the size of their noise. Proofs: docs/mechanisms/deep-candidate.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.hashing import Packed
from textveil.immutable import read_only
from textveil.mechanisms.documents import SAME_NUMBER, DocumentMechanism, sums, unpacked
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import Vectors
from textveil.noise.clipping import clipped
from textveil.noise.discrete_laplace import LARGEST_SCALE, discrete_laplace
from textveil.noise.lattice import Integers, Lattice
from textveil.randomness import Streams

REVEALS = ("the number of sentences",)
_RELATION = Relation(pairs=Pairs.ANY, condition=SAME_NUMBER)
# Steps of the lattice in the narrowest side of a box.
_FINENESS = 20


@dataclass(frozen=True, eq=False, kw_only=True)
class TruncatedMean(DocumentMechanism):
    """Put each sentence into a box, release the mean with Laplace noise: the "truncation" baseline of paper 4.

    Parameters
    ----------
    lower, upper : public corners of the box, shape (dimension,)
    epsilon : the loss if one sentence is exchanged for any other
    variant : "published" gives coordinate i the scale d w_i / (k epsilon), for a side w_i and k sentences; "optimal"
        shares epsilon so that the mean squared error is least, with scales proportional to w_i^(1/3)
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    epsilon: float
    variant: str = "optimal"

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            lower=_corner("lower", self.lower),
            upper=_corner("upper", self.upper),
        )
        if self.variant not in ("optimal", "published"):
            raise InvalidInputError(f'variant must be "optimal" or "published" (got {self.variant!r})')
        if self.lower.shape != self.upper.shape or not (self.lower < self.upper).all():
            raise InvalidInputError("lower must be as long as upper, and below it in every coordinate")
        if not (self.scales <= LARGEST_SCALE).all():
            raise InvalidInputError(
                "the noise is too large for its lattice: the sides of the box differ too much, or epsilon is too small"
            )

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """Length of a sentence's vector."""
        return len(self.lower)

    @cached_property
    def lattice(self) -> Lattice:
        """Where sentences are rounded to: 2^-20 of the narrowest side, or less."""
        return Lattice(2.0 ** (math.floor(math.log2((self.upper - self.lower).min())) - _FINENESS))

    @cached_property
    def scales(self) -> Integers:
        """The scale of the noise of the sum, in steps of the lattice, whatever the number of sentences."""
        low, high = self._corners
        widths = (high - low).astype(np.float64)
        if self.variant == "published":
            scales = self.dimension * widths / self.epsilon
        else:
            scales = np.cbrt(widths) * (np.cbrt(widths) ** 2).sum() / self.epsilon
        # One step more than needed, so that rounding in these formulas can't cost anything.
        return read_only(np.minimum(np.ceil(scales) + 1, 2.0 * LARGEST_SCALE).astype(np.int64))

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon if one sentence is exchanged; the number of sentences is public."""
        return Guarantee(epsilon=self.epsilon, unit=Unit.SENTENCE, relation=_RELATION, reveals=REVEALS)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "TruncatedMean",
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "epsilon": self.epsilon,
            "variant": self.variant,
        }

    def inside(self, sentences: Vectors) -> Integers:
        """Return the sentences within the box, in steps of the lattice."""
        return self.lattice.snap(np.clip(sentences, self.lower, self.upper))

    @cached_property
    def _corners(self) -> tuple[Integers, Integers]:
        return self.lattice.snap(self.lower), self.lattice.snap(self.upper)

    def _sample(self, items: Packed, streams: Streams) -> Vectors:
        sentences, offsets = unpacked(items, self.dimension)
        noisy = sums(self.inside(sentences), offsets) + discrete_laplace(streams, self.scales)
        return self.lattice.to_vectors(noisy) / np.diff(offsets)[:, None]


@dataclass(frozen=True, kw_only=True)
class GaussianMean(DocumentMechanism):
    """Shorten each sentence to the clip, release the mean with Gaussian noise.

    Parameters
    ----------
    epsilon, delta : the promise if one sentence is exchanged for any other
    dimension : length of a sentence's vector
    clip : longer vectors are shortened to this length
    """

    epsilon: float
    delta: float
    dimension: int
    clip: float = 1.0

    def __post_init__(self) -> None:
        self._keep(clip=require_positive("clip", self.clip))
        noise = self.noise
        self._keep(epsilon=noise.epsilon, delta=noise.delta, dimension=noise.dimension)

    @cached_property
    def noise(self) -> Gaussian:
        """The noise of the sum of the sentences, which an exchange moves by at most twice the clip."""
        return Gaussian(epsilon=self.epsilon, delta=self.delta, sensitivity=2 * self.clip, dimension=self.dimension)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) if one sentence is exchanged; the number of sentences is public."""
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            unit=Unit.SENTENCE,
            relation=_RELATION,
            reveals=REVEALS,
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "GaussianMean",
            "epsilon": self.epsilon,
            "delta": self.delta,
            "dimension": self.dimension,
            "clip": self.clip,
        }

    def _sample(self, items: Packed, streams: Streams) -> Vectors:
        sentences, offsets = unpacked(items, self.dimension)
        return self.noise._sample(sums(self.inside(sentences), offsets), streams) / np.diff(offsets)[:, None]

    def inside(self, sentences: Vectors) -> Vectors:
        """Return the sentences within the clip, on the lattice of the noise."""
        # Sums of lattice points are not rounded again.
        return self.noise.lattice.towards_zero(clipped(sentences, self.clip, order=2))


@dataclass(frozen=True, kw_only=True)
class AveragedPrivUnit(DocumentMechanism):
    """Release each sentence by PrivUnit and average: unbiased, and a loss of epsilon for each sentence.

    Parameters
    ----------
    epsilon : the loss if one sentence is exchanged for any other
    dimension : length of a sentence's vector
    clip, domain, sampler : as for PrivUnit
    """

    epsilon: float
    dimension: int
    clip: float = 1.0
    domain: str = "ball"
    sampler: str = "auto"

    def __post_init__(self) -> None:
        each = self.each
        self._keep(epsilon=each.epsilon, dimension=each.dimension, clip=each.clip)

    @cached_property
    def each(self) -> PrivUnit:
        """What each sentence is released by."""
        return PrivUnit(
            epsilon=self.epsilon, dimension=self.dimension, clip=self.clip, domain=self.domain, sampler=self.sampler
        )

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon if one sentence is exchanged; the number of sentences is public."""
        one = self.each.guarantee
        return Guarantee(
            epsilon=one.epsilon,
            unit=Unit.SENTENCE,
            relation=_RELATION,
            status=one.status,
            reason=one.reason,
            reveals=REVEALS,
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return self.each.spec() | {"mechanism": "AveragedPrivUnit"}

    def _check(self, private: Any) -> Packed:
        items = super()._check(private)
        self.each._check(unpacked(items, self.dimension)[0])
        return items

    def _sample(self, items: Packed, streams: Streams) -> Vectors:
        sentences, offsets = unpacked(items, self.dimension)
        counts = np.diff(offsets)
        return sums(self.each._sample(sentences, streams.split(counts)), offsets) / counts[:, None]


def _corner(name: str, value: ArrayLike) -> NDArray[np.float64]:
    corner = np.array(value, dtype=np.float64)
    if corner.ndim != 1 or not corner.size or not (np.abs(corner) < 2.0**100).all():
        raise InvalidInputError(f"{name} must be a vector of finite numbers below 2^100 (got shape {corner.shape})")
    return read_only(corner)
