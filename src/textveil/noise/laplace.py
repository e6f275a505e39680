"""Laplace noise in the l2 norm: density proportional to exp(-|z| / scale) (SPEC T1).

It is a uniform direction times a Gamma(dimension, scale) radius. It is also, which is cheaper because no norm
is computed, a normal vector whose variance V is drawn from Gamma((dimension + 1) / 2, 2 scale^2): the mixture
has the density  integral of v^((d+1)/2 - 1) e^(-v / 2s^2) v^(-d/2) e^(-r^2 / 2v) dv  =  integral of v^(-1/2)
e^(-v / 2s^2 - r^2 / 2v) dv, which is proportional to e^(-r / s).
"""

from __future__ import annotations

import numpy as np

from textveil.errors import require_count, require_positive
from textveil.noise.reading import in_portions
from textveil.noise.transforms import Floats, fill_normals, gammas
from textveil.randomness import Streams


def radial_laplace(streams: Streams, dimension: int, scale: float, *, threads: int | None = None) -> Floats:
    """Draw a vector an item with uniform direction and a Gamma(dimension, scale) norm.

    Parameters
    ----------
    streams : one an item
    dimension : length of a vector
    scale : 1 / epsilon, in the unit of the vectors
    threads : how many; changes the speed, never the result
    """
    scale = require_positive("scale", scale)
    out = np.empty((len(streams), require_count("dimension", dimension)))

    def fill(part: Streams, rows: slice) -> None:
        deviations = scale * np.sqrt(2 * gammas(part, (dimension + 1) / 2))
        fill_normals(part, deviations, out[rows])

    in_portions(streams, dimension, fill, threads=threads)
    return out
