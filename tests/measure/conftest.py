"""A small tree of words in the Poincaré ball: children lie outward of their parent."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.spaces import Poincare
from textveil.spaces.hyperbolic import Polar, walk


def tree_vocabulary(dimension, *, depth=3, children=4, step=1.3, seed=0):
    """Words root, root.0, root.0.1, ...: every name begins with those of its hypernyms."""
    rng = np.random.default_rng(seed)
    points = {"root": np.zeros(dimension)}
    level = ["root"]
    for _ in range(depth):
        below = []
        for parent in level:
            for number in range(children):
                outward = rng.standard_normal(dimension) + 6 * points[parent]
                way = step * outward / np.linalg.norm(outward)
                points[f"{parent}.{number}"] = walk(Polar.of_ball(points[parent]), way).ball()[0]
                below.append(f"{parent}.{number}")
        level = below
    return tv.Vocabulary(list(points), np.array(list(points.values())), unknown="root", space=Poincare(dimension))


@pytest.fixture(scope="session")
def tree():
    return tree_vocabulary(2)
