from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.standby import standing_by
from textveil.vocabulary import search
from textveil.vocabulary.search import NearestPoint, score_error

STEP = 2.0**-20


@pytest.fixture(autouse=True, params=["floats", "codes"])
def _path(request, monkeypatch):
    """Every test of this file sees both ways to answer."""
    by_codes = search.CHOSEN and replace(search.CHOSEN, worth_words=0, worth_numbers=0)
    monkeypatch.setattr(search, "CHOSEN", None if request.param == "floats" else by_codes)
    monkeypatch.setattr(search, "_WORTH_QUERIES", 0)


def lattice(values):
    return np.rint(np.asarray(values, dtype=np.float64) / STEP) * STEP


def brute(points, queries):
    """Float64 differences, the lowest id among equals."""
    return np.array([((points - query) ** 2).sum(axis=1).argmin() for query in np.asarray(queries)])


def exact(points, queries):
    """Rational arithmetic, the lowest id among equals."""

    def squared(query, point):
        return sum((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(query, point, strict=True))

    return [min(range(len(points)), key=lambda i: (squared(query, points[i]), i)) for query in queries]


@pytest.mark.parametrize("dimension", [1, 3, 50, 301])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_answers_equal_the_float64_brute_force(dimension, dtype):
    generator = np.random.default_rng(dimension)
    points = lattice(generator.standard_normal((5000, dimension)) * (1 if dtype == np.float32 else 40))
    table = points.astype(dtype)
    assert (table == points).all()
    queries = points[generator.integers(0, 5000, 200)] + 2 * generator.standard_normal((200, dimension))
    assert (NearestPoint(table).nearest(queries) == brute(points, queries)).all()


@pytest.mark.parametrize("offset", [0.0, 2.0**-21, -(2.0**-21), 1e-9, -1e-9, 1e-13, -1e-13, 1e-17])
def test_near_ties_are_decided_exactly(offset):
    generator = np.random.default_rng(5)
    points = lattice(generator.standard_normal((40, 20)))
    first, second = generator.integers(0, 40, (2, 30))
    queries = (points[first] + points[second]) / 2 + offset * (points[first] - points[second])
    assert NearestPoint(points.astype(np.float32)).nearest(queries).tolist() == exact(points, queries)


def test_words_one_step_apart_are_told_apart():
    generator = np.random.default_rng(6)
    points = lattice(5 + STEP * generator.integers(-2, 3, (3000, 60)))
    chosen = generator.integers(0, 3000, 300)
    assert (NearestPoint(points.astype(np.float32)).nearest(points[chosen]) == chosen).all()
    queries = points[chosen] + STEP * generator.integers(-1, 2, (300, 60))
    assert (NearestPoint(points.astype(np.float32)).nearest(queries) == brute(points, queries)).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-42, 1e-20, 1e6, 1e12, 1e17, 1e25, 1e60, 1e119])
def test_tiny_and_far_queries_get_the_exact_answer(scale):
    generator = np.random.default_rng(7)
    points = lattice(generator.standard_normal((60, 9)))
    points[30:33] = points[2]
    queries = scale * generator.standard_normal((25, 9))
    assert NearestPoint(points.astype(np.float32)).nearest(queries).tolist() == exact(points, queries)


def test_large_tables_off_the_exact_range_get_the_exact_answer():
    generator = np.random.default_rng(8)
    points = lattice(1e9 + generator.standard_normal((60, 5)))
    queries = points[:20] + 1e-7 * generator.standard_normal((20, 5))
    queries[10:] = (points[10:20] + points[20:30]) / 2
    assert NearestPoint(points).nearest(queries).tolist() == exact(points, queries)


