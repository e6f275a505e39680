"""Laplace noise shaped like a public covariance: epsilon x Mahalanobis distance (Xu et al. 2020; SPEC T11).

The vector is whitened, released with Laplace noise there, and coloured back, which is post-processing: all
that is promised is what Laplace promises for whitened vectors. Proof: docs/mechanisms/mahalanobis.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_positive
from textveil.guarantees import Guarantee
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.noise.lattice import Lattice
from textveil.randomness import Streams

Floats = NDArray[np.float64]

_SYMMETRY = 1e-8
# Flatter matrices lose the digits of their inverse.
_LEAST_SHARE = 1e-10


@dataclass(frozen=True, eq=False)
class Mahalanobis(VectorMechanism):
    """Add noise that is large where a public covariance is large, and small where it is small.

    Parameters
    ----------
    covariance : public, (dimension, dimension); only its shape counts, since it is scaled to trace = dimension
    epsilon : loss per unit of Mahalanobis distance |A^(-1/2) (x - x')|, A = mix covariance + (1 - mix) identity
    mix : 1 takes the covariance as it is, 0 gives plain Laplace noise
    precision : "fast" samples in floating point, with the cost in `guarantee.slack`; "exact" samples integers
    step : power of two that whitened vectors are rounded to; by default 2^-14 of the noise scale or less
    """

    covariance: Floats
    _: KW_ONLY
    epsilon: float
    mix: float = 1.0
    precision: str = "fast"
    step: float | None = None

    def __post_init__(self) -> None:
        require_positive("epsilon", self.epsilon)
        if not 0 <= self.mix <= 1:
            raise InvalidInputError(f"mix must be between 0 and 1 (got {self.mix!r})")
        object.__setattr__(self, "covariance", _checked(self.covariance))
        values, _ = self._eigen
        if not values[0] > _LEAST_SHARE * values[-1]:
            raise InvalidInputError(
                f"covariance must be positive definite: with mix={self.mix:g} its smallest eigenvalue is "
                f"{values[0]:.3g}, the largest {values[-1]:.3g}; give a smaller mix, such as 0.9"
            )
        _ = self._noise

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """Length of a vector."""
        return len(self.covariance)

    @property
    def lattice(self) -> Lattice:
        """Where whitened vectors are rounded to."""
        return self._noise.lattice

    @property
    def euclidean_epsilon(self) -> float:
        """The loss per unit of Euclidean distance, in the direction where it is largest."""
        return float(self.epsilon / math.sqrt(self._eigen[0][0]))

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x Mahalanobis distance, of whitened vectors rounded to the lattice."""
        promise = self._noise.guarantee
        name = hashlib.sha256(self.matrix.astype("<f8").tobytes()).hexdigest()[:12]
        metric = (
            f"Mahalanobis distance |A^(-1/2) (x - x')| with the matrix A of sha256 {name}, rounded there to multiples "
            f"of 2^{round(math.log2(self.lattice.step))}; at most {self.euclidean_epsilon / self.epsilon:.4g} x "
            "Euclidean distance"
        )
        return replace(promise, relation=replace(promise.relation, metric=metric))

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values, the covariance by its sha256."""
        return {
            "mechanism": "Mahalanobis",
            "covariance": _digest(self.covariance),
            "epsilon": float(self.epsilon),
            "mix": float(self.mix),
            "precision": self.precision,
            "step": self.lattice.step,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        whitened = (np.asarray(each, dtype=np.float64) @ self._whitening for each in (output, given))
        return np.asarray(self._noise.log_density(*whitened) - 0.5 * np.log(self._eigen[0]).sum())

    @cached_property
    def matrix(self) -> Floats:
        """A: the covariance with trace = dimension, mixed with the identity."""
        scaled = self.covariance * (self.dimension / np.trace(self.covariance))
        return np.asarray(self.mix * scaled + (1 - self.mix) * np.eye(self.dimension))

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats]:
        values, vectors = np.linalg.eigh(self.matrix)
        return values, vectors

    @cached_property
    def _whitening(self) -> Floats:
        values, vectors = self._eigen
        return np.asarray((vectors / np.sqrt(values)) @ vectors.T)

    @cached_property
    def _colouring(self) -> Floats:
        values, vectors = self._eigen
        return np.asarray((vectors * np.sqrt(values)) @ vectors.T)

    @cached_property
    def _noise(self) -> Laplace:
        return Laplace(epsilon=self.epsilon, dimension=self.dimension, precision=self.precision, step=self.step)

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        return _each(self._noise._sample(_each(items, self._whitening), streams), self._colouring)

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Mahalanobis:
        options = dict(spec)
        digest = options.pop("covariance")
        return cls(
            named_object("covariance", digest, objects, sha256_of=lambda found: _digest(_checked(found))), **options
        )


def _checked(covariance: Any) -> Floats:
    """Return a symmetric copy that nobody can change."""
    matrix = np.array(covariance, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise InvalidInputError(f"covariance must be a square matrix (got shape {matrix.shape})")
    if not np.isfinite(matrix).all():
        raise InvalidInputError("covariance must be finite: there is a NaN or an infinity in it")
    if np.abs(matrix - matrix.T).max() > _SYMMETRY * np.abs(matrix).max():
        raise InvalidInputError("covariance must be symmetric; (C + C.T) / 2 makes it so")
    if not np.trace(matrix) > 0:
        raise InvalidInputError(f"covariance must have a trace above 0 (got {np.trace(matrix):.3g})")
    matrix = (matrix + matrix.T) / 2
    matrix.flags.writeable = False
    return matrix


def _digest(covariance: Floats) -> str:
    header = b"textveil covariance 1 %d\n" % len(covariance)
    return hashlib.sha256(header + covariance.astype("<f8").tobytes()).hexdigest()


def _each(rows: Vectors, matrix: Floats) -> Vectors:
    """Multiply row by row: the last bits of one large product would depend on the batch."""
    return np.asarray(np.matmul(rows[:, None, :], matrix)[:, 0])
