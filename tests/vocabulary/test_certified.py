import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_features

from textveil.vocabulary import certified, search
from textveil.vocabulary.byte_products import QUERIES
from textveil.vocabulary.certified import ShortLists
from textveil.vocabulary.instructions import CHOSEN
from textveil.vocabulary.search import NearestPoint, half_norms

STEP = 2.0**-20
FEATURES = get_host_cpu_features()

pytestmark = pytest.mark.skipif(CHOSEN is None, reason="this processor has no instructions for 8-bit products")


def clustered(seed, count, dimension, *, clusters=30):
    """Lattice points in clusters of different sizes, as word vectors are."""
    generator = np.random.default_rng(seed)
    centres = 2 * generator.standard_normal((clusters, dimension))
    spread = generator.gamma(2.0, 0.4, size=(clusters, 1))[generator.integers(clusters, size=count)]
    points = centres[generator.integers(clusters, size=count)] + spread * generator.standard_normal((count, dimension))
    return (np.rint(points / STEP) * STEP).astype(np.float32)


def noisy(points, epsilon, count, seed):
    """Points with l2-Laplace noise of rate epsilon."""
    generator = np.random.default_rng(seed)
    noise = generator.standard_normal((count, points.shape[1]))
    radius = generator.gamma(points.shape[1], 1 / epsilon, size=(count, 1))
    noise *= radius / np.linalg.norm(noise, axis=1, keepdims=True)
    return points[generator.integers(len(points), size=count)] + noise


def listed(points, queries):
    lists = ShortLists(points, half_norms(points))
    return lists.nearest(queries, lists.encoded(queries))


def best_by_float64(points, queries):
    scores = queries @ points.T.astype(np.float64) - half_norms(points)
    return scores.argmax(axis=1), scores


@pytest.mark.parametrize("dimension", [8, 50, 300])
@pytest.mark.parametrize("epsilon", [1.0, 5.0, 20.0, 100.0])
def test_the_best_point_is_on_the_list_and_chosen(dimension, epsilon):
    points = clustered(dimension, 3000, dimension)
    queries = noisy(points, epsilon, 250, seed=7)
    answers, margins, certain = listed(points, queries)
    best, scores = best_by_float64(points, queries)
    assert certain.mean() > 0.9
    assert (answers == best)[certain].all()
    # The second best need not be on the list, and what is not looked at counts by its upper end.
    true_margins = scores.max(axis=1) - np.sort(scores, axis=1)[:, -2]
    assert (true_margins > 0)[np.isinf(margins)].all()
    assert (margins > 0)[certain & (true_margins > 1e-9)].all()


def test_a_margin_counts_what_was_not_looked_at():
    points, halves, rows = np.array([[0.0], [10.0], [9.0]], dtype=np.float32), np.zeros(3), np.arange(3)
    least, lengths = np.full(1, -np.inf, dtype=np.float32), np.array([3], dtype=np.int32)
    # The second one has the highest upper end and the best score; that of the third may be 9.5, and was not computed.
    listed, uppers = np.array([[0], [1], [2]], dtype=np.int32), np.array([[3.0], [11.0], [9.5]], dtype=np.float32)
    answers, margins = np.zeros(1, dtype=np.int64), np.zeros(1)
    certified._choose(points, halves, rows, np.ones((1, 1)), (least, lengths, listed, uppers), answers, margins)
    assert answers.tolist() == [1]
    assert margins.tolist() == [0.5]


def test_a_list_that_gets_too_long_is_given_up_and_says_so():
    generator = np.random.default_rng(1)
    points = (np.rint((5 + 1e-4 * generator.standard_normal((4000, 40))) / STEP) * STEP).astype(np.float32)
    queries = points[:50] + 0.5 * generator.standard_normal((50, 40))
    _, _, certain = listed(points, queries)
    assert not certain.any()
    index = NearestPoint(points)
    index._asked = search._WORTH_QUERIES
    assert (index.nearest(queries) == best_by_float64(points, queries)[0]).all()


def test_a_list_that_was_given_up_is_never_taken_up_again():
    longest = certified._LONGEST
    least, lengths = np.zeros(1, dtype=np.float32), np.array([longest - 10], dtype=np.int32)
    points, uppers = np.zeros((longest, 1), dtype=np.int32), np.ones((longest, 1), dtype=np.float32)
    scores, reached = np.ones((QUERIES, 64), dtype=np.float32), np.uint64(2**64 - 1)
    certified._add(scores, 0, reached, np.float32(0.1), 0, 0, (least, lengths, points, uppers))
    assert lengths[0] == longest + 1
    # Now most of what was on the list would drop out; but what was not put on it is lost.
    least[0], uppers[5:, 0] = 0.5, 0
    certified._add(scores, 0, reached, np.float32(0.1), 0, 0, (least, lengths, points, uppers))
    assert lengths[0] == longest + 1