def test_the_lowest_id_wins_among_equal_points_and_equal_distances():
    points = np.array([[1.0, 0], [0, 1], [1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.float32)
    queries = [[0.0, 0], [2, 0], [0, 2], [-1, -1], [1e-200, 0], [0, 1e-200], [np.pi, np.pi]]
    assert NearestPoint(points).nearest(np.array(queries)).tolist() == [0, 0, 1, 3, 0, 1, 0]


def test_a_table_of_one_repeated_point_answers_the_first():
    assert NearestPoint(np.zeros((5, 2), dtype=np.float32)).nearest(np.eye(2)).tolist() == [0, 0]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_small_grids_full_of_ties_are_answered_exactly(data):
    size, dimension = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    steps = st.lists(st.integers(-3, 3), min_size=dimension, max_size=dimension)
    unit = data.draw(st.sampled_from([1.0, STEP, 2.0**31]))
    points = unit * np.array(data.draw(st.lists(steps, min_size=size, max_size=size)), dtype=np.float64)
    shift = data.draw(st.sampled_from([0.0, 0.5, 0.25, 1e-9, 1 / 3]))
    queries = unit * (np.array(data.draw(st.lists(steps, min_size=1, max_size=4))) + shift)
    assert NearestPoint(points).nearest(queries).tolist() == exact(points, queries)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_answers_depend_neither_on_threads_nor_on_the_batch(monkeypatch, threads):
    generator = np.random.default_rng(9)
    points = lattice(generator.standard_normal((4500, 16))).astype(np.float32)
    queries = lattice((points[:1500] + points[1500:3000]) / 2)
    index = NearestPoint(points)
    alone = np.concatenate([index.nearest(queries[row : row + 1]) for row in range(100)])
    monkeypatch.setenv("TEXTVEIL_THREADS", threads)
    monkeypatch.setattr(search, "_SMALL", 0)
    monkeypatch.setattr(search, "_SHORT", 0)
    together = index.nearest(queries)
    assert (together[:100] == alone).all()
    assert (together == brute(points.astype(np.float64), queries)).all()


def few_words(monkeypatch, threads):
    """A small table, what many ask of it, and how often threads that stand by were asked to help."""
    generator = np.random.default_rng(14)
    points = lattice(generator.standard_normal((101, 9)))
    queries = 3 * generator.standard_normal((6001, 9))
    queries[::50] = (points[20] + points[30]) / 2
    monkeypatch.setenv("TEXTVEIL_THREADS", str(threads))
    asked = []
    monkeypatch.setattr(search, "standing_by", lambda count: asked.append(count) or standing_by(count))
    return points, queries, asked


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_that_stand_by_change_no_answer(monkeypatch, threads):
    points, queries, asked = few_words(monkeypatch, threads)
    index, right = NearestPoint(points), brute(points, queries)
    for _ in range(50):
        assert (index.nearest(queries) == right).all()
        assert (index.nearest(queries[:3000]) == right[:3000]).all()
    if search.CHOSEN is None:
        assert set(asked) == {threads - 1, min(threads, 2) - 1}


@pytest.mark.parametrize("kind", [">f4", ">f8", "f2", "g", "i4"])
def test_tables_of_other_numbers_have_the_same_answers(kind):
    points = np.random.default_rng(13).integers(-8, 9, (40, 6)).astype(np.float64)
    queries = (points[:20] + points[20:]) / 2
    assert (NearestPoint(points.astype(kind)).nearest(queries) == exact(points, queries)).all()


@pytest.mark.parametrize("scale", [1.0, 1e30])
def test_a_second_look_decides_between_points_that_float32_confuses(scale):
    generator = np.random.default_rng(12)
    points = lattice(100 + generator.standard_normal((900, 300)) / 50)
    queries = scale * (points[:600] + generator.standard_normal((600, 300)) / 50)
    index = NearestPoint(points.astype(np.float32))
    left = index._scan_singles(queries, np.arange(600), answers := np.empty(600, dtype=np.int64))
    true = queries.astype(np.longdouble) @ points.T.astype(np.longdouble) - index.halves.astype(np.longdouble)
    sure = np.setdiff1d(np.arange(600), left)
    assert (answers[sure] == true.argmax(axis=1)[sure]).all()
    assert len(sure) > 550
    # Float32 alone is wrong here.
    single = points.astype(np.float32) @ queries.T.astype(np.float32) - index.halves.astype(np.float32)[:, None]
    assert scale > 1 or (single.argmax(axis=0) != true.argmax(axis=1)).mean() > 0.05


def test_the_rounding_bound_covers_the_float32_scores():
    generator = np.random.default_rng(10)
    points = lattice(generator.standard_normal((300, 200)) * 3)
    queries = generator.standard_normal((20, 200)) * 5
    single = points.astype(np.float32) @ queries.T.astype(np.float32)
    single -= (points**2).sum(axis=1).astype(np.float32)[:, None] / 2
    true = points.astype(np.longdouble) @ queries.T - (points.astype(np.longdouble) ** 2).sum(axis=1)[:, None] / 2
    bound = score_error(np.linalg.norm(queries, axis=1), NearestPoint(points).radius, 200, np.float32)
    assert (np.abs(single - true).max(axis=0) <= bound).all()
    assert (bound < 1).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_queries_that_are_no_points_are_refused(bad):
    queries = np.zeros((1000, 2))
    queries[700, 1] = bad
    with pytest.raises(InvalidInputError, match="finite and below"):
        NearestPoint(np.eye(2, dtype=np.float32)).nearest(queries)


@pytest.mark.parametrize("size", [2.0**60, 2.0**200])
def test_points_that_are_too_long_for_any_pass_are_refused(size):
    with pytest.raises(InvalidInputError, match="shorter than 2\\^60"):
        NearestPoint(size * np.ones((3, 4)))


@pytest.mark.parametrize("shape", [(5, 2), (5, 4), (5, 500), (5, 0), (3,), (2, 5, 3)])
def test_queries_of_another_shape_are_refused(shape):
    with pytest.raises(InvalidInputError, match=r"shape \(n, 3\)"):
        NearestPoint(np.eye(3)).nearest(np.zeros(shape))


@pytest.mark.parametrize("dimension", [0, 65_537])
def test_tables_of_no_or_too_many_dimensions_are_refused(dimension):
    with pytest.raises(InvalidInputError, match="from 1 to 65,536 dimensions"):
        NearestPoint(np.zeros((2, dimension)))
