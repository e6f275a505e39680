"""Certificates: what a projection stretches no pair of inputs beyond, on the lattice where it is released (SPEC 2.2).

Proofs: docs/mechanisms/privemb.md, claims 2 to 4 and 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.immutable import Immutable
from textveil.mechanisms.privemb import keeping
from textveil.mechanisms.privemb.constants import stretch_before_drawing
from textveil.mechanisms.privemb.projections import Projection
from textveil.mechanisms.privemb.secants import Secants, all_secants
from textveil.mechanisms.privemb.table import PublicTable
from textveil.noise.lattice import Lattice, lattice_for

KINDS = ("operator", "secants", "probabilistic")

_UNIT = 2.0**-53
# Squared ratios are computed to a relative 1e-11 and divided by an epsilon in float64: this covers both.
_MARGIN = 1 + 1e-9
# What the product may add to the rounding to the lattice, as a share of it.
_FLOAT_SHARE = 1 / 16


@dataclass(frozen=True)
class Certificate(Immutable):
    """A stretch that no pair exceeds, and the lattice that it is about.

    Parameters
    ----------
    kind : "operator", "secants" or "probabilistic"
    lipschitz : g |y - y'| <= lipschitz (|x - x'| + rounding), y in whole steps
    lattice : where projections are rounded to
    rounding : see above; 0 if it is within the Lipschitz constant
    reach : largest terms x norm of a vector whose product is exact enough
    codes : the projections of the table, if only its rows are covered
    mean : mean squared ratio, if it was computed
    delta : the chance that the projection was drawn badly
    """

    kind: str
    lipschitz: float
    lattice: Lattice
    rounding: float = 0.0
    reach: float = math.inf
    codes: NDArray[np.int64] | None = None
    mean: float | None = None
    delta: float = 0.0


def for_every_vector(projection: Projection, epsilon: float, step: float | None) -> Certificate:
    """Certify all of space, by the operator norm of the matrix at hand."""
    return _with_rounding("operator", projection, projection.operator_norm, epsilon, step)


def for_the_draw(
    projection: Projection,
    epsilon: float,
    step: float | None,
    *,
    delta: float,
    table: PublicTable | None,
    width: float | None,
) -> Certificate:
    """Certify, except with probability delta over the draw of the matrix, inputs that were fixed before it."""
    stretch = stretch_before_drawing(
        projection.name,
        projection.target,
        projection.dimension,
        delta=delta,
        points=None if table is None else len(table),
        width=width,
    )
    certificate = _with_rounding("probabilistic", projection, stretch, epsilon, step, delta=delta)
    if table is None or width is not None:
        return certificate
    norms = np.linalg.norm(table.points.astype(np.float64), axis=1)
    if norms.max() * projection.dimension > certificate.reach:
        raise InvalidInputError("the vectors of public are too long for float64 and this step; give a larger step=")
    codes = certificate.lattice.snap(projection.apply(table.points.astype(np.float64)))
    return replace(certificate, codes=codes)


def for_the_table(projection: Projection, table: PublicTable, epsilon: float, step: float | None) -> Certificate:
    """Certify the rows of a public table: the largest ratio of all pairs, of the projections as they are stored."""
    projected = projection.apply(table.points.astype(np.float64))
    lattice = Lattice(step) if step is not None else lattice_for(_least_stretch(table, projected) / epsilon)
    codes = lattice.snap(projected)
    secants = secants_of(projection, table, lattice, codes)
    if secants.largest == 0:
        raise InvalidInputError("the projection maps every row of public to one lattice point; choose another")
    return Certificate(
        kind="secants",
        lipschitz=math.sqrt(secants.largest) * lattice.step * _MARGIN,
        lattice=lattice,
        codes=codes,
        mean=secants.mean * lattice.step**2,
    )


def mean_ratio(projection: Projection, table: PublicTable | None, lattice: Lattice) -> float:
    """Return the mean of |A v|^2 / |v|^2 over the differences of a table, or over all directions without one."""
    if table is None:
        return projection.squared_norm / projection.dimension
    codes = lattice.snap(projection.apply(table.points.astype(np.float64)))
    return secants_of(projection, table, lattice, codes).mean * lattice.step**2


def secants_of(projection: Projection, table: PublicTable, lattice: Lattice, codes: NDArray[np.int64]) -> Secants:
    """Return the secants of a table, from the cache if they are there."""
    subject = {"table": table.digest, "matrix": projection.digest, "step": lattice.step}
    stored = keeping.load(subject, table.points, codes)
    if stored is not None:
        return stored
    secants = all_secants(table.points, codes, table.device)
    keeping.save(subject, secants, len(table))
    return secants


def _with_rounding(
    kind: str, projection: Projection, lipschitz: float, epsilon: float, step: float | None, delta: float = 0.0
) -> Certificate:
    lattice = lattice_for(lipschitz / epsilon) if step is None else Lattice(step)
    rounding = lattice.step * math.sqrt(projection.target)
    reach = _FLOAT_SHARE * rounding / (2.04 * _UNIT * math.sqrt(projection.squared_norm))
    whole = (1 + _FLOAT_SHARE) * rounding / lipschitz
    return Certificate(kind=kind, lipschitz=lipschitz, lattice=lattice, rounding=whole, reach=reach, delta=delta)


def _least_stretch(table: PublicTable, projected: NDArray[np.float64]) -> float:
    """Return a stretch that some pair has: the lattice is chosen for no more noise than there will be."""
    steps = np.diff(projected, axis=0)
    squares = np.einsum("ij,ij->i", steps, steps)
    gaps = np.diff(table.points.astype(np.float64), axis=0)
    largest = float((squares / np.einsum("ij,ij->i", gaps, gaps)).max())
    if largest == 0:
        raise InvalidInputError("the projection maps every row of public to one point; choose another")
    return math.sqrt(largest)
