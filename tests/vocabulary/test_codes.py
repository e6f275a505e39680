import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite.binding import get_host_cpu_features

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.gpu.tiles import BLOCK
from textveil.vocabulary.byte_products import (
    POINTS,
    QUERIES,
    first_sums,
    highest,
    lowest_bit,
    pack_points,
    reaching,
    score_bytes,
)
from textveil.vocabulary.codes import encode_points, encode_queries
from textveil.vocabulary.instructions import AVX2, CHOSEN, KIND, VNNI
from textveil.vocabulary.search import half_norms

STEP = 2.0**-20
FEATURES = get_host_cpu_features()

needs_instructions = pytest.mark.skipif(CHOSEN is None, reason="this processor has none for 8-bit products")
kinds = pytest.mark.parametrize("kind", [VNNI, AVX2], ids=["vnni", "avx2"])


def table(seed, count, dimension, *, scale=1.0):
    """Points of very different sizes, some of them with one large coordinate."""
    generator = np.random.default_rng(seed)
    points = scale * generator.standard_normal((count, dimension)) * generator.gamma(2.0, size=(count, 1))
    points[::7, generator.integers(dimension)] += 5 * scale
    return np.rint(points / STEP) * STEP


def scores_and_bounds(points, queries, kind=VNNI):
    """The scores by codes, the true ones, and the bound on the difference, for points in the order of the codes."""
    codes, asked = encode_points(points, half_norms(points), kind), encode_queries(queries, kind=kind)
    products = (asked.codes.astype(np.int64) @ codes.codes.T.astype(np.int64)).astype(np.float32)
    scales = np.repeat(codes.scales, BLOCK)[None] * asked.scales[:, None]
    scores = (products * scales - codes.halves)[:, : len(points)]
    bounds = asked.norms[:, None] * codes.bounds[:, 0] + asked.errors[:, None] * codes.bounds[:, 1] + codes.bounds[:, 2]
    ordered = points[codes.rows[: len(points)]].astype(np.longdouble)
    true = queries.astype(np.longdouble) @ ordered.T - (ordered**2).sum(axis=1) / 2
    return scores, true, np.repeat(bounds, BLOCK, axis=1)[:, : len(points)]


@pytest.mark.parametrize("dimension", [1, 7, 100, 301])
@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
@kinds
def test_the_bound_covers_every_score(dimension, size, kind):
    points = table(dimension, 700, dimension)
    queries = size * table(dimension + 1, 40, dimension)
    scores, true, bounds = scores_and_bounds(points, queries, kind)
    assert (np.abs(scores - true) <= bounds).all()


def test_the_bound_is_not_much_larger_than_it_must_be():
    scores, true, bounds = scores_and_bounds(table(3, 2000, 100), 5 * table(4, 200, 100))
    ratio = (np.abs(scores - true) / bounds).max()
    assert 0.15 < ratio < 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_bound_covers_points_that_are_made_to_break_it(data):
    whole = st.integers(-127, 127)
    dimension = data.draw(st.integers(1, 5))
    row = st.lists(whole, min_size=dimension, max_size=dimension)
    points = np.array(data.draw(st.lists(row, min_size=1, max_size=20)), dtype=np.float64)
    points += data.draw(st.sampled_from([0.0, 0.5, STEP, 0.5 - STEP]))
    queries = np.array(data.draw(st.lists(row, min_size=1, max_size=5))) + data.draw(st.sampled_from([0.0, 0.5, 0.499]))
    queries = queries[np.abs(queries).max(axis=1) > 0]
    scores, true, bounds = scores_and_bounds(points, queries, data.draw(st.sampled_from([VNNI, AVX2])))
    assert (np.abs(scores - true) <= bounds).all()


def test_points_are_put_in_the_order_of_their_largest_coordinate_and_repeated_ones_left_out():
    points = table(5, 300, 6)
    halves = half_norms(points)
    halves[[3, 200]] = np.inf
    codes = encode_points(points, halves)
    assert len(codes.rows) == 3 * BLOCK
    assert set(codes.rows[:298]) == set(range(300)) - {3, 200}
    largest = np.abs(points[codes.rows[:298]]).max(axis=1)
    assert (np.diff(largest) <= 0).all()
    assert np.isinf(codes.halves[298:]).all()
    assert np.isfinite(codes.halves[:298]).all()


def test_zero_vectors_have_codes():
    codes = encode_points(np.zeros((2, 3)), np.zeros(2))
    asked = encode_queries(np.zeros((1, 3)))
    assert not codes.codes.any()
    assert not codes.scales.any()
    assert not asked.codes.any()


def meeting_in_16_bits(codes):
    """The sizes of the codes of queries, those together that AVX2 multiplies and adds up in one sum of 16 bits."""
    sizes = np.abs(codes.astype(np.int64))
    filled = np.pad(sizes, ((0, 0), (0, -sizes.shape[1] % (4 * AVX2.steps))))
    return filled.reshape(len(codes), -1, AVX2.steps, 2, 2).sum(axis=(2, 4))


@pytest.mark.parametrize("dimension", [1, 4, 11, 12, 13, 50, 298, 300])
@pytest.mark.parametrize("flat", [False, True])
def test_no_sum_of_16_bits_can_overflow(dimension, flat):
    queries = 3 * table(dimension, 500, dimension)
    if flat:
        queries = np.sign(queries) * np.random.default_rng(1).uniform(0.98, 1, queries.shape)
    points = encode_points(table(2, 300, dimension), np.zeros(300), AVX2).codes
    assert np.abs(points).max() == AVX2.largest
    most = meeting_in_16_bits(encode_queries(queries, kind=AVX2).codes).max()
    assert most * (AVX2.largest + AVX2.shift) < 2**15
    assert most > AVX2.most / 2 or dimension < 12
    assert dimension < 12 or meeting_in_16_bits(encode_queries(queries, kind=VNNI).codes).max() > AVX2.most


