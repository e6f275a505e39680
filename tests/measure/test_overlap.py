from __future__ import annotations

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.measure.overlap import NeighbourOverlap, skewness

POINTS = np.random.default_rng(0).standard_normal((300, 10))
WORDS = np.arange(0, 300, 3)


def test_a_word_released_as_it_is_overlaps_wholly_and_is_found():
    overlap = NeighbourOverlap(POINTS, WORDS)(POINTS[WORDS])
    assert (overlap.shares == 1.0).all()
    assert (overlap.nearest[:, 0] == WORDS).all()
    assert skewness(overlap.shares) == 0.0


def test_the_overlap_is_the_jaccard_index_of_the_nearest():
    released = POINTS[WORDS] + np.random.default_rng(1).standard_normal((100, 10))
    overlap = NeighbourOverlap(POINTS, WORDS, neighbours=7)(released)
    for place, word in enumerate(WORDS):
        own, found = (
            set(np.argsort(np.linalg.norm(POINTS - point, axis=1))[:7].tolist())
            for point in (POINTS[word], released[place])
        )
        assert overlap.shares[place] == pytest.approx(len(own & found) / len(own | found))


def test_far_noise_leaves_no_overlap():
    overlap = NeighbourOverlap(POINTS, WORDS)(POINTS[WORDS] + 50 * np.random.default_rng(2).standard_normal((100, 10)))
    assert overlap.shares.mean() < 0.1


def test_skewness_is_that_of_scipy():
    from scipy.stats import skew

    values = np.random.default_rng(3).gamma(2, size=50)
    assert skewness(values) == pytest.approx(skew(values, bias=False), abs=1e-12)
    assert skewness(-values) == pytest.approx(-skewness(values))


def test_wrong_counts_are_refused():
    with pytest.raises(InvalidInputError, match="at least three"):
        skewness(np.ones(2))
    with pytest.raises(InvalidInputError, match="one release a word"):
        NeighbourOverlap(POINTS, WORDS)(POINTS)
