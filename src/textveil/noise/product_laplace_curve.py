"""What Laplace noise in each coordinate loses between opposite corners: delta at an epsilon that is too small.

Noise of scale 2 / epsilon in each of n coordinates, inputs +-(1, ..., 1) / sqrt(n): the loss is a sum of n
independent terms within +-a, a = epsilon / sqrt(n). Each is +a with probability 1/2, -a with e^-a / 2, and else a - 2y,
y between 0 and a with density e^-y / 2. Grouping y in cells of equal width can only lower delta, and gives a cell the
loss of its middle; moving the mass of each cell to its ends, the totals from both inputs being kept, can only raise it.
Both laws live on a grid, where n terms add by a Fourier transform. Proof: docs/mechanisms/clipped-laplace.md, claim 5.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive

Floats = NDArray[np.float64]

ACCURACY = 1e-6
LARGEST_DIMENSION = 1 << 14
_FEWEST_CELLS = 32


def published_delta(dimension: int, epsilon: float) -> float:
    """Return delta at `epsilon`, of the noise that was published for it, between the two most distant vectors.

    It is a lower bound, less than 1e-6 below the truth.

    Parameters
    ----------
    dimension : n, at most 2^14
    epsilon : the loss that was claimed, above 0
    """
    return delta_bounds(require_count("dimension", dimension), require_positive("epsilon", epsilon))[0]


@lru_cache(maxsize=1024)
def delta_bounds(dimension: int, epsilon: float) -> tuple[float, float]:
    """Return bounds of that delta from both sides, less than 1e-6 apart."""
    if dimension > LARGEST_DIMENSION:
        raise InvalidInputError(f"dimension must be at most {LARGEST_DIMENSION:,} (got {dimension!r})")
    if dimension == 1:
        return 0.0, 0.0
    largest_loss = epsilon / math.sqrt(dimension)
    cells = _FEWEST_CELLS
    while True:
        low, high = (_delta(law, dimension, epsilon) for law in _laws(largest_loss, cells))
        if high - low < ACCURACY:
            return low, high
        cells *= 2


def _laws(a: float, cells: int) -> tuple[Floats, Floats]:
    """Return the law of one term, grouped and spread: probabilities of the losses -a, -a + a / cells, ..., a."""
    width = a / cells
    masses = np.exp(-width * np.arange(cells)) * -math.expm1(-width) / 2
    grouped, spread = np.zeros(2 * cells + 1), np.zeros(2 * cells + 1)
    for law in (grouped, spread):
        law[0], law[-1] = math.exp(-a) / 2, 0.5
    grouped[-2::-2] += masses
    share = 1 / (1 + math.exp(-width))
    spread[:0:-2] += share * masses
    spread[-3::-2] += (1 - share) * masses
    return grouped, spread


def _delta(law: Floats, dimension: int, epsilon: float) -> float:
    """Return the mean of (1 - e^(epsilon - loss))+ for a sum of `dimension` terms."""
    from scipy.fft import irfft, next_fast_len, rfft

    half = (len(law) // 2) * dimension
    size = next_fast_len(2 * half + 1, real=True)
    sums = irfft(rfft(law, size) ** dimension, size)[: 2 * half + 1]
    beyond = math.sqrt(dimension) * epsilon * np.linspace(-1, 1, 2 * half + 1) - epsilon
    telling = beyond > 0
    return float(np.clip(sums[telling] @ -np.expm1(-beyond[telling]), 0.0, 1.0))
