"""The mechanisms that are compared: M1 and M2 of the paper, and the projection that is certified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privemb.published import DELTA, published_target

M1, M2, OURS, CLEAN = "M1", "M2", "ours", "no privacy"

# Vectors of the table, a distortion beta, epsilon and the number of the run to a mechanism.
Maker = Callable[[NDArray[Any], float, float, int], Laplace | PrivEmb]


def laplace(table: NDArray[Any], beta: float, epsilon: float, run: int) -> Laplace:
    """M1: noise in all dimensions (Feyisetan et al. 2020). It has no beta."""
    return Laplace(epsilon=epsilon, dimension=table.shape[1])


def published(table: NDArray[Any], beta: float, epsilon: float, run: int) -> PrivEmb:
    """M2: PrivEmb as published, with a new projection for each run."""
    target = min(table.shape[1], target_of(table.shape[1], beta))
    return PrivEmb(epsilon=epsilon, dimension=table.shape[1], variant="published", beta=beta, target=target, seed=run)


def certified(table: NDArray[Any], beta: float, epsilon: float, run: int) -> PrivEmb:
    """Ours: as many dimensions as M2 has, by a projection that was certified for the rows of the table; no delta."""
    target = min(table.shape[1], target_of(table.shape[1], beta))
    return PrivEmb(epsilon=epsilon, dimension=table.shape[1], target=target, public=table, seed=0)


def target_of(dimension: int, beta: float) -> int:
    """Return how many dimensions the paper's beta leaves, with its delta of 1e-6."""
    return published_target(beta=beta, delta=DELTA, dimension=dimension, width=None)


MAKERS: dict[str, Maker] = {M1: laplace, M2: published, OURS: certified}


def snapped(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Return vectors as multiples of 2^-20, so that rows of a table are found in it again."""
    return np.asarray(np.rint(vectors.astype(np.float64) * 2**20) / 2**20 + 0.0)
