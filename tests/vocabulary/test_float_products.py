import os
import subprocess
import sys

import numpy as np
import pytest

from textveil.standby import standing_by
from textveil.vocabulary.float_products import POINTS, QUERIES, keep_best, keep_best_together, whole_blocks
from textveil.vocabulary.instructions import FLOAT_LANES
from textveil.vocabulary.search import half_norms, score_error


def kept_by(pieces, halves, queries, longest=1e9, keep_best=keep_best):
    """What is kept of a table that comes in pieces."""
    room = whole_blocks(len(queries))
    best, second = np.full((2, room), -np.inf, dtype=np.float32)
    word, norms = np.zeros(room, dtype=np.int32), np.zeros(room)
    start = 0
    for piece in pieces:
        own = halves[start : start + len(piece)].astype(np.float32)
        rows = np.ascontiguousarray(piece, dtype=np.float32)
        keep_best(rows, own, start, queries, longest, (best, second, word, norms))
        start += len(piece)
    return tuple(array[: len(queries)] for array in (best, second, word, norms))


def whole_numbers(seed, *shape):
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


@pytest.mark.parametrize("words", [1, 2, POINTS - 1, POINTS, POINTS + 1, 5 * POINTS - 1, 5 * POINTS, 1001])
@pytest.mark.parametrize("dimension", [1, 7, 8, 9, 40, 300])
@pytest.mark.parametrize("count", [1, 8, QUERIES - 1, QUERIES, 9 * QUERIES + 5])
def test_the_best_two_scores_are_those_of_a_plain_matrix(words, dimension, count):
    """Products of whole numbers have no rounding, and small ones many ties."""
    points, queries = whole_numbers(words, words, dimension), whole_numbers(count, count, dimension)
    halves = half_norms(points)
    best, second, word, _ = kept_by([points], halves, queries)
    scores = queries @ points.T - halves
    assert (best == scores.max(axis=1)).all()
    assert (word == scores.argmax(axis=1)).all()
    scores[np.arange(count), word] = -np.inf
    assert (second == scores.max(axis=1)).all()


def test_a_table_in_pieces_has_the_same_best():
    points, queries = whole_numbers(1, 700, 30), whole_numbers(2, 100, 30)
    halves = half_norms(points)
    whole = kept_by([points], halves, queries)
    pieces = kept_by(np.split(points, [3, 4, 200, 200 + POINTS, 699]), halves, queries)
    for one, other in zip(whole, pieces, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("parts", [1, 2, 3, 16, 40])
@pytest.mark.parametrize("count", [1, QUERIES, QUERIES + 1, 11 * QUERIES + 5])
def test_parts_have_the_same_best(parts, count):
    points, queries = whole_numbers(6, 57, 11), whole_numbers(7, count, 11)
    queries[count // 2, 3] = 1e9
    halves = half_norms(points)
    with standing_by(2) as board:
        together = kept_by(
            [points[:8], points[8:]], halves, queries, keep_best=lambda *given: keep_best_together(*given, parts, board)
        )
    for one, other in zip(kept_by([points], halves, queries), together, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


def test_queries_that_were_not_all_compared_are_an_error(monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.float_products._share_queries", lambda *_: False)
    with standing_by(1) as board, pytest.raises(MemoryError, match="100 queries with 9 points"):
        kept_by(
            [np.ones((9, 4))],
            np.ones(9),
            np.ones((100, 4)),
            keep_best=lambda *given: keep_best_together(*given, 2, board),
        )


def test_points_with_an_infinite_half_norm_are_never_the_best_nor_the_next():
    points = np.ones((40, 5))
    halves = half_norms(points)
    halves[np.arange(40) != 38] = np.inf
    best, second, word, _ = kept_by([points], halves, np.ones((50, 5)))
    assert (word == 38).all()
    assert (best == 2.5).all()
    assert (second == -np.inf).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e9, -1e200])
@pytest.mark.parametrize("place", [(0, 0), (6, 39), (63, 17)])
def test_what_is_too_long_or_no_number_has_an_infinite_norm_and_harms_no_other(bad, place):
    points, queries = whole_numbers(3, 100, 40), whole_numbers(4, 64, 40)
    right = kept_by([points], half_norms(points), queries)
    queries[place] = bad
    found = kept_by([points], half_norms(points), queries)
    others = np.arange(64) != place[0]
    assert found[3][place[0]] == np.inf
    assert np.isfinite(found[3][others]).all()
    for one, other in zip(right, found, strict=True):
        assert (one == other)[others].all()


@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e-25, 1e-19, 1e-15, 1e-10, 1.0, 1e8])
@pytest.mark.parametrize("dimension", [1, 5, 12, 15, 4000])
def test_norms_are_never_below_the_true_ones(size, dimension):
    queries = size * np.random.default_rng(5).standard_normal((30, dimension))
    norms, true = (
        kept_by([np.ones((9, dimension))], np.ones(9), queries, longest=1e30)[3],
        np.linalg.norm(queries, axis=1),
    )
    assert (norms >= true).all()
    assert (norms <= np.maximum(1.011 * true, 2.0**-50)).all()


@pytest.mark.parametrize("dimension", [3, 50, 768])
def test_the_rounding_bound_covers_the_scores(dimension):
    generator = np.random.default_rng(dimension)
    points = 3 * generator.standard_normal((500, dimension)).astype(np.float32)
    queries = 5 * generator.standard_normal((200, dimension))
    halves = half_norms(points)
    best, second, word, norms = kept_by([points], halves, queries)
    scores = np.sort(queries.astype(np.longdouble) @ points.T.astype(np.longdouble) - halves, axis=1)
    bound = score_error(norms, float(np.sqrt(2 * halves.max())), dimension, np.float32)
    for found, true in ((best, scores[:, -1]), (second, scores[:, -2])):
        assert (np.abs(found - true) <= bound).all()
    assert (bound < 1e-6 * dimension * norms * 100).all()
    assert (word >= 0).all()


OTHERS = """
import sys
import pytest
from textveil.vocabulary import instructions
instructions.FLOAT_LANES, instructions.FLOAT_POINTS, instructions.FLOAT_VECTORS = map(int, sys.argv[1:4])
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-k", "not registers", sys.argv[4]]))
"""


def test_registers_of_another_processor_give_the_same(tmp_path):
    """Registers that a processor does not have are made of those that it has: AVX-512 of AVX2, or the reverse."""
    shape = (8, 4, 3) if FLOAT_LANES == 16 else (16, 8, 3)
    command = [sys.executable, "-c", OTHERS, *map(str, shape), __file__]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()[-2000:]
