"""Gaussian noise: (epsilon, delta) between vectors within the sensitivity, and a known promise at every distance.

The standard deviation is the least that keeps the promise, by the exact formula (SPEC T2); the textbook formula
sqrt(2 ln(1.25 / delta)) / epsilon is refused. Proof: docs/mechanisms/gaussian.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability
from textveil.gpu.noise import gaussian as gaussian_there
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.mechanisms.vectors import AdditiveMechanism, Integers, NoiseThere, check_precision
from textveil.noise.exact import LARGEST_DEVIATION, rounded_normal
from textveil.noise.gaussian import gaussian
from textveil.noise.gaussian_curve import gaussian_scale
from textveil.noise.lattice import Lattice, float_slack, lattice_for
from textveil.randomness import Streams

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Gaussian(AdditiveMechanism):
    """Add normal noise to vectors.

    Parameters
    ----------
    epsilon : loss between two vectors within the sensitivity
    delta : probability mass that may escape it; above 0
    sensitivity : largest Euclidean distance of two vectors, rounded to the lattice, that must look alike
    dimension : length of a vector
    precision : "exact" samples integers; "fast" samples in floating point, with the cost in `guarantee.slack`, which is
        more than a small delta for large epsilon
    step : power of two that vectors are rounded to; by default 2^-14 of the noise scale or less
    calibration : "analytic", the exact formula; there is no other
    """

    epsilon: float
    delta: float
    sensitivity: float
    dimension: int
    precision: str = "exact"
    step: float | None = None
    calibration: str = "analytic"

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            delta=require_probability("delta", self.delta),
            sensitivity=require_positive("sensitivity", self.sensitivity),
            dimension=require_count("dimension", self.dimension),
            step=check_precision(self.precision, self.step),
        )
        if self.delta == 0:
            raise InvalidInputError("Gaussian noise needs delta > 0 (got 0): use Laplace or PrivUnit, which need none")
        if self.calibration == "classical":
            raise InvalidInputError(
                'calibration="classical", sqrt(2 ln(1.25 / delta)) / epsilon, is proved for epsilon < 1 only and wrong '
                'for large ones (from epsilon = 8.42 on at delta = 1e-5): use "analytic", which is exact for all'
            )
        if self.calibration != "analytic":
            raise InvalidInputError(f'calibration must be "analytic" (got {self.calibration!r})')
        if self.precision == "exact" and self._steps >= LARGEST_DEVIATION:
            raise InvalidInputError(f"step must be above sigma / 2^50 (got {self.step!r}, sigma is {self.sigma:.3g})")
        if self.precision == "fast":
            # Refuses where sampling in floating point leaves nothing of the promise.
            _ = self.guarantee

    @cached_property
    def sigma(self) -> float:
        """The standard deviation of a coordinate that the promise needs."""
        return gaussian_scale(self.epsilon, self.delta) * self.sensitivity

    @cached_property
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""
        return lattice_for(self.sigma) if self.step is None else Lattice(self.step)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for vectors within the sensitivity, rounded to the lattice, and mu if exact."""
        exact = self.precision == "exact"
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            unit=Unit.VECTOR,
            relation=Relation(pairs=Pairs.WITHIN, metric=self.lattice.metric, radius=self.sensitivity),
            slack=0.0 if exact else float_slack(self.dimension, self.sigma, self.lattice.step),
            mu=1 / self._deviation if exact else None,
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "Gaussian",
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sensitivity": self.sensitivity,
            "dimension": self.dimension,
            "precision": self.precision,
            "step": self.lattice.step,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        distance = np.linalg.norm(np.asarray(output) - np.asarray(given), axis=-1) / self._deviation
        normaliser = self.dimension * math.log(self._deviation * math.sqrt(2 * math.pi))
        return np.asarray(-(distance**2) / 2 - normaliser)

    @property
    def _steps(self) -> int:
        """The exact sampler's deviation: a whole number of steps, and never less than sigma."""
        return math.ceil(self.sigma / self.lattice.step)

    @property
    def _deviation(self) -> float:
        return self._steps * self.lattice.step if self.precision == "exact" else self.sigma

    @property
    def _noise_there(self) -> NoiseThere | None:
        if self.precision == "exact":
            return None
        return lambda streams, device: gaussian_there(streams, self.dimension, self.sigma, device)

    def _draw(self, streams: Streams) -> Integers:
        if self.precision == "exact":
            return rounded_normal(streams, self.dimension, self._steps)
        return self.lattice.to_integers(gaussian(streams, self.dimension, self.sigma))
