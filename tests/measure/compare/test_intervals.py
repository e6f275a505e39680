"""Intervals of shares count repeats of the same input for what they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.measure.compare.intervals import of_repeats, of_share


def test_repeats_that_are_all_alike_are_worth_one():
    hits = np.arange(40) % 4 == 0
    assert of_repeats(np.tile(hits, (5, 1))).high == pytest.approx(of_share(hits).high, abs=0.01)
    for same in (np.zeros((5, 40), dtype=bool), np.ones((5, 40), dtype=bool)):
        one, found = of_share(same[0]), of_repeats(same)
        assert (found.low, found.high) == (one.low, one.high)


def test_independent_repeats_are_worth_about_as_much_as_inputs():
    hits = np.random.default_rng(0).random((10, 400)) < 0.3
    wide, fair = of_repeats(hits), of_share(hits)
    assert wide.high - wide.low == pytest.approx(fair.high - fair.low, rel=0.15)
