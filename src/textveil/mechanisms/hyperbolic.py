"""Noise in hyperbolic space: each release is epsilon x hyperbolic distance private.

Density p(x) ~ exp(-epsilon d(x, input)) by hyperbolic volume; it exists for epsilon > dimension - 1, and below that no
noise that treats all places alike is private. Proof: docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_number, require_positive
from textveil.guarantees import Guarantee, Status, Unit, metric_privacy
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.noise.hyperbolic import RadiusLaw, hyperbolic_laplace
from textveil.noise.hyperbolic_lebesgue import MOST_DIMENSIONS, lebesgue_noise
from textveil.noise.hyperbolic_published import metropolis_noise
from textveil.randomness import Streams
from textveil.spaces.hyperbolic import LARGEST_NORM, Polar, distance, split, translate

Floats = NDArray[np.float64]

METRIC = "hyperbolic distance (Poincaré ball, curvature -1)"
VARIANTS = ("repaired", "published", "lebesgue")

_IDEAL = "for ideal arithmetic: the noise is drawn and released in floating point"
_REFUTED = (
    "noise is added to coordinates, so that outputs within reach of one input are out of reach of another and the loss "
    "is infinite; how far the noise goes depends on the proposals of its Markov chain and hardly on epsilon"
)


@dataclass(frozen=True, kw_only=True)
class HyperbolicLaplace(VectorMechanism):
    """Move points of the Poincaré ball at random.

    Parameters
    ----------
    epsilon : loss per unit of hyperbolic distance; more than dimension - 1 for the repaired variant
    dimension : of the ball
    variant : "repaired"; "lebesgue", a density by Euclidean volume, for any epsilon and up to 5 dimensions, which pulls
        points towards the centre; "published", the mechanism of the paper, which is not private
    steps : of the published variant's Markov chain
    margin : the published variant puts points that have left the ball at norm 1 + margin: 1e-4 as printed, which is
        outside too; a negative one is inside
    """

    epsilon: float
    dimension: int
    variant: str = "repaired"
    steps: int = 600
    margin: float = 1e-4

    def __post_init__(self) -> None:
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            dimension=require_count("dimension", self.dimension),
            steps=require_count("steps", self.steps),
            margin=require_number("margin", self.margin),
        )
        if self.variant not in VARIANTS:
            raise InvalidInputError(f"variant must be one of {', '.join(VARIANTS)} (got {self.variant!r})")
        if not -1 < self.margin < 1:
            raise InvalidInputError(f"margin must be between -1 and 1 (got {self.margin!r})")
        if self.variant == "repaired" and self.epsilon <= self.dimension - 1:
            raise InvalidInputError(
                f"epsilon must be > {self.dimension - 1} for hyperbolic noise in dimension {self.dimension} "
                f"(got {self.epsilon!r}): below it no noise that treats all places alike is private (theorem T12, "
                "docs/mechanisms/hyperbolic.md); use Exponential on a vocabulary with space=textveil.spaces.Poincare("
                f"{self.dimension}), which works at any epsilon"
            )
        if self.variant == "lebesgue" and self.dimension > MOST_DIMENSIONS:
            raise InvalidInputError(
                f"the lebesgue variant is drawn by rejection, in at most {MOST_DIMENSIONS} dimensions "
                f"(got {self.dimension}); use Exponential on a vocabulary with "
                f"space=textveil.spaces.Poincare({self.dimension})"
            )

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x hyperbolic distance for any two points, in ideal arithmetic; published: refuted."""
        status, reason = (Status.REFUTED, _REFUTED) if self.variant == "published" else (Status.CONDITIONAL, _IDEAL)
        return metric_privacy(self.epsilon, metric=METRIC, unit=Unit.VECTOR, status=status, reason=reason)

    @cached_property
    def radius_law(self) -> RadiusLaw:
        """How far the repaired variant goes: mean, deviation, quantiles."""
        return RadiusLaw(self.epsilon, self.dimension)

    @property
    def rate(self) -> float:
        """The rate of the lebesgue variant's density, which leaves room for its normaliser."""
        return float(max(self.epsilon / 2, self.epsilon - self.dimension))

    @property
    def stays_inside(self) -> bool:
        """Whether every output is a point of the ball."""
        return self.variant != "published" or self.margin < 0

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        chain = {"steps": self.steps, "margin": self.margin} if self.variant == "published" else {}
        return {
            "mechanism": "HyperbolicLaplace",
            "epsilon": self.epsilon,
            "dimension": self.dimension,
            "variant": self.variant,
            **chain,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the repaired variant, by hyperbolic volume."""
        if self.variant != "repaired":
            raise InvalidInputError(f"the density of the {self.variant} variant is not known in closed form")
        output, given = np.broadcast_arrays(output, given)
        flat = [Polar.of_ball(points.reshape(-1, self.dimension)) for points in (output, given)]
        return np.asarray(-self.epsilon * distance(*flat) - self.radius_law.log_mass()).reshape(output.shape[:-1])

    def _check(self, private: Any) -> Vectors:
        vectors = super()._check(private)
        if not (split(vectors).gaps > 0).all():
            raise InvalidInputError("points must lie inside the Poincaré ball, at norm < 1: there is one that does not")
        return vectors

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        if self.variant == "lebesgue":
            return _within(lebesgue_noise(streams, items, self.rate), LARGEST_NORM)
        if self.variant == "published":
            moved = items + metropolis_noise(streams, self.dimension, self.epsilon, self.steps)
            norms = np.linalg.norm(moved, axis=1)
            return moved * np.where(norms >= 1, (1 + self.margin) / np.maximum(norms, 1), 1.0)[:, None]
        return translate(Polar.of_ball(items), hyperbolic_laplace(streams, self.radius_law)).ball()

    def _wrap(self, outputs: Vectors, private: Any) -> Any:
        if self.stays_inside:
            # What is rounded to shorter floats must not be rounded onto the boundary.
            outputs = _within(outputs, min(LARGEST_NORM, 1 - 4 * _unit_of(private)))
        return super()._wrap(outputs, private)


def _within(points: Vectors, largest: float) -> Vectors:
    """Pull points beyond a norm back to it."""
    shrunk: Vectors = points * (largest / np.maximum(np.linalg.norm(points, axis=1), largest))[:, None]
    return shrunk


def _unit_of(private: Any) -> float:
    """Return the relative distance of two floats of the kind that goes out."""
    if hasattr(private, "detach"):
        import torch

        return float(torch.finfo(private.dtype).eps) if private.dtype.is_floating_point else 0.0
    kind = np.asarray(private).dtype
    return float(np.finfo(kind).eps) if kind.kind == "f" else 0.0
