"""Figures 1 and 2: how far released distances and inner products are from the true ones.

The paper takes the plain difference, which is mostly the length of the noise. Whether anything of the true distance is
left in the released one is another question: so their correlation stands beside it, which the paper does not have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.measure.tasks.scores import pearson
from textveil.measure.tasks.task import order_of
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privemb.estimators import squared_distances
from textveil.reproduce.repeats import public_source
from textveil.spaces import Euclidean

Floats = NDArray[np.float64]


def words_compared(count: int, each: int) -> NDArray[np.int64]:
    """Return twice `each` words of `count`: each of the first is compared with each of the others."""
    return order_of(count, "privemb pairs")[: 2 * each].reshape(2, each)


def true_sizes(vectors: NDArray[Any], pairs: NDArray[np.int64]) -> dict[str, float]:
    """Return the mean and the deviation of the true distances, and the mean of inner products without their signs."""
    first, second = (vectors[words].astype(np.float64) for words in pairs)
    distances = _distances(first, second)
    return {
        "distance": float(distances.mean()),
        "deviation of distances": float(distances.std()),
        "inner product": float(np.abs(first @ second.T).mean()),
    }


def errors(mechanism: Laplace | PrivEmb, vectors: NDArray[Any], pairs: NDArray[np.int64], run: int) -> dict[str, float]:
    """Return the mean error of distances and inner products over all pairs, and what they have to do with the true.

    Parameters
    ----------
    mechanism : releases vectors
    vectors : of all words
    pairs : of `words_compared`
    run : which noise
    """
    first, second = (vectors[words].astype(np.float64) for words in pairs)
    released, others = (
        np.asarray(mechanism.release(part, source=public_source("privemb pairs", run, side)))
        for side, part in enumerate((first, second))
    )
    true, found = _distances(first, second), _distances(released, others)
    products, found_products = first @ second.T, released @ others.T
    # Noise of either side adds to the square of a distance, by what is known.
    squares = squared_distances(released[:, None], others[None], mechanism.scale)
    mended = np.sqrt(np.maximum(0.0, squares))
    return {
        "distance": float(np.abs(found - true).mean()),
        "distance, mended": float(np.abs(mended - true).mean()),
        "inner product": float(np.abs(found_products - products).mean()),
        "distance, correlation": pearson(found.ravel(), true.ravel()),
        "inner product, correlation": pearson(found_products.ravel(), products.ravel()),
    }


def _distances(first: Floats, second: Floats) -> Floats:
    return Euclidean(first.shape[1]).distances(first, second)
