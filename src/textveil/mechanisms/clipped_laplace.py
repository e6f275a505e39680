"""ADePT's noise: clip a vector to a ball, then add Laplace noise; as published, and three ways to do it right.

The published noise is too small by a factor of sqrt(dimension) for the epsilon it is sold as. Any of the others keeps
epsilon; PrivUnit keeps it with far less noise. Proof: docs/mechanisms/clipped-laplace.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit, rounded_down
from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.vectors import AdditiveMechanism, Integers, Vectors, check_precision
from textveil.noise.clipping import clipped
from textveil.noise.laplace import radial_laplace
from textveil.noise.lattice import Lattice, float_slack, lattice_for
from textveil.noise.product_laplace_curve import published_delta
from textveil.noise.spherical import SphericalLaplace
from textveil.randomness import Streams

Floats = NDArray[np.float64]

VARIANTS = ("published", "l1", "corrected", "radial")
_EPSILONS = (1e-9, 100.0)
_CLIPS = (1e-100, 1e100)
# The pair that is zero beyond this coordinate is a pair of any larger dimension too, and its delta is quickly computed.
_DIMENSION_OF_DELTA = 1024


@dataclass(frozen=True, kw_only=True, eq=False)
class Witness:
    """Two inputs and an event that refute a promise: what happens more than e^epsilon times as often from one of them.

    Parameters
    ----------
    pair : the inputs
    corner : the event is that the first two numbers of the output are at least these
    probability : of the event from the first input, but for rounding
    loss : ln of how many times less likely it is from the second
    """

    pair: tuple[Floats, Floats]
    corner: Floats
    probability: float
    loss: float

    def happens(self, outputs: Floats) -> NDArray[np.bool_]:
        """Return for each output (n, d) whether it belongs to the event."""
        return np.asarray((outputs[:, :2] >= self.corner).all(axis=1))


@dataclass(frozen=True, kw_only=True)
class ClippedLaplace(AdditiveMechanism):
    """Shorten long vectors to a ball and add Laplace noise, so that any two vectors look alike.

    Parameters
    ----------
    epsilon : the loss between any two vectors
    clip : longer vectors are shortened to this length
    dimension : length of a vector
    variant : "radial" clips in the l2 norm and adds noise in it; "l1" clips in the l1 norm and "corrected" in l2, and
        both add Laplace noise to each coordinate; "published" clips in l2 and has noise for l1: it breaks its promise
    precision : "exact" samples integers; "fast" samples in floating point, with the cost in `guarantee.slack`
    """

    epsilon: float
    clip: float
    dimension: int
    variant: str = "radial"
    precision: str = "exact"

    def __post_init__(self) -> None:
        for name, (low, high) in (("epsilon", _EPSILONS), ("clip", _CLIPS)):
            value = require_positive(name, getattr(self, name))
            if not low <= value <= high:
                raise InvalidInputError(f"{name} must be from {low:g} to {high:g} (got {value!r})")
            self._keep(**{name: value})
        self._keep(dimension=require_count("dimension", self.dimension))
        if self.variant not in VARIANTS:
            raise InvalidInputError(f"variant must be one of {', '.join(VARIANTS)} (got {self.variant!r})")
        check_precision(self.precision, None)

    @property
    def scale(self) -> float:
        """The scale of the noise: sensitivity / epsilon."""
        widened = math.sqrt(self.dimension) if self.variant == "corrected" else 1.0
        return 2 * self.clip * widened / self.epsilon

    @property
    def rms(self) -> float:
        """Root of the mean squared norm of the noise."""
        return self.scale * math.sqrt(self.dimension * (self._together + 1))

    @property
    def true_epsilon(self) -> float:
        """The smallest loss that holds for every pair."""
        return self.epsilon * (math.sqrt(self.dimension) if self.variant == "published" else 1.0)

    @cached_property
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""
        return lattice_for(self.scale)

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon between any two vectors; published: refuted, but for one dimension."""
        norm = "l1 norm" if self.variant == "l1" else "length"
        shortened = f"(vectors of a {norm} above {self.clip:.7g} are shortened to it)"
        relation = Relation(pairs=Pairs.ANY, condition=shortened)
        promise = Guarantee(epsilon=self.epsilon, unit=Unit.VECTOR, relation=relation)
        if self.true_epsilon > self.epsilon:
            return replace(promise, status=Status.REFUTED, reason=self._reason())
        if self.precision == "exact":
            parts = self.dimension // self._together
            return replace(promise, delta=parts * self._table.escape(2 * self.clip / self.lattice.step))
        deviation = self.scale * math.sqrt(self._together + 1)
        return replace(promise, slack=float_slack(self.dimension, deviation, self.lattice.step))

    @property
    def nominal_delta(self) -> float:
        """A lower bound of delta at epsilon: 0 where epsilon is kept."""
        if self.variant != "published":
            return 0.0
        return published_delta(min(self.dimension, _DIMENSION_OF_DELTA), self.epsilon)

    @property
    def witness(self) -> Witness | None:
        """Inputs and an event that refute the published variant, in its first two coordinates (Habernal 2021)."""
        if self.true_epsilon == self.epsilon:
            return None
        corner = self.lattice.to_vectors(self._rounded(np.full((1, 2), self.clip * 2 / 3)))[0]
        first: Floats = np.zeros(self.dimension)
        first[:2] = corner
        loss = 2 * float(corner.sum()) / self.scale
        return Witness(pair=(first, 0.0 - first), corner=corner, probability=1 / 4, loss=loss)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "ClippedLaplace",
            "epsilon": self.epsilon,
            "clip": self.clip,
            "dimension": self.dimension,
            "variant": self.variant,
            "precision": self.precision,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        given = np.asarray(given, dtype=np.float64)
        centre = self._clipped(given.reshape(-1, self.dimension)).reshape(given.shape)
        law = Laplace if self.variant == "radial" else CoordinateLaplace
        return law(epsilon=1 / self.scale, dimension=self.dimension).log_density(output, centre)

    @property
    def _together(self) -> int:
        """How many coordinates share one draw of noise."""
        return self.dimension if self.variant == "radial" else 1

    def _clipped(self, vectors: Vectors) -> Vectors:
        return clipped(vectors, self.clip, order=1 if self.variant == "l1" else 2)

    def _rounded(self, vectors: Vectors) -> Integers:
        """Round towards zero: no vector leaves the ball."""
        steps: Integers = np.trunc(vectors / self.lattice.step).astype(np.int64)
        return steps

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        return self.lattice.to_vectors(self._rounded(self._clipped(items)) + self._draw(streams))

    def _draw(self, streams: Streams) -> Integers:
        shape = len(streams), self.dimension
        if not len(streams):
            return np.empty(shape, dtype=np.int64)
        if self.variant != "radial":
            streams = streams.split(np.full(len(streams), self.dimension))
        if self.precision == "exact":
            return self._table.draw(streams).reshape(shape)
        return self.lattice.to_integers(radial_laplace(streams, self._together, self.scale)).reshape(shape)

    @cached_property
    def _table(self) -> SphericalLaplace:
        return _table(self._together, self.lattice.step / self.scale)

    def _reason(self) -> str:
        reached, already = (rounded_down(loss, 4) for loss in (self.true_epsilon, 4 / 3 * self.epsilon))
        escapes = rounded_down(self.nominal_delta, 3)
        return (
            "Laplace noise in each coordinate counts the l1 distance, and in that the l2 ball is sqrt(dimension) times "
            f"as wide as this noise allows for: two vectors reach a loss of {reached}, and delta at epsilon "
            f"{self.epsilon:.4g} is at least {escapes}; already for clip x (2/3, 2/3, 0, ...) "
            f"and its opposite the loss is {already} where the first two numbers are at least 2/3 clip"
        )


@lru_cache(maxsize=64)
def _table(dimension: int, rate: float) -> SphericalLaplace:
    """Kept, because the coordinates of all variants mostly need the same."""
    return SphericalLaplace(dimension, rate)
