"""The Poincaré ball: distances to the last bits, right up to the boundary, whatever the batch."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.spaces import Poincare

STEP = 2.0**-47
BOUND = 2.0**-48


def exact_distance(a, b):
    """2 arcsinh of the root of the exact fraction, to 70 digits."""
    x, y = [Fraction(float(v)) for v in a], [Fraction(float(v)) for v in b]
    square = sum((p - q) ** 2 for p, q in zip(x, y, strict=True))
    square /= (1 - sum(p * p for p in x)) * (1 - sum(q * q for q in y))
    with localcontext() as context:
        context.prec = 70
        value = Decimal(square.numerator) / Decimal(square.denominator)
        return 2 * (value.sqrt() + (1 + value).sqrt()).ln()


def assert_near(distance, a, b):
    truth = exact_distance(a, b)
    with localcontext() as context:
        context.prec = 70
        assert distance == 0 if truth == 0 else abs(Decimal(float(distance)) - truth) <= Decimal(BOUND) * truth


def points(seed, count, dimension, farthest):
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((count, dimension))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    table = np.tanh(rng.uniform(0, farthest, count) / 2)[:, None] * directions
    return np.rint(table / STEP) * STEP


@pytest.mark.parametrize(("dimension", "farthest"), [(1, 12.0), (2, 27.0), (7, 20.0), (100, 12.0), (256, 5.0)])
def test_distances_are_within_their_bound_up_to_the_boundary(dimension, farthest):
    a = points(1, 12, dimension, farthest)
    b = points(2, 12, dimension, farthest)
    b[0] = a[0]
    b[1] = a[1] + STEP
    b[2] = np.rint(0.999 * a[2] / STEP) * STEP
    b[3] = np.rint(1e-9 * a[3] / STEP) * STEP
    distances = Poincare(dimension).distances(a, b)
    for i, j in np.ndindex(distances.shape):
        assert_near(distances[i, j], a[i], b[j])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-(2**46), 2**46), min_size=3, max_size=3), min_size=2, max_size=4),
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.integers(0, 40),
)
def test_near_points_keep_their_digits(steps, nudge, depth):
    table = np.array(steps) * STEP
    table[1] = table[0] + np.array(nudge) * 2.0 ** (depth - 47)
    table = table[np.sum(table**2, axis=1) < 0.999]
    space = Poincare(3)
    distances = space.distances(table, table)
    for i, j in np.ndindex(distances.shape):
        assert_near(distances[i, j], table[i], table[j])


def test_golden_distances():
    toy = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.9]])
    distances = Poincare(2).distances(toy, toy)
    assert np.allclose(distances[[0, 0, 1], [1, 2, 2]], [1.0986122887, 2.9444389792, 3.4570376499], rtol=0, atol=1e-10)


def test_the_batch_makes_no_difference():
    a, b = points(3, 70, 33, 15.0), points(4, 90, 33, 15.0)
    space = Poincare(33)
    together = space.distances(a, b)
    assert (together == space.distances(b, a).T).all()
    assert (np.diag(space.distances(a, a)) == 0).all()
    for row in range(0, 70, 13):
        assert (space.distances(a[row : row + 1], b)[0] == together[row]).all()
        assert (space.distances(a[row : row + 3], b[5:6])[:, 0] == together[row : row + 3, 5]).all()


def test_the_triangle_inequality_holds_up_to_rounding():
    table = points(5, 60, 4, 25.0)
    d = Poincare(4).distances(table, table)
    for y in range(len(d)):
        assert (d <= d[:, y : y + 1] + d[y : y + 1] + 1e-12).all()


@pytest.mark.parametrize(
    "bad", [[1.0, 0.0], [0.8, 0.7], [0.0, 1 - 2.0**-45], [np.nan, 0.0], [np.inf, 0.0], [-1e300, 0.0]]
)
def test_points_that_are_not_in_the_ball_are_refused(bad):
    space = Poincare(2)
    assert not space.inside(np.array([bad]))[0]
    with pytest.raises(tv.InvalidInputError, match="norm < 1"):
        space.distances(np.array([bad]), np.zeros((1, 2)))
    with pytest.raises(tv.InvalidInputError, match="'b'"):
        tv.Vocabulary(["a", "b"], [[0.1, 0.2], bad], space=space)


def test_dimensions_beyond_exactness_are_refused():
    with pytest.raises(tv.InvalidInputError, match="at most 256"):
        Poincare(257)
    with pytest.raises(tv.InvalidInputError, match="dimension"):
        Poincare(0)


def test_a_vocabulary_of_the_ball_is_kept_fine_saved_and_searched(tmp_path):
    table = points(6, 50, 3, 14.0) + 2.0**-49
    words = [f"w{i}" for i in range(50)]
    vocabulary = tv.Vocabulary(words, table, space=Poincare(3))
    assert vocabulary.step == STEP
    assert np.abs(vocabulary.points - table).max() <= STEP / 2
    assert (vocabulary.nearest(table) == np.arange(50)).all()
    vocabulary.save(tmp_path / "ball.npz")
    assert tv.Vocabulary.load(tmp_path / "ball.npz", space=Poincare(3)) == vocabulary
    np.savez(tmp_path / "plain.npz", words=np.array(words), vectors=table)
    assert tv.Vocabulary.load(tmp_path / "plain.npz", space=Poincare(3)) == vocabulary
    (tmp_path / "table.txt").write_text(
        "".join(f"{word} {' '.join(repr(float(v)) for v in row)}\n" for word, row in zip(words, table, strict=True))
    )
    assert tv.Vocabulary.load(tmp_path / "table.txt", space=Poincare(3)) == vocabulary


def test_the_nearest_word_is_the_nearest_by_brute_force():
    table, queries = points(7, 3000, 3, 8.0), points(8, 40, 3, 20.0)
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(3000)], table, space=Poincare(3))
    brute = Poincare(3).distances(queries, table).argmin(axis=1)
    assert (vocabulary.nearest(queries) == brute).all()
    mean = table.mean(axis=0)[None]
    assert vocabulary.unknown_id == Poincare(3).distances(mean, table).argmin()
