"""Figures 3 and 4: the skewness that the paper takes for privacy, and how often an attacker finds the word."""

from __future__ import annotations

from typing import Any

import numpy as np

from textveil.measure.overlap import NeighbourOverlap, skewness
from textveil.noise.transforms import normals
from textveil.reproduce.nadp.mechanisms import Releasing
from textveil.reproduce.repeats import public_source

_BINS = 10


def released_privacy(compare: NeighbourOverlap, release: Releasing, runs: int) -> list[dict[str, float]]:
    """Return the skewness of the overlaps, their mean, and the share of words that are nearest to their release."""
    found = []
    for vectors in release(compare.words, runs):
        overlap = compare(vectors)
        found.append(
            {
                "skewness": skewness(overlap.shares),
                "overlap": float(overlap.shares.mean()),
                "recovered": float(np.mean(overlap.nearest[:, 0] == compare.words)),
            }
        )
    return found


def histogram(compare: NeighbourOverlap, points: Any, deviation: float) -> dict[str, Any]:
    """Return the overlaps of words with Gaussian noise of this deviation as a histogram, and their skewness."""
    words = compare.words
    noise = normals(public_source("nadp figure 4", deviation).streams(b"noise", words), points.shape[1])
    overlap = compare(points[words] + deviation * noise)
    counts, _ = np.histogram(overlap.shares, bins=_BINS, range=(0, 1))
    return {
        "skewness": skewness(overlap.shares),
        "recovered": float(np.mean(overlap.nearest[:, 0] == words)),
        "histogram": [float(count) / len(words) for count in counts],
    }
