"""Noise on vectors: Laplace, CoordinateLaplace, Gaussian, Mahalanobis, ClippedLaplace."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.analytic.noise import Domain, Noise, Spread, gaussian_noise, judge, laplace_noise, tabled
from textveil.auditing.metrics import norm_of
from textveil.auditing.promises import exceeds
from textveil.auditing.report import Finding, Verdict
from textveil.auditing.wrappers import hidden
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.noise.lattice import float_slack

Floats = NDArray[np.float64]

_UNIT = 2.0**-53


@analysis.register
def _laplace(mechanism: Laplace, claim: Guarantee) -> Finding | None:
    # An l1 distance is never less than the l2 distance, and equal along an axis.
    if not by_norm(claim, "Euclidean", "l1"):
        return None
    axis = along_axis(mechanism.dimension)
    if mechanism.normalise:
        return hidden(judge(laplace_noise(mechanism), claim, Domain(axis, diameter=2.0)))
    return judge(laplace_noise(mechanism), claim, Domain(axis))


@analysis.register
def _coordinate_laplace(mechanism: CoordinateLaplace, claim: Guarantee) -> Finding | None:
    if not by_norm(claim, "Euclidean", "l1"):
        return None
    scale, dimension = 1 / mechanism.epsilon, mechanism.dimension
    slack = float_slack(dimension, math.sqrt(2) * scale, mechanism.lattice.step)
    noise = _by_coordinate(dimension, scale, slack)
    if norm_of(claim.relation.metric) == "Euclidean":
        return judge(noise, claim, Domain(along_diagonal(dimension), stretch=math.sqrt(dimension)))
    return judge(noise, claim, Domain(along_axis(dimension)))


@analysis.register
def _gaussian(mechanism: Gaussian, claim: Guarantee) -> Finding | None:
    if not by_norm(claim, "Euclidean"):
        return None
    noise = gaussian_noise(mechanism)
    finding = judge(noise, claim, Domain(along_axis(mechanism.dimension)))
    mu = 1 / mechanism._deviation
    if claim.mu is not None and exceeds(mu, claim.mu):
        told = f"{finding.explanation} But mu is {mu:.7g} for a unit of distance, and {claim.mu:.7g} was claimed."
        return replace(finding, verdict=Verdict.VIOLATED, explanation=told)
    return finding


@analysis.register
def _mahalanobis(mechanism: Mahalanobis, claim: Guarantee) -> Finding | None:
    noise = laplace_noise(mechanism._noise)
    # Whitened vectors are rounded, and their product is rounded too.
    noise = replace(noise, rounding=mechanism._rounding * (1 + 1 / 16))
    whitening, matrix = mechanism._whitening, mechanism.matrix
    if by_norm(claim, "Euclidean"):
        values, vectors = np.linalg.eigh(whitening.T @ whitening)
        return judge(noise, claim, Domain(along(vectors[:, -1]), stretch=math.sqrt(values[-1]) * (1 + 1e-12)))
    if claim.relation.pairs is not Pairs.ANY and claim.relation.metric != mechanism.guarantee.relation.metric:
        return None
    whitened = whitening.T @ (matrix @ whitening)
    missed = 4 * mechanism.dimension * _UNIT * np.linalg.norm(whitening) ** 2 * np.linalg.norm(matrix)
    stretch = math.sqrt(float(np.linalg.eigvalsh(whitened)[-1] + missed))
    coloured = mechanism._colouring[0]
    return judge(noise, claim, Domain(along(coloured, length=float(np.linalg.norm(coloured))), stretch=stretch))


@analysis.register
def _clipped_laplace(mechanism: ClippedLaplace, claim: Guarantee) -> Finding | None:
    if claim.relation.pairs is not Pairs.ANY:
        return None
    scale, dimension, clip = mechanism.scale, mechanism.dimension, mechanism.clip
    # The curve of the diagonal pair is known for the scale that was published.
    as_published = mechanism.variant == "published" and math.isclose(2 * clip / scale, claim.epsilon, rel_tol=1e-12)
    slack = 0.0
    if mechanism.precision == "fast":
        deviation = scale * math.sqrt(mechanism._together + 1)
        slack = float_slack(dimension, deviation, mechanism.lattice.step)
    if mechanism.variant == "radial":
        noise = laplace_noise(Laplace(epsilon=1 / scale, dimension=dimension, precision="fast"))
        noise, domain = replace(noise, slack=slack), Domain(along_axis(dimension), diameter=2 * clip)
    else:
        noise = _by_coordinate(dimension, scale, slack)
        widest = 1.0 if mechanism.variant == "l1" else math.sqrt(dimension)
        pair = along_axis(dimension) if mechanism.variant == "l1" else along_diagonal(dimension)
        domain = Domain(pair, diameter=2 * clip * widest)
        if as_published:
            noise = replace(noise, delta=lambda _epsilon, _distance: mechanism.nominal_delta)
    if mechanism.precision == "exact":
        table, parts = mechanism._table, dimension // mechanism._together
        drawn = tabled(table, mechanism.lattice.step, noise.what, noise.delta, scale)
        # Each coordinate of two vectors differs by at most twice the clip.
        noise = replace(drawn, escape=lambda _distance: parts * table.escape(2 * clip / mechanism.lattice.step))
    finding = judge(noise, claim, replace(domain, pair=_scaled(domain, clip)))
    if finding.verdict is Verdict.VIOLATED and as_published and not claim.delta:
        told = f" Delta at the epsilon claimed is {mechanism.nominal_delta:.3g}."
        return replace(finding, explanation=finding.explanation + told)
    return finding


def by_norm(claim: Guarantee, *norms: str) -> bool:
    """Whether a claim is about pairs of any kind, or by one of these distances of vectors."""
    if claim.relation.pairs in (Pairs.METRIC, Pairs.WITHIN):
        return norm_of(claim.relation.metric) in norms
    return claim.relation.pairs is Pairs.ANY


def along(direction: Floats, *, length: float = 1.0) -> Spread:
    """Return what gives a vector and its opposite along a direction, with this Euclidean length for a unit apart."""
    unit = direction * (length / np.linalg.norm(direction))

    def pair(distance: float) -> tuple[list[float], list[float]]:
        half = unit * (distance if math.isfinite(distance) else 1.0) / 2
        return (half + 0.0).tolist(), (0.0 - half).tolist()

    return pair


def along_axis(dimension: int) -> Spread:
    """Return what gives two vectors on the first axis."""
    return along(np.eye(1, dimension)[0])


def along_diagonal(dimension: int) -> Spread:
    """Return what gives two vectors whose numbers are all the same."""
    return along(np.ones(dimension))


def _scaled(domain: Domain, clip: float) -> Spread:
    """The most distant vectors of a ball of this radius."""
    return lambda _distance: domain.pair(2 * clip)


def _by_coordinate(dimension: int, scale: float, slack: float) -> Noise:
    """Laplace noise in each coordinate, whose loss counts the l1 distance."""
    what = f"Laplace noise of scale {scale:.7g} in each of {dimension} coordinates, whose loss counts the l1 distance"
    return Noise(1 / scale, None, what, slack=slack)
