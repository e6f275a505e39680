"""Laplace noise shaped like a public covariance: epsilon x Mahalanobis distance (Xu et al. 2020; SPEC T11).

The vector is whitened, released with Laplace noise there, and coloured back, which is post-processing. The whitening
is computed, so what it stretches beyond the true one is bounded and paid for. Proof: docs/mechanisms/mahalanobis.md.
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

from textveil.errors import InvalidInputError, require_number, require_positive
from textveil.guarantees import Guarantee, rounded_up
from textveil.immutable import read_only
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.privemb.constants import operator_norm
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.noise.lattice import Lattice
from textveil.randomness import Streams

Floats = NDArray[np.float64]

_SYMMETRY = 1e-8
# Flatter matrices lose the digits of their inverse.
_LEAST_SHARE = 1e-10
_UNIT = 2.0**-53
# How far from the identity W A W of the computed whitening W may be.
_MOST_DEFECT = 0.5
# What the product with W may add to the rounding to the lattice, as a share of it.
_FLOAT_SHARE = 1 / 16


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
        self._keep(epsilon=require_positive("epsilon", self.epsilon), mix=require_number("mix", self.mix))
        if not 0 <= self.mix <= 1:
            raise InvalidInputError(f"mix must be between 0 and 1 (got {self.mix!r})")
        self._keep(covariance=_checked(self.covariance))
        values, _ = self._eigen
        if not values[0] > _LEAST_SHARE * values[-1]:
            if (least := np.linalg.eigvalsh(self.covariance)[0]) < -_SYMMETRY * np.abs(self.covariance).max():
                raise InvalidInputError(
                    f"this is not a covariance: its least eigenvalue is {least:.3g}, and none may be below 0; compute "
                    "it as numpy.cov of public vectors"
                )
            raise InvalidInputError(
                f"covariance must be positive definite: with mix={self.mix:g} its smallest eigenvalue is "
                f"{values[0]:.3g}, the largest {values[-1]:.3g}; give a smaller mix, such as 0.9"
            )
        if not self._defect <= _MOST_DEFECT:
            raise InvalidInputError(
                f"covariance is too flat for float64 in {self.dimension} dimensions: with mix={self.mix:g} its least "
                f"eigenvalue is {values[0]:.3g}, the largest {values[-1]:.3g}; give a smaller mix, such as 0.9"
            )
        self._keep(step=self._noise.step)

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
        """An upper bound of the loss per unit of Euclidean distance, equal to the largest one up to rounding."""
        return self.epsilon * self._euclidean_rate

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x (Mahalanobis distance + rounding)."""
        promise = self._noise.guarantee
        name = hashlib.sha256(self.matrix.astype("<f8").tobytes()).hexdigest()[:12]
        metric = (
            f"Mahalanobis distance |A^(-1/2) (x - x')| with the matrix A of sha256 {name}, at most "
            f"{rounded_up(self._euclidean_rate, 4)} x Euclidean distance"
        )
        rounding = (1 + _FLOAT_SHARE) * self._rounding / self._stretch
        return replace(
            promise, epsilon=self.epsilon, relation=replace(promise.relation, metric=metric, rounding=rounding)
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values, the covariance by its sha256."""
        return {
            "mechanism": "Mahalanobis",
            "covariance": _digest(self.covariance),
            "epsilon": self.epsilon,
            "mix": self.mix,
            "precision": self.precision,
            "step": self.lattice.step,
        }

    def log_density(self, output: Floats, given: Floats) -> Floats:
        """Return ln p(output | given) of the noise before rounding."""
        whitened = (np.asarray(each, dtype=np.float64) @ self._whitening for each in (output, given))
        return np.asarray(self._noise.log_density(*whitened) - 0.5 * np.log(self._eigen[0]).sum())

    @property
    def reach(self) -> float:
        """The largest norm of a vector whose whitening is exact enough for the step."""
        return _FLOAT_SHARE * self._rounding / (2.04 * _UNIT * self.dimension * float(np.linalg.norm(self._whitening)))

    @cached_property
    def matrix(self) -> Floats:
        """A: the covariance with trace = dimension, mixed with the identity."""
        scaled = self.covariance * (self.dimension / np.trace(self.covariance))
        return read_only(np.asarray(self.mix * scaled + (1 - self.mix) * np.eye(self.dimension)))

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
        rate = self.epsilon / self._stretch
        return Laplace(epsilon=rate, dimension=self.dimension, precision=self.precision, step=self.step)

    @cached_property
    def _defect(self) -> float:
        """A bound of |W A W - 1| in the spectral norm, W the computed whitening: claim 2 of the docs."""
        whitening, matrix = self._whitening, self.matrix
        found = np.linalg.norm(whitening.T @ (matrix @ whitening) - np.eye(self.dimension))
        missed = 2.1 * self.dimension * _UNIT * np.linalg.norm(whitening) ** 2 * np.linalg.norm(matrix)
        return float(found + missed) * (1 + 1e-9)

    @property
    def _stretch(self) -> float:
        """What the computed whitening stretches no Mahalanobis distance beyond."""
        return math.sqrt(1 + self._defect) * (1 + 1e-12)

    @cached_property
    def _euclidean_rate(self) -> float:
        """What no vector's Mahalanobis norm exceeds, per unit of its Euclidean norm."""
        largest = operator_norm(self._whitening.T @ self._whitening, self.dimension)
        return largest / math.sqrt(1 - self._defect) * (1 + 1e-12)

    @property
    def _rounding(self) -> float:
        """How far rounding to the lattice moves two whitened vectors apart."""
        return self.lattice.step * math.sqrt(self.dimension)

    def _check(self, private: Any) -> Vectors:
        vectors = super()._check(private)
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(vectors, axis=1)
        # Written so that a norm that overflowed fails too.
        if not (norms <= self.reach).all():
            raise InvalidInputError(
                f"the norm of a vector must be at most {self.reach:.3g}: beyond, float64 is not exact enough for the "
                "step; rescale the vectors or give a larger step="
            )
        return vectors

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
    return read_only((matrix + matrix.T) / 2)


def _digest(covariance: Floats) -> str:
    header = b"textveil covariance 1 %d\n" % len(covariance)
    return hashlib.sha256(header + covariance.astype("<f8").tobytes()).hexdigest()


def _each(rows: Vectors, matrix: Floats) -> Vectors:
    """Multiply row by row: the last bits of one large product would depend on the batch."""
    return np.asarray(np.matmul(rows[:, None, :], matrix)[:, 0])
