"""Laplace noise in each coordinate: loss epsilon times the l1 distance (T4).

The noise of many papers, kept for comparison. For the Euclidean distance of vectors use Laplace: this noise keeps
epsilon sqrt(d) of it only. Proof: docs/mechanisms/nadp.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import require_count, require_positive
from textveil.guarantees import Guarantee, Unit, metric_privacy
from textveil.mechanisms.vectors import AdditiveMechanism, Integers
from textveil.noise.laplace import radial_laplace
from textveil.noise.lattice import Lattice, float_slack, lattice_for
from textveil.randomness import Streams

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class CoordinateLaplace(AdditiveMechanism):
    """Add independent Laplace noise of scale 1 / epsilon to each coordinate.

    Parameters
    ----------
    epsilon : loss per unit of l1 distance
    dimension : length of a vector
    """

    epsilon: float
    dimension: int

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon), dimension=require_count("dimension", self.dimension)
        )

    @cached_property
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""
        return lattice_for(1 / self.epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x l1 distance for any two vectors, rounded to the lattice."""
        metric = f"l1 distance of vectors rounded to multiples of 2^{round(math.log2(self.lattice.step))}"
        slack = float_slack(self.dimension, math.sqrt(2) / self.epsilon, self.lattice.step)
        return metric_privacy(self.epsilon, metric=metric, unit=Unit.VECTOR, slack=slack)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "CoordinateLaplace", "epsilon": self.epsilon, "dimension": self.dimension}

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        distance = np.abs(np.asarray(output) - np.asarray(given)).sum(axis=-1)
        return np.asarray(self.dimension * math.log(self.epsilon / 2) - self.epsilon * distance)

    def _draw(self, streams: Streams) -> Integers:
        coordinates = streams.split(np.full(len(streams), self.dimension))
        noise = radial_laplace(coordinates, 1, 1 / self.epsilon)
        return self.lattice.to_integers(noise.reshape(len(streams), self.dimension))
