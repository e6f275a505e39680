"""PrivUnit: vectors of a ball or a sphere, released without bias; epsilon bounds the loss between any two of them.

A random unit vector, likelier by e^epsilon on a cap around the private one, is scaled so that its mean is right.
Proof: docs/mechanisms/privunit.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.noise.cap import Cap, best_cap, cap_of_mass
from textveil.noise.lattice import Lattice, lattice_for
from textveil.noise.reading import in_portions
from textveil.noise.unit import FromCap, Rejection, expected_tries, lifted
from textveil.randomness import Streams

_EPSILONS = (1e-9, 300.0)
_CLIPS = (1e-100, 1e100)
_SHARES = (1e-9, 0.5)
_LARGEST_DIMENSION = 1_000_000
# Expected tries: up to the first, which takes less than a millisecond for 300 numbers, "auto" takes "rejection"; above
# the second "rejection" is refused.
_QUICK_TRIES = 300
_MOST_TRIES = 10_000
_UNIT_TOLERANCE = 1e-5


@dataclass(frozen=True, kw_only=True)
class PrivUnit(VectorMechanism):
    """Release vectors so that the mean of the release is the vector, with a loss of epsilon for any pair.

    Parameters
    ----------
    epsilon : the loss between any two vectors
    dimension : length of a vector
    clip : longer vectors are shortened to this length; part of the "ball" only
    domain : "ball" takes any vector; "sphere" takes unit vectors and adds a little less noise
    sampler : "rejection" is proved in floating point and slow for large epsilon; "beta" is quick and proved in ideal
        arithmetic; "auto" takes the first where it is quick
    share : how much of the sphere the cap takes, at most a half; by default as much as makes the error least. Any share
        keeps the promise and has no bias
    """

    epsilon: float
    dimension: int
    clip: float = 1.0
    domain: str = "ball"
    sampler: str = "auto"
    share: float | None = None

    def __post_init__(self) -> None:
        self._keep(
            epsilon=_require_within("epsilon", self.epsilon, _EPSILONS), clip=_require_within("clip", self.clip, _CLIPS)
        )
        if self.domain not in ("ball", "sphere"):
            raise InvalidInputError(f'domain must be "ball" or "sphere" (got {self.domain!r})')
        self._keep(dimension=require_count("dimension", self.dimension, least=1 if self.domain == "ball" else 2))
        if self.dimension > _LARGEST_DIMENSION:
            raise InvalidInputError(f"dimension must be at most {_LARGEST_DIMENSION:,} (got {self.dimension!r})")
        if self.domain == "sphere" and self.clip != 1:
            raise InvalidInputError(f'clip belongs to domain="ball"; unit vectors have length 1 (got {self.clip!r})')
        if self.sampler not in ("auto", "rejection", "beta"):
            raise InvalidInputError(f'sampler must be "auto", "rejection" or "beta" (got {self.sampler!r})')
        if self.share is not None:
            self._keep(share=_require_within("share", self.share, _SHARES))
        if self.sampler == "rejection" and self.tries > _MOST_TRIES:
            raise InvalidInputError(
                f'sampler="rejection" needs {self.tries:.2g} tries a vector at epsilon {self.epsilon:g}, more than '
                f'{_MOST_TRIES:,}; use sampler="beta" or a smaller epsilon'
            )

    @cached_property
    def cap(self) -> Cap:
        """The part of the sphere that is likelier than the rest."""
        d = self.dimension + (1 if self.domain == "ball" else 0)
        return best_cap(d, self.epsilon) if self.share is None else cap_of_mass(d, self.share)

    @property
    def gamma(self) -> float:
        """Where the cap begins."""
        return self.cap.gamma

    @property
    def tries(self) -> float:
        """How many proposals sampler="rejection" makes for a vector, on average."""
        return expected_tries(self.cap, self.epsilon)

    @property
    def rms(self) -> float:
        """Root of the mean squared error of a release: the same for every vector, or with a share the largest."""
        m, rest = self.cap.mean(self._drawer.odds)
        kept = self.dimension / self.cap.dimension
        # What an error of gamma = m would be, and what more it is at one end of the ball if it is not.
        off = 0.0 if self.domain == "sphere" else (self.gamma - m) * m
        return self.clip * math.sqrt(kept * (rest * (1 + m) - off) + max(0.0, off)) / m

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon between any two vectors; a theorem about floats only for sampler="rejection"."""
        shortened = f"(vectors longer than {self.clip:.7g} are shortened to it)" if self.domain == "ball" else ""
        relation = Relation(pairs=Pairs.ANY, condition=shortened)
        promise = Guarantee(epsilon=float(self.epsilon), unit=Unit.VECTOR, relation=relation)
        if isinstance(self._drawer, Rejection):
            return promise
        reason = 'ideal arithmetic; sampler="beta" computes in floating point'
        return replace(promise, status=Status.CONDITIONAL, reason=reason)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values, with the sampler that "auto" chose."""
        spec = {
            "mechanism": "PrivUnit",
            "epsilon": self.epsilon,
            "dimension": self.dimension,
            "clip": self.clip,
            "domain": self.domain,
            "sampler": "rejection" if isinstance(self._drawer, Rejection) else "beta",
        }
        return spec if self.share is None else spec | {"share": self.share}

    def log_density(self, output: Vectors, given: Vectors) -> Vectors:
        """Return ln of how much likelier an output is than it would be if the sphere had no cap.

        That reference law is the same for every input, so differences are losses. It is the law before outputs of
        sampler="beta" are rounded.
        """
        direction = np.asarray(output, dtype=np.float64) / self._scale
        given = np.asarray(given, dtype=np.float64)
        units = self._units(given.reshape(-1, self.dimension)).reshape(*given.shape[:-1], self.cap.dimension)
        along = np.sum(direction * units[..., : self.dimension], axis=-1)
        if self.domain == "sphere":
            return np.log(self._weight(along / np.linalg.norm(direction, axis=-1)))
        # Of the number that was dropped only the sign is unknown, and both are as likely.
        dropped = np.sqrt(np.maximum(0.0, 1 - np.sum(direction**2, axis=-1))) * units[..., -1]
        return np.log((self._weight(along + dropped) + self._weight(along - dropped)) / 2)

    def _weight(self, t: Vectors) -> Vectors:
        odds, q = self._drawer.odds, self.cap.mass
        return np.where(t >= self.gamma, 1 + odds, odds) / (odds + q)

    def _check(self, private: Any) -> Vectors:
        vectors = super()._check(private)
        if self.domain == "sphere":
            with np.errstate(over="ignore"):
                off = np.abs(np.linalg.norm(vectors, axis=1) - 1)
            if not (off <= _UNIT_TOLERANCE).all():
                raise InvalidInputError(
                    f'vectors must have length 1, to {_UNIT_TOLERANCE:g}, for domain="sphere", and not all have: '
                    'divide each by its norm (a zero vector has no direction), or use domain="ball"'
                )
        # -0.0 is the same number as 0.0 and gets the same noise from a key.
        vectors += 0.0
        return vectors

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        released = np.empty_like(items)

        def fill(part: Streams, rows: slice) -> None:
            drawn = self._drawer.draw(part, self._units(items[rows]))[:, : self.dimension] * self._scale
            if isinstance(self._drawer, FromCap):
                drawn = self._lattice.to_vectors(self._lattice.to_integers(drawn))
            released[rows] = drawn

        in_portions(streams, self._drawer.words, fill)
        return released

    def _units(self, vectors: Vectors) -> Vectors:
        """Return the points of the sphere that stand for the vectors."""
        if self.domain == "ball":
            return lifted(vectors, self.clip)
        units: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return units

    @cached_property
    def _drawer(self) -> Rejection | FromCap:
        quick = self.sampler == "auto" and self.tries <= _QUICK_TRIES
        drawer = Rejection if quick or self.sampler == "rejection" else FromCap
        return drawer(self.cap, self.epsilon)

    @cached_property
    def _scale(self) -> float:
        """A direction times this is the release: clip / m."""
        return self.clip / self.cap.mean(self._drawer.odds)[0]

    @cached_property
    def _lattice(self) -> Lattice:
        """Where outputs of sampler="beta" are rounded to: 2^-14 of the deviation of a number or less."""
        return lattice_for(self._scale / math.sqrt(self.cap.dimension))


def _require_within(name: str, value: float, limits: tuple[float, float]) -> float:
    low, high = limits
    number = require_positive(name, value)
    if not low <= number <= high:
        raise InvalidInputError(f"{name} must be from {low:g} to {high:g} (got {value!r})")
    return number
