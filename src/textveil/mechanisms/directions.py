"""Vectors by their directions: each is divided by its length, and the unit vector is released.

The division is a public function of one record, so what the inner mechanism promises for two unit vectors it promises
for two vectors with these directions; their lengths are not released at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.mechanisms.mechanism import from_spec
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.randomness import Streams


@dataclass(frozen=True, eq=False)
class Directions(VectorMechanism):
    """Divide vectors by their lengths, then release them.

    Parameters
    ----------
    mechanism : releases unit vectors, such as Laplace(normalise=True)
    """

    mechanism: VectorMechanism

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, VectorMechanism):
            raise InvalidInputError("Directions needs a mechanism that releases vectors, such as Laplace")

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """Length of a vector."""
        return self.mechanism.dimension

    @property
    def released_dimension(self) -> int:
        """Length of a released vector."""
        return self.mechanism.released_dimension

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism, by the distance of the directions."""
        promise = self.mechanism.guarantee
        divided = f"{promise.relation.metric}, each divided by its length before"
        return replace(promise, relation=replace(promise.relation, metric=divided if promise.relation.metric else ""))

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "Directions", "vectors": self.mechanism.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Directions:
        inner = from_spec(spec["vectors"], objects)
        if not isinstance(inner, VectorMechanism):
            raise InvalidInputError("the spec of Directions names a mechanism that releases no vectors")
        return cls(inner)

    def _check(self, private: Any) -> Vectors:
        vectors = super()._check(private)
        largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
        if not largest.all():
            raise InvalidInputError("a vector of zeros has no direction; leave such vectors out")
        # Squares of very large and very small numbers would leave the range of floats.
        vectors /= largest
        return self.mechanism._check(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        released: Vectors = self.mechanism._sample(items, streams)
        return released
