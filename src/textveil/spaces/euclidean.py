"""Euclidean space, with distances that are exact for points on a lattice.

Points that are multiples of 2^-20 with squared norms below 2^11 have squared distances that are multiples
of 2^-40 below 2^13: every product and partial sum of the matrix product fits into the 53 bits of a float64, so
squared distances carry no rounding error at all, whatever the order or the size of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.spaces.space import Points

_UNIT = 2.0**-53
# Pairs whose squared distance is below this share of their squared norms are recomputed by differences.
_CANCELLATION = 2.0**-16
EXACT_STEP = 2.0**20
EXACT_NORM = 2.0**11


@dataclass(frozen=True)
class Euclidean:
    """R^d with the l2 distance."""

    dimension: int

    @property
    def metric(self) -> str:
        """The distance in words."""
        return "Euclidean distance"

    def distances(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Return the distances of every row of `a` to every row of `b`, in float64."""
        products = a @ b.T
        _to_distances(products, a, b, np.einsum("ij,ij->i", a, a), np.einsum("ij,ij->i", b, b))
        return products

    def relative_error(self, points: Points) -> float:
        """Bound the relative error of `distances` between these points."""
        return 2 * _UNIT if self.is_exact(points) else 2 * (self.dimension + 4) * _UNIT / _CANCELLATION

    def is_exact(self, points: Points) -> bool:
        """Whether squared distances between these points have no rounding error, however they are computed."""
        largest = 0.0
        on_lattice = True
        for start in range(0, len(points), 4096):
            block = np.asarray(points[start : start + 4096], dtype=np.float64)
            largest = max(largest, float(np.einsum("ij,ij->i", block, block).max(initial=0.0)))
            on_lattice = on_lattice and bool((np.rint(block * EXACT_STEP) == block * EXACT_STEP).all())
        return on_lattice and largest < EXACT_NORM


@compiled
def _to_distances(products, a, b, norms_a, norms_b):  # type: ignore[no-untyped-def]
    for i in range(products.shape[0]):
        row = products[i]
        near = 0
        for j in range(products.shape[1]):
            norms = norms_a[i] + norms_b[j]
            square = norms - 2.0 * row[j]
            near += square < _CANCELLATION * norms
            row[j] = square
        if near:
            _recompute_near(row, a[i], b, norms_a[i], norms_b)
        for j in range(products.shape[1]):
            row[j] = np.sqrt(row[j])


@compiled
def _recompute_near(squares, point, others, norm, norms):  # type: ignore[no-untyped-def]
    for j in range(squares.size):
        if squares[j] < _CANCELLATION * (norm + norms[j]):
            total = 0.0
            for k in range(point.size):
                difference = point[k] - others[j, k]
                total += difference * difference
            squares[j] = total
