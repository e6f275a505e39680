"""Ways to release vectors, each at a loss that is true at the public radius."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.guarantees import Status
from textveil.measure.compare.frontier import Way
from textveil.measure.compare.noises import DELTA, gaussian_loss
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import VectorMechanism

Floats = NDArray[np.float64]

# PrivEmb keeps one number of so many.
PROJECTED = 4


@dataclass(frozen=True)
class Table:
    """What is public about the vectors: how far neighbours and far ones lie apart, how long they are, their shape."""

    dimension: int
    radius: float
    farthest: float
    clip: float
    covariance: Floats


def _as_it_is(vectors: Floats) -> Floats:
    return vectors


@dataclass(frozen=True)
class Made:
    """A mechanism at one strength, with what anyone can make of its releases by public data alone.

    Parameters
    ----------
    epsilon, loss, far : its own parameter, and what it truly loses at the radius and between far vectors
    mechanism : releases vectors
    read : makes of releases estimates of the vectors
    seen, expected : make of releases, and of vectors, points whose distances an attacker compares
    best_named : whether the nearest of those is the likeliest vector, so that no attack names more
    """

    epsilon: float
    loss: float
    far: float
    mechanism: VectorMechanism
    read: Callable[[Floats], Floats] = _as_it_is
    seen: Callable[[Floats], Floats] = _as_it_is
    expected: Callable[[Floats], Floats] = _as_it_is
    best_named: bool = True


# Makes a mechanism for a loss at the radius; raises InvalidInputError where it does not exist.
Build = Callable[[Table, float], Made]


def _laplace(table: Table, loss: float) -> Made:
    epsilon = loss / table.radius
    return Made(epsilon, loss, epsilon * table.farthest, Laplace(epsilon=epsilon, dimension=table.dimension))


def _laplace_delta(table: Table, loss: float) -> Made:
    noise = Laplace(epsilon=loss, dimension=table.dimension, delta=DELTA, sensitivity=table.radius)
    # Between any two vectors it never loses more than distance / scale.
    return Made(loss, loss, table.farthest / noise.scale, noise)


def _gaussian(table: Table, loss: float) -> Made:
    noise = Gaussian(epsilon=loss, delta=DELTA, sensitivity=table.radius, dimension=table.dimension)
    return Made(loss, loss, gaussian_loss(table.farthest / noise.sigma, DELTA), noise)


def _mahalanobis(table: Table, loss: float) -> Made:
    epsilon = loss / (table.radius * Mahalanobis(table.covariance, epsilon=1.0).euclidean_epsilon)
    noise = Mahalanobis(table.covariance, epsilon=epsilon)

    def whitened(vectors: Floats) -> Floats:
        return np.asarray(vectors @ noise._whitening)

    return Made(epsilon, loss, loss * table.farthest / table.radius, noise, seen=whitened, expected=whitened)


def _privemb(table: Table, loss: float) -> Made:
    epsilon, target = loss / table.radius, max(1, table.dimension // PROJECTED)
    axes = np.ascontiguousarray(np.linalg.eigh(table.covariance)[1][:, -target:].T)
    noise = PrivEmb(epsilon=epsilon, dimension=table.dimension, target=target, projection=axes, certify="operator")
    matrix = noise.chosen.matrix
    return Made(
        epsilon, loss, epsilon * table.farthest, noise, lambda it: it @ matrix, expected=lambda it: it @ matrix.T
    )


def _privunit(table: Table, loss: float) -> Made:
    noise = PrivUnit(epsilon=loss, dimension=table.dimension, clip=table.clip)
    shrink = noise.cap.mean(noise._drawer.odds)[0]
    return Made(loss, loss, loss, noise, seen=lambda it: it * shrink, best_named=False)


def _clipped_radial(table: Table, loss: float) -> Made:
    """The repaired noise: the loss is for the farthest pair, and less for near ones."""
    noise = ClippedLaplace(epsilon=loss, clip=table.clip, dimension=table.dimension)
    true, far = (min(distance, 2 * table.clip) / noise.scale for distance in (table.radius, table.farthest))
    return Made(loss, true, far, noise, expected=noise._clipped)


def _clipped_published(table: Table, loss: float) -> Made:
    clip = table.clip
    noise = ClippedLaplace(epsilon=loss, clip=clip, dimension=table.dimension, variant="published", precision="fast")
    a_unit = loss * math.sqrt(table.dimension) / (2 * clip)
    true, far = (a_unit * min(distance, 2 * clip) for distance in (table.radius, table.farthest))
    return Made(loss, true, far, noise, expected=noise._clipped, best_named=False)


WAYS: tuple[tuple[Way, Build], ...] = (
    (Way("laplace", "Laplace noise", 6, 1), _laplace),
    (Way("laplace-delta", f"Laplace noise (delta {DELTA:g})", 2, 8), _laplace_delta),
    (Way("gaussian", f"Gaussian noise (delta {DELTA:g})", 1, 2), _gaussian),
    (Way("mahalanobis", "Mahalanobis noise", 4, 3), _mahalanobis),
    (Way("privemb", f"principal axes (1 of {PROJECTED}), Laplace noise", 3, 9), _privemb),
    (Way("privunit", "PrivUnit", 7, 4), _privunit),
    (Way("clipped", "ADePT's noise, repaired (radial)", 5, 0), _clipped_radial),
    (
        Way(
            "clipped-published", "ADePT's noise as published", 0, 5, Status.REFUTED,
            "its noise is for the l1 distance, its clipping in l2: it loses more than it claims",
        ),
        _clipped_published,
    ),
)  # fmt: skip
