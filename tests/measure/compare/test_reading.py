"""What is read off between two points, with its interval."""

from __future__ import annotations

import pytest

from textveil.measure.compare.frontier import Frontier, Point, Value
from textveil.measure.compare.reading import beside, read


def line(**kept):
    """Points whose epsilon is 1, 2, ...; quantities have a value and a reach."""
    points = [
        Point("way", {"epsilon": Value.exact(place), **{key: values[place - 1] for key, values in kept.items()}})
        for place in (1, 2, 3)
    ]
    return Frontier("", {}, (), (), points)


def around(value, reach):
    return Value(value, value - reach, value + reach, "sampled")


def test_what_is_read_off_has_the_intervals_of_both_quantities():
    found = line(
        unchanged=[around(it, 0.2) for it in (0.3, 0.5, 0.7)], pair=[around(it, 0.05) for it in (0.6, 0.7, 0.9)]
    )
    assert read(found, "way", 0.5, across="unchanged", of="pair") == Value(
        pytest.approx(0.7), pytest.approx(0.55), pytest.approx(0.95), "sampled"
    )


def test_the_interval_of_an_epsilon_is_where_the_ends_of_shares_are_reached():
    found = line(unchanged=[around(0.4, 0.1), around(0.5, 0.1), around(0.6, 0.1)])
    assert read(found, "way", 0.5, across="unchanged", of="epsilon") == Value(
        pytest.approx(2), pytest.approx(1), pytest.approx(3), "exact"
    )


def test_cosines_below_0_are_read_off_a_straight_line():
    found = line(
        cosine=[Value.exact(it) for it in (-0.1, 0.3, 0.7)], naming=[Value.exact(it) for it in (0.1, 0.2, 0.8)]
    )
    assert read(found, "way", 0.5, across="cosine", of="naming").value == pytest.approx(0.5)


def test_what_is_not_reached_lies_beside_one_point():
    found = line(unchanged=[Value.exact(it) for it in (0.1, 0.2, 0.3)])
    assert read(found, "way", 0.5, across="unchanged", of="epsilon") is None
    assert beside(found, "way", 0.5, across="unchanged", of="epsilon") == (3, None)
    assert beside(found, "way", 0.05, across="unchanged", of="epsilon") == (None, 1)
    assert beside(found, "way", 0.25, across="unchanged", of="epsilon") == (2, 3)
