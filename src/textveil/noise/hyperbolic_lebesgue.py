"""Draws from exp(-rate d(x, centre)) by EUCLIDEAN volume of the Poincaré ball, by rejection (SPEC H3).

With g = 1 - |centre| and v = |x - centre| / g the hyperbolic distance is at least ln(1 + v). So a uniform direction and
a v with density proportional to v^(n-1) (1 + v)^-rate propose points, kept if they lie in the ball, with probability
e^(-rate d) (1 + v)^rate. Proof: docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.noise.hyperbolic import directions
from textveil.noise.reading import Rows, until_done
from textveil.noise.transforms import Floats, gammas, uniforms
from textveil.randomness import Streams
from textveil.spaces.hyperbolic import split

# Rejections grow exponentially with the dimension.
MOST_DIMENSIONS = 5


def lebesgue_noise(streams: Streams, centres: Floats, rate: float) -> Floats:
    """Draw one point an item around each of the centres, which lie in the ball; the streams are used up."""
    dimension = centres.shape[1]
    norms, gaps = np.linalg.norm(centres, axis=1), split(centres).gaps
    reach = gaps / (1 + norms)
    out = np.empty_like(centres)

    def attempt(part: Streams, rows: Rows) -> NDArray[np.bool_]:
        v, kept = _proposed_lengths(part, dimension, rate, (1 + norms[rows]) / reach[rows])
        moves = (v * reach[rows])[:, None] * directions(part, dimension)
        out[rows] = centres[rows] + moves
        room = split(out[rows]).gaps
        inside = np.flatnonzero(kept & (room > 0))
        chance = np.zeros(len(rows))
        length = np.linalg.norm(moves[inside], axis=1)
        distance = 2 * np.arcsinh(length / np.sqrt(room[inside] * gaps[rows][inside]))
        chance[inside] = np.exp(rate * (np.log1p(v[inside]) - distance))
        accepted: NDArray[np.bool_] = uniforms(part.words(2)[:, :1])[:, 0] < chance
        return accepted

    until_done(streams, attempt)
    return out


def _proposed_lengths(
    streams: Streams, dimension: int, rate: float, farthest: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Draw v with density proportional to v^(n-1) (1 + v)^-rate below `farthest`, and say which draws are kept."""
    if rate > dimension + 1:
        v = gammas(streams, dimension) / gammas(streams, rate - dimension)
        return v, v <= farthest
    # y = ln(1 + v) has density e^((n - rate) y) (1 - e^-y)^(n-1): an exponential law cut off at both ends, thinned.
    u = uniforms(streams.words(2))
    slope, end = dimension - rate, np.log1p(farthest)
    y = end * u[:, 0] if slope == 0 else np.log1p(u[:, 0] * np.expm1(slope * end)) / slope
    return np.expm1(y), u[:, 1] < (-np.expm1(-y)) ** (dimension - 1)
