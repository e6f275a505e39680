from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.mechanisms.directions import Directions

INNER = tv.Laplace(epsilon=1e6, dimension=4, normalise=True, precision="exact")
ROWS = np.random.default_rng(0).normal(size=(50, 4)) * np.logspace(-200, 200, 50)[:, None]


def test_vectors_of_any_length_are_released_by_their_directions():
    scaled = ROWS / np.abs(ROWS).max(axis=1, keepdims=True)
    units = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    released = Directions(INNER).release(ROWS)
    assert np.allclose(released, units, atol=1e-3)
    assert np.allclose(np.linalg.norm(released, axis=1), 1)
    assert Directions(INNER).release(ROWS[0]).shape == (4,)


def test_a_direction_does_not_depend_on_the_batch():
    key = tv.RandomSource.keyed(bytes(16))
    together = Directions(INNER).release(ROWS, source=key)
    for row in range(0, 50, 7):
        assert np.array_equal(Directions(INNER).release(ROWS[row : row + 1], source=key.at(row))[0], together[row])


def test_the_promise_names_the_division_and_the_spec_brings_it_back():
    made = Directions(INNER)
    assert "each divided by its length before" in str(made.guarantee)
    assert made.guarantee.loss(0.5) == INNER.guarantee.loss(0.5)
    assert tv.from_spec(made.spec()).spec() == made.spec()


def test_a_vector_without_direction_is_refused():
    with pytest.raises(tv.InvalidInputError, match="no direction"):
        Directions(INNER).release(np.zeros((2, 4)))
    with pytest.raises(tv.InvalidInputError, match="releases vectors"):
        Directions("noise")
