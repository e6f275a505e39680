"""Depth: brute force agrees, ties count, and one sentence moves it by at most one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.mechanisms.deep_candidate import depth as depth_module
from textveil.mechanisms.deep_candidate.depth import Depth
from textveil.vocabulary.lattice import STEP


def brute(candidates, directions, document, *, closed=True):
    """Depth by its definition, in whole numbers."""
    f = np.rint(np.asarray(candidates) / STEP).astype(np.int64) @ directions.T.astype(np.int64)
    s = np.rint(np.asarray(document) / STEP).astype(np.int64).reshape(-1, directions.shape[1])
    s = s @ directions.T.astype(np.int64)
    above = (s[:, None] >= f[None]).sum(axis=0)
    below = (s[:, None] <= f[None] if closed else s[:, None] < f[None]).sum(axis=0)
    return np.minimum(above, below).min(axis=1)


def depths(candidates, directions, documents, *, closed=True):
    sizes = [len(document) for document in documents]
    sentences = np.concatenate([np.reshape(document, (len(document), directions.shape[1])) for document in documents])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Depth(np.asarray(candidates, dtype=float), directions, closed=closed).among(sentences, offsets)


def test_the_toy_has_its_golden_values():
    sentences = np.array([[0, 0], [1, 0], [0, 2]], dtype=float)
    candidates = np.rint(np.array([[0.3, 0.5], [0, 0], [5, 5]]) / STEP) * STEP
    directions = np.array([[10, 0], [0, 10], [6, 8]], dtype=float)
    assert depths(candidates, directions, [sentences])[0].tolist() == [1, 1, 0]
    # Published: minus the largest |h - k/2|, which is the open depth minus k/2.
    published = depths(candidates, directions, [sentences], closed=False)[0] - 1.5
    assert published.tolist() == [-0.5, -1.5, -1.5]


@pytest.mark.parametrize("closed", [True, False])
def test_brute_force_agrees_with_exact_ties_in_384_dimensions(closed):
    rng = np.random.default_rng(5)
    directions = np.rint(rng.normal(size=(20, 384)) * 1024)
    topic = rng.normal(size=384) / 20
    candidates = np.rint((topic + rng.normal(size=(300, 384)) / 40) / STEP) * STEP
    documents = [np.rint((topic + rng.normal(size=(k, 384)) / 30) / STEP) * STEP for k in (0, 1, 2, 7, 8, 9, 40, 130)]
    for document in documents[2:]:
        # Some sentences are candidates, and some are there several times.
        document[: len(document) // 2] = candidates[rng.integers(0, 20, size=len(document) // 2)]
    documents.append(np.tile(candidates[3], (50, 1)))
    found = depths(candidates, directions, documents, closed=closed)
    for document, row in zip(documents, found, strict=True):
        assert (row == brute(candidates, directions, document, closed=closed)).all()
    assert found[:-1].max() >= 2
    assert found[-1, 3] == (50 if closed else 0)


def test_a_sentence_has_the_same_place_alone_and_among_others():
    rng = np.random.default_rng(6)
    directions = np.rint(rng.normal(size=(50, 384)) * 1024)
    candidates = np.rint(rng.normal(size=(40, 384)) / STEP) * STEP
    for sentence in candidates[:10]:
        alone = depths(candidates, directions, [sentence[None]])[0]
        among = depths(candidates, directions, [sentence[None]] * 33)
        assert (among == alone).all()
        assert alone[(candidates == sentence).all(axis=1)] == 1


def test_more_candidates_than_a_block_holds(monkeypatch):
    monkeypatch.setattr(depth_module, "_BLOCK", 16)
    rng = np.random.default_rng(7)
    directions = np.rint(rng.normal(size=(3, 4)) * 8)
    candidates, document = rng.integers(-3, 4, size=(50, 4)) * 1.0, rng.integers(-3, 4, size=(30, 4)) * 1.0
    found = depths(candidates, directions, [document, document[:5]])
    assert (found[0] == brute(candidates, directions, document)).all()
    assert (found[1] == brute(candidates, directions, document[:5])).all()


points = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12)
vectors = st.tuples(st.integers(-3, 3), st.integers(-3, 3))


@given(points, points, vectors, vectors, st.lists(vectors, min_size=1, max_size=6), st.booleans())
@settings(max_examples=300, deadline=None)
def test_exchanging_one_sentence_moves_depth_by_at_most_one(candidates, others, old, new, directions, closed):
    """And adding one moves it by 0 or +1, so that the published utility, depth - k/2, moves by +-1/2."""
    directions = np.array(directions, dtype=float)
    documents = [np.array([*others, old], float), np.array([*others, new], float), np.array(others, float)]
    before, after, without = depths(candidates, directions, documents, closed=closed).astype(int)
    assert np.abs(before - after).max() <= 1
    assert set(before - without) <= {0, 1}


@given(points, points, st.lists(vectors, min_size=1, max_size=6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_brute_force_agrees_on_small_grids(candidates, document, directions, closed):
    directions = np.array(directions, dtype=float)
    found = depths(candidates, directions, [np.array(document, float)], closed=closed)[0]
    assert (found == brute(candidates, directions, document, closed=closed)).all()


def test_sentences_beyond_the_limit_count_as_at_the_limit():
    directions = np.ones((1, 2))
    depth = Depth(np.zeros((1, 2)), directions)
    offsets = np.array([0, 3])
    assert depth.among(np.array([[1e300, 0], [-1e300, 0], [0, 0]]), offsets).tolist() == [[2]]
    with pytest.raises(InvalidInputError, match="within"):
        Depth(np.full((1, 2), 2.0**33), directions)