def test_a_full_list_is_looked_through_again():
    points = clustered(2, 3000, 20)
    # The best come last, so that the list fills with points that drop out later.
    order = np.argsort(np.abs(points).max(axis=1))
    queries = noisy(points[order[:50]], 3.0, 60, seed=3)
    answers, _, certain = listed(points, queries)
    best, _ = best_by_float64(points, queries)
    assert (answers == best)[certain].all()


def test_the_lowest_row_wins_among_equal_scores():
    points = np.zeros((600, 8), dtype=np.float32)
    points[:, 0] = np.arange(600) + 100
    # Of equal length, but the point with the larger row has the larger coordinate and is seen first.
    points[500, :3] = 0, 5, 0
    points[7, :3] = 0, 3, 4
    answers, margins, certain = listed(points, 2.0**-30 * np.eye(8)[3:6])
    assert answers.tolist() == [7, 7, 7]
    assert certain.all()
    assert (margins == 0).all()


def test_codes_are_made_when_enough_queries_have_come():
    words = CHOSEN.worth_words
    points = clustered(4, words, -(-CHOSEN.worth_numbers // words))
    index = NearestPoint(points)
    queries = noisy(points, 5.0, search._WORTH_QUERIES, seed=5)
    index.nearest(queries[:10])
    assert index._lists is None
    index.nearest(queries)
    assert index._lists is not None
    for smaller in (points[:-1], points[:, :-1]):
        small = NearestPoint(np.ascontiguousarray(smaller))
        small.nearest(queries[:, : smaller.shape[1]])
        assert small._lists is None


def test_both_ways_give_the_same_answers(monkeypatch):
    points = clustered(6, 5000, 64)
    queries = noisy(points, 8.0, 700, seed=8)
    by_codes = NearestPoint(points).nearest(queries)
    monkeypatch.setattr(search, "CHOSEN", None)
    assert (NearestPoint(points).nearest(queries) == by_codes).all()


NARROWER = """
import sys
import numpy as np
from textveil.vocabulary.instructions import CHOSEN
from textveil.vocabulary.search import NearestPoint
with np.load(sys.argv[1]) as given:
    print(CHOSEN and CHOSEN.lanes, *NearestPoint(given["points"]).nearest(given["queries"]))
"""


@pytest.mark.parametrize(("missing", "lanes"), [(("avx512",), "8"), (("avx512", "avx2"), "None")])
def test_processors_that_have_less_give_the_same_answers(tmp_path, missing, lanes):
    points = clustered(11, 2000, 50)
    queries = noisy(points, 8.0, 600, seed=12)
    np.savez(tmp_path / "given.npz", points=points, queries=queries)
    has = (f"-{name}" if not there or name.startswith(missing) else f"+{name}" for name, there in FEATURES.items())
    # The name of the processor alone would stand for what it has.
    less = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ",".join(has), "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", NARROWER, tmp_path / "given.npz"],
        env={**os.environ, **less}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found, *answers = done.stdout.split()
    assert found == lanes
    assert [int(word) for word in answers] == NearestPoint(points).nearest(queries).tolist()


def test_few_queries_are_left_for_another_way():
    points = clustered(9, 6000, 100)
    for epsilon in (2.0, 10.0, 40.0):
        _, _, certain = listed(points, noisy(points, epsilon, 200, seed=10))
        assert certain.mean() > 0.95
    assert len(points) / 5 > certified._LONGEST


@pytest.mark.parametrize("count", [128, 129, 200])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_queries_that_are_too_long_for_codes_are_answered_by_the_other_ways(monkeypatch, count, spread):
    monkeypatch.setattr(search, "CHOSEN", replace(CHOSEN, worth_words=0, worth_numbers=0))
    points = spread * np.arange(count)[::-1, None] * np.ones((1, 6), dtype=np.float32)
    index = NearestPoint(points)
    index._asked = search._WORTH_QUERIES
    queries = np.concatenate([2.0**200 * np.ones((20, 6)), -(2.0**399) * np.ones((20, 6)), np.zeros((20, 6))])
    nearest = [0] * 20 + [count - 1 if spread else 0] * 40
    assert index.nearest(queries).tolist() == nearest
