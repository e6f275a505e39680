"""Laplace noise in the l2 norm: each release is epsilon x distance private.

Density p(z) ~ exp(-epsilon |z|).  Proof: docs/mechanisms/laplace.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Unit, metric_privacy
from textveil.mechanisms.vectors import AdditiveMechanism, Integers
from textveil.noise.laplace import radial_laplace
from textveil.noise.lattice import Lattice, float_slack, lattice_for
from textveil.noise.spherical import SphericalLaplace
from textveil.randomness import Streams

Floats = NDArray[np.float64]

# The exact sampler's delta grows with the distance; it is stated for pairs up to this loss.
_COVERED_LOSS = 100.0


@dataclass(frozen=True, kw_only=True)
class Laplace(AdditiveMechanism):
    """Add l2-Laplace noise to vectors.

    Parameters
    ----------
    epsilon : loss per unit of Euclidean distance
    dimension : length of a vector
    precision : "fast" samples in floating point, with the cost in `guarantee.slack`; "exact" samples integers
    step : power of two that vectors are rounded to; by default 2^-14 of the noise scale or less
    """

    epsilon: float
    dimension: int
    precision: str = "fast"
    step: float | None = None

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)
        require_count("dimension", self.dimension)
        if self.precision not in ("fast", "exact"):
            raise InvalidInputError(f'precision must be "fast" or "exact" (got {self.precision!r})')
        if self.step is not None:
            Lattice(self.step)

    @cached_property
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""
        return lattice_for(1 / self.epsilon) if self.step is None else Lattice(self.step)

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x distance for any two vectors, rounded to the lattice."""
        metric = f"Euclidean distance of vectors rounded to multiples of 2^{round(math.log2(self.lattice.step))}"
        if self.precision == "exact":
            farthest = _COVERED_LOSS / (self.epsilon * self.lattice.step)
            guarantee = metric_privacy(
                self.epsilon, metric=metric, unit=Unit.VECTOR, delta=self._table.escape(farthest)
            )
            condition = f"for losses up to {_COVERED_LOSS:g}"
            return replace(guarantee, relation=replace(guarantee.relation, condition=condition))
        deviation = math.sqrt(self.dimension + 1) / self.epsilon
        slack = float_slack(self.dimension, deviation, self.lattice.step)
        return metric_privacy(self.epsilon, metric=metric, unit=Unit.VECTOR, slack=slack)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "Laplace",
            "epsilon": float(self.epsilon),
            "dimension": int(self.dimension),
            "precision": self.precision,
            "step": self.lattice.step,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        distance = np.linalg.norm(np.asarray(output) - np.asarray(given), axis=-1)
        d = self.dimension
        normaliser = (
            d * math.log(self.epsilon) + math.lgamma(d / 2) - math.log(2) - d / 2 * math.log(math.pi) - math.lgamma(d)
        )
        return np.asarray(normaliser - self.epsilon * distance)

    def _draw(self, streams: Streams) -> Integers:
        if self.precision == "exact":
            return self._table.draw(streams)
        return self.lattice.to_integers(radial_laplace(streams, self.dimension, 1 / self.epsilon))

    @cached_property
    def _table(self) -> SphericalLaplace:
        return SphericalLaplace(self.dimension, self.epsilon * self.lattice.step)
