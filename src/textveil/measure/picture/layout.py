"""Where on the page: a view of words as points of the unit disc, with rings at equal distances from the word."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from textveil.measure.picture.plane import View

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Complexes = NDArray[np.complex128]

_SHIFTS = 48
# How much more the likely replacements count when they are set apart: with 0 all the same, with 1 by their chances.
_FAVOUR = 0.4
# Points of the disc nearer to each other than this are not told apart anyway.
_FINEST = 0.01


@dataclass(frozen=True)
class Ring:
    """The points at one distance from the word: a circle on the page too."""

    distance: float
    middle: complex
    radius: float


@dataclass(frozen=True)
class Layout:
    """Places of words as complex numbers within the unit disc.

    Parameters
    ----------
    places : of all words
    rings : around the word
    centre : where the centre of the Poincaré ball comes to lie, if anywhere
    ring_at : returns the ring at a distance
    """

    places: Complexes
    rings: tuple[Ring, ...]
    ring_at: Callable[[float], Ring]
    centre: complex | None = None


def flat_layout(view: View, cloud: Ids, *, least: float = 0.0) -> Layout:
    """Put the word in the middle of a plane, and the farthest word of the cloud, or the least reach, near the rim."""
    scale = 1 / (1.05 * max(float(view.distances[cloud].max()), least) or 1.0)

    def ring_at(distance: float) -> Ring:
        return Ring(distance, 0j, distance * scale)

    rings = tuple(map(ring_at, _round_distances(1 / scale)))
    return Layout(scale * view.distances * np.exp(1j * view.angles), rings, ring_at)


def curved_layout(view: View, cloud: Ids, chances: Floats) -> Layout:
    """Put the words into the Poincaré disc: the word below, and in the middle what sets the cloud farthest apart.

    Turning the disc and moving its middle are isometries: distances of the disc stay as they are.

    Parameters
    ----------
    view : from the word
    cloud : its likely replacements
    chances : of these; likely ones count more
    """
    seen = np.tanh(view.distances / 2) * np.exp(1j * view.angles)
    reach = float(view.distances[cloud].max())
    shown, weights = np.append(seen[cloud], 0), np.append(chances, chances.max()) ** _FAVOUR
    ways = np.exp(1j * np.unique(view.angles[cloud]))
    middles = np.outer(np.tanh(np.linspace(0, reach, _SHIFTS) / 2), ways).ravel()
    found = max(middles.tolist(), key=lambda candidate: _spread(_moved(shown, candidate), weights))
    turn = np.pi / 2 - np.angle(found) if found else 0.0
    middle = 1j * abs(found)
    around = seen * np.exp(1j * turn)
    ring_at = partial(_ring, middle=middle)
    rings = tuple(map(ring_at, _whole_distances(reach)))
    centre = None
    if view.centre is not None:
        centre = complex(_moved(np.array(np.tanh(view.centre / 2) * np.exp(1j * (np.pi / 2 + turn))), middle))
    return Layout(_moved(around, middle), rings, ring_at, centre)


def _moved(points: Complexes, middle: complex) -> Complexes:
    """Move the disc so that this point comes to lie in the middle."""
    moved: Complexes = (points - middle) / (1 - np.conj(middle) * points)
    return moved


def _spread(points: Complexes, weights: Floats) -> float:
    apart = np.log(np.abs(points[:, None] - points) + _FINEST)
    return float(weights @ apart @ weights)


def _ring(distance: float, middle: complex) -> Ring:
    # Circles of the disc are circles; the line through the word and the middle cuts them at opposite ends.
    ends = _moved(np.tanh(distance / 2) * np.array([1j, -1j]), middle)
    return Ring(distance, complex(ends.mean()), float(np.abs(ends[0] - ends[1]) / 2))


def _whole_distances(reach: float) -> list[float]:
    step = max(1, round(reach / 6))
    return [float(distance) for distance in range(step, math.ceil(reach) + step, step)]


def _round_distances(reach: float) -> list[float]:
    power = 10.0 ** math.floor(math.log10(reach))
    step = next(part * power for part in (0.2, 0.5, 1.0, 2.0) if reach / (part * power) <= 6)
    return [step * count for count in range(1, math.ceil(reach / step))]
