"""Put labels beside points so that none covers another label or a point that matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Directions tried around a point, and gaps between its rim and the label, in pixels of 1/72 inch.
_DIRECTIONS = 16
_GAPS = (2.0, 6.0, 12.0, 20.0, 30.0)


class Box(NamedTuple):
    """A rectangle: left, bottom, right, top."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box) -> bool:
        """Whether two rectangles have more than an edge in common."""
        beside = self.right <= other.left or other.right <= self.left
        above = self.top <= other.bottom or other.top <= self.bottom
        return not (beside or above)

    def inside(self, other: Box) -> bool:
        """Whether this rectangle lies within another."""
        wide = other.left <= self.left and self.right <= other.right
        return wide and other.bottom <= self.bottom and self.top <= other.top


class Spot(NamedTuple):
    """A point to be labelled: its place, the radius of its mark, and the size of its label."""

    x: float
    y: float
    radius: float
    width: float
    height: float


def place_labels(spots: Sequence[Spot], room: Box, taken: Sequence[Box] = ()) -> list[Box | None]:
    """Return a rectangle for the label of each spot, earlier spots first, or None where there is no room for it.

    Parameters
    ----------
    spots : the most important first
    room : where labels may be
    taken : rectangles that must stay free
    """
    marks = [_around(spot) for spot in spots]
    middle = ((room.left + room.right) / 2, (room.bottom + room.top) / 2)
    placed: list[Box | None] = []
    for number, spot in enumerate(spots):
        full = [*taken, *(box for box in placed if box), *marks[:number], *marks[number + 1 :]]
        free = (
            box
            for box in _candidates(spot, middle)
            if box.inside(room) and not any(box.overlaps(other) for other in full)
        )
        placed.append(next(free, None))
    return placed


def _around(spot: Spot) -> Box:
    return Box(spot.x - spot.radius, spot.y - spot.radius, spot.x + spot.radius, spot.y + spot.radius)


def _candidates(spot: Spot, middle: tuple[float, float]) -> list[Box]:
    """Rectangles around a spot: near ones first, and among these first those on the side away from the middle."""
    outward = np.arctan2(spot.y - middle[1], spot.x - middle[0])
    turns = 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    order = np.argsort(np.abs(np.angle(np.exp(1j * (turns - outward)))), kind="stable")
    boxes = []
    for gap in _GAPS:
        for turn in turns[order]:
            # The label's own extent in this direction keeps it clear of the mark.
            reach = spot.radius + gap
            x = spot.x + reach * np.cos(turn) + np.cos(turn) * spot.width / 2
            y = spot.y + reach * np.sin(turn) + np.sin(turn) * spot.height / 2
            boxes.append(Box(x - spot.width / 2, y - spot.height / 2, x + spot.width / 2, y + spot.height / 2))
    return [box for box in boxes if not box.overlaps(_around(spot))]