@compiled
def all_scores(packed, queries, sums, halves, factors, thresholds, out, found):
    scores, best = np.empty((QUERIES, POINTS), dtype=np.float32), np.full(queries.shape[0], -np.inf, dtype=np.float32)
    for group in range(halves.size // POINTS):
        for first in range(0, queries.shape[0], QUERIES):
            asking = score_bytes(packed, group, queries, first, sums, halves, factors, thresholds, scores)
            if asking:
                out[first : first + QUERIES, group * POINTS : (group + 1) * POINTS] = scores
            for i in range(QUERIES):
                bits = (
                    reaching(scores, i, thresholds[first + i])
                    if asking >> np.uint64(i) & np.uint64(1)
                    else np.uint64(0)
                )
                if bits:
                    best[first + i] = max(best[first + i], highest(scores, i))
                while bits:
                    found[first + i, group * POINTS + lowest_bit(bits)] = True
                    bits &= bits - np.uint64(1)
    return best


@needs_instructions
@pytest.mark.parametrize("width", [4, 12, 16, 52, 300])
def test_products_of_bytes_are_those_of_whole_numbers(width):
    generator = np.random.default_rng(width)
    largest = KIND.largest if KIND.most is None else KIND.most // (2 * KIND.steps)
    points = generator.integers(-KIND.largest, KIND.largest + 1, (3 * POINTS, width)).astype(np.int8)
    queries = generator.integers(-largest, largest + 1, (4 * QUERIES, width)).astype(np.int8)
    points[:2], queries[:2] = KIND.largest, -largest
    points[2:4], queries[2:4] = -KIND.largest, largest
    if width >= 4 * AVX2.steps:
        # Those that meet in one sum of 16 bits add up to the most that it can hold.
        queries[4:6] = 0
        queries[4, [0, 1, 4, 5, 8, 9]] = 127, 127, 1, 1, 1, 1
        queries[5] = -queries[4]
    out, found = np.empty((len(queries), len(points)), dtype=np.float32), np.zeros((len(queries), len(points)), bool)
    halves, factors = np.zeros(len(points), dtype=np.float32), np.ones(len(queries), dtype=np.float32)
    sums = first_sums(queries.sum(axis=1, dtype=np.int32))
    best = all_scores(pack_points(points), queries, sums, halves, factors, factors * -np.inf, out, found)
    assert (out == queries.astype(np.int64) @ points.T.astype(np.int64)).all()
    assert found.all()
    assert (best == out.max(axis=1)).all()


@pytest.mark.skipif(CHOSEN is not VNNI, reason="this processor multiplies as AVX2 does, or not at all")
def test_products_without_avx512_are_those_of_whole_numbers(tmp_path):
    has = (f"-{name}" if not there or name.startswith("avx512") else f"+{name}" for name, there in FEATURES.items())
    less = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ",".join(has), "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "bytes or threshold", __file__]
    done = subprocess.run(command, env={**os.environ, **less}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert done.stdout.startswith("......")


@needs_instructions
def test_points_with_a_score_of_at_least_the_threshold_are_found():
    generator = np.random.default_rng(8)
    points = generator.integers(-63, 64, (10 * POINTS, 20)).astype(np.int8)
    queries = generator.integers(-40, 41, (10 * QUERIES, 20)).astype(np.int8)
    halves = generator.uniform(0, 500, len(points)).astype(np.float32)
    factors = generator.choice(np.float32([0.25, 0.5, 1]), len(queries))
    products = (queries.astype(np.int64) @ points.T.astype(np.int64)).astype(np.float32)
    scores = products * factors[:, None] - halves
    thresholds = scores[:, 3 * POINTS : 4 * POINTS].max(axis=1)
    out, found = np.empty_like(scores), np.zeros(scores.shape, dtype=bool)
    sums = first_sums(queries.sum(axis=1, dtype=np.int32))
    all_scores(pack_points(points), queries, sums, halves, factors, thresholds, out, found)
    assert (found == (scores >= thresholds[:, None])).all()
    assert found.any(axis=1).all()
    assert found.mean() < 0.2


@pytest.mark.parametrize("dimension", [1, 7, 100])
def test_queries_are_measured_while_they_are_encoded(dimension):
    queries = 5 * table(dimension, 30, dimension)
    queries[4, -1] += STEP / 2**10
    queries[5, 0] += STEP / 2
    queries[6], queries[7, 0] = 0.0, -(2.0**399)
    coded = encode_queries(queries, 16)
    assert len(coded.codes) == 32
    assert not coded.codes[30:].any()
    assert (coded.sums[:30] == coded.codes[:30].sum(axis=1, dtype=np.int64)).all()
    assert np.allclose(coded.lengths[:30], np.linalg.norm(queries, axis=1), rtol=1e-12)
    assert coded.on_lattice[:30].tolist() == [row != 4 for row in range(30)]


@pytest.mark.parametrize("far", [np.nan, -np.nan, np.inf, -np.inf, 2.0**400, -(2.0**400)])
def test_queries_that_are_too_far_are_refused(far):
    queries = np.ones((20, 9))
    queries[13, 8] = far
    with pytest.raises(InvalidInputError, match="finite and below 2\\^400"):
        encode_queries(queries)
