"""Gaussian noise: independent normal coordinates (SPEC T2)."""

from __future__ import annotations

import numpy as np

from textveil.errors import require_count, require_positive
from textveil.noise.reading import in_portions
from textveil.noise.transforms import Floats, fill_normals
from textveil.randomness import Streams


def gaussian(streams: Streams, dimension: int, sigma: float, *, threads: int | None = None) -> Floats:
    """Draw a normal vector an item, with standard deviation `sigma` in each coordinate.

    Parameters
    ----------
    streams : one an item
    dimension : length of a vector
    sigma : standard deviation of a coordinate
    threads : how many; changes the speed, never the result
    """
    sigma = require_positive("sigma", sigma)
    out = np.empty((len(streams), require_count("dimension", dimension)))

    def fill(part: Streams, rows: slice) -> None:
        fill_normals(part, np.full(len(part), sigma), out[rows])

    in_portions(streams, dimension, fill, threads=threads)
    return out
