"""Labels never cover each other, nor the marks."""

from __future__ import annotations

import itertools

import numpy as np

from textveil.measure.picture.labels import Box, Spot, place_labels

ROOM = Box(0, 0, 400, 400)


def spots(count, spread, seed=0):
    rng = np.random.default_rng(seed)
    places = 200 + spread * rng.uniform(-1, 1, size=(count, 2))
    return [Spot(x, y, 3.0, 40.0, 10.0) for x, y in places]


def test_no_label_covers_another_a_mark_or_what_is_taken():
    taken = [Box(190, 190, 210, 210)]
    for spread in (15, 60, 190):
        found = spots(40, spread)
        boxes = place_labels(found, ROOM, taken)
        placed = [box for box in boxes if box is not None]
        assert placed
        assert not any(a.overlaps(b) for a, b in itertools.combinations([*placed, *taken], 2))
        marks = [Box(s.x - 3, s.y - 3, s.x + 3, s.y + 3) for s in found]
        assert not any(box.overlaps(mark) for box in placed for mark in marks)
        assert all(box.inside(ROOM) for box in placed)


def test_the_most_important_is_named_first_and_the_others_where_there_is_room():
    boxes = place_labels(spots(300, 10), ROOM)
    assert None in boxes
    far_apart = [Spot(50.0 + 100 * i, 200.0, 3.0, 40.0, 10.0) for i in range(4)]
    assert None not in place_labels(far_apart, ROOM)
