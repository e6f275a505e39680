"""A small network with random weights: nothing here needs a trained one."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.learn.autoencoder import AutoEncoder
from textveil.learn.autoencoder.network import Shape
from textveil.learn.autoencoder.tokens import END, WordTable

WORDS = ["play", "some", "jazz", "music", "will", "it", "rain", "in", "ohio", "call", "maria", "now"]


@pytest.fixture(scope="session")
def parts():
    """What an auto-encoder is made of."""
    shape, table = Shape(latent=3, clip=2.0, embedding=6, hidden=10), WordTable(WORDS, 7)
    rng = np.random.default_rng(3)
    sizes = shape.weights(len(table)).items()
    weights = {name: rng.normal(scale=0.6, size=size).astype(np.float32) for name, size in sizes}
    weights["word_bias"][END] = -1.0
    return shape, table, weights


@pytest.fixture(scope="session")
def small(parts):
    shape, table, weights = parts
    return AutoEncoder(shape, table, weights, about={"noise": "privunit", "epsilon": [4.0, 8.0]})
