"""Laplace noise in the l2 norm: each release is epsilon x distance private.

Density p(z) ~ exp(-|z| / scale). With a delta and a sensitivity the scale is smaller (SPEC T3); unit vectors may
be released as unit vectors (T13). Proof: docs/mechanisms/laplace.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability
from textveil.gpu.noise import radial_laplace as laplace_there
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.mechanisms.vectors import AdditiveMechanism, Integers, NoiseThere, Vectors, check_precision
from textveil.noise.laplace import radial_laplace
from textveil.noise.laplace_curve import laplace_scale
from textveil.noise.lattice import Lattice, float_slack, lattice_for
from textveil.noise.spherical import SphericalLaplace
from textveil.randomness import Streams

Floats = NDArray[np.float64]

# The exact sampler's delta grows with the distance; it is stated for pairs up to this loss.
_COVERED_LOSS = 100.0
# What it may add to a delta that was asked for, as a share of it.
_MOST_ESCAPE = 1e-6
# How far from 1 the length of a unit vector may be: what half precision makes of one.
_UNIT_TOLERANCE = 1e-3


@dataclass(frozen=True, kw_only=True)
class Laplace(AdditiveMechanism):
    """Add l2-Laplace noise to vectors.

    Parameters
    ----------
    epsilon : loss per unit of Euclidean distance; with a sensitivity, loss at that distance
    dimension : length of a vector
    delta : probability mass that may escape; above 0 it needs a sensitivity, and covers pairs within it
    sensitivity : the distance that epsilon is meant for
    normalise : take unit vectors and release unit vectors
    precision : "fast" samples in floating point, with the cost in `guarantee.slack`; "exact" samples integers, and is
        the default where a delta is promised
    step : power of two that vectors are rounded to; by default 2^-14 of the noise scale or less
    """

    epsilon: float
    dimension: int
    delta: float = 0.0
    sensitivity: float | None = None
    normalise: bool = False
    precision: str | None = None
    step: float | None = None

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            dimension=require_count("dimension", self.dimension),
            delta=require_probability("delta", self.delta),
        )
        if self.sensitivity is not None:
            self._keep(sensitivity=require_positive("sensitivity", self.sensitivity))
        elif self.delta > 0:
            raise InvalidInputError(
                f"delta={self.delta!r} needs a sensitivity: the largest distance of two vectors that must look alike"
            )
        if not isinstance(self.normalise, bool):
            raise InvalidInputError(f"normalise must be True or False (got {self.normalise!r})")
        if self.precision is None:
            self._keep(precision="exact" if self.delta > 0 else "fast")
        self._keep(step=check_precision(self.precision, self.step))
        if self.precision == "exact" and self.delta and self._escape > _MOST_ESCAPE * self.delta:
            raise InvalidInputError(
                f'precision="exact" reaches no epsilon of {self.epsilon:g} with delta={self.delta:g}: its table ends '
                "before; give a smaller epsilon, or leave delta out"
            )
        if self.precision == "fast" and self.delta:
            # Refuses where sampling in floating point leaves nothing of the promise.
            _ = self.guarantee

    @cached_property
    def scale(self) -> float:
        """The scale of the noise: its norm is Gamma(dimension, scale)."""
        if self.delta:
            return self._distance * laplace_scale(self.epsilon, self.delta, self.dimension)
        return self._distance / self.epsilon

    @cached_property
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""
        return lattice_for(self.scale) if self.step is None else Lattice(self.step)

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most distance / scale for any two vectors, or (epsilon, delta) within the sensitivity."""
        exact = self.precision == "exact"
        deviation = math.sqrt(self.dimension + 1) * self.scale
        slack = 0.0 if exact else float_slack(self.dimension, deviation, self.lattice.step)
        metric = self.lattice.metric
        if self.delta:
            relation = Relation(pairs=Pairs.WITHIN, metric=metric, radius=self._distance)
            epsilon = self.epsilon
        else:
            relation = Relation(pairs=Pairs.METRIC, metric=metric, largest_loss=_COVERED_LOSS if exact else None)
            epsilon = self.epsilon / self._distance
        delta = self.delta + (self._escape if exact else 0.0)
        return Guarantee(epsilon=epsilon, delta=delta, unit=Unit.VECTOR, relation=relation, slack=slack)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        spec: dict[str, Any] = {
            "mechanism": "Laplace",
            "epsilon": self.epsilon,
            "dimension": self.dimension,
            "precision": self.precision,
            "step": self.lattice.step,
        }
        if self.sensitivity is not None:
            spec |= {"delta": self.delta, "sensitivity": self.sensitivity}
        if self.normalise:
            spec["normalise"] = True
        return spec

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        if self.normalise:
            raise InvalidInputError("with normalise=True outputs have no simple density; use normalise=False")
        distance = np.linalg.norm(np.asarray(output) - np.asarray(given), axis=-1)
        d = self.dimension
        volume = math.log(2) + d / 2 * math.log(math.pi) + math.lgamma(d) - math.lgamma(d / 2)
        return np.asarray(-volume - d * math.log(self.scale) - distance / self.scale)

    @property
    def _distance(self) -> float:
        """The distance at which the loss is epsilon."""
        return 1.0 if self.sensitivity is None else self.sensitivity

    @property
    def _escape(self) -> float:
        """What the exact sampler's table leaves out, between the most distant vectors that are promised anything."""
        farthest = self._distance * (1 if self.delta else _COVERED_LOSS / self.epsilon)
        return self._table.escape(farthest / self.lattice.step)

    def _check(self, private: Any) -> Vectors:
        vectors = super()._check(private)
        if self.normalise and not (np.abs(np.linalg.norm(vectors, axis=1) - 1) <= _UNIT_TOLERANCE).all():
            raise InvalidInputError(
                f"vectors must have length 1, within {_UNIT_TOLERANCE:g}, for normalise=True; "
                "divide each by its length first, and leave out zero vectors"
            )
        return vectors

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        if not self.normalise:
            return super()._sample(items, streams)
        steps = (self.lattice.snap(items) + self._draw(streams)).astype(np.float64)
        # A zero vector has no direction; it becomes the first axis, whatever the input.
        steps[~steps.any(axis=1), 0] = 1.0
        return np.asarray(steps / np.linalg.norm(steps, axis=1, keepdims=True))

    @property
    def _noise_there(self) -> NoiseThere | None:
        if self.precision == "exact" or self.normalise:
            return None
        return lambda streams, device: laplace_there(streams, self.dimension, self.scale, device)

    def _draw(self, streams: Streams) -> Integers:
        if self.precision == "exact":
            return self._table.draw(streams, rounded=self.delta > 0)
        return self.lattice.to_integers(radial_laplace(streams, self.dimension, self.scale))

    @cached_property
    def _table(self) -> SphericalLaplace:
        rate = 1 / self.scale if self.delta else self.epsilon / self._distance
        return SphericalLaplace(self.dimension, rate * self.lattice.step)
