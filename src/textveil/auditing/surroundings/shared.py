"""One noise added twice, to two rows, to two coordinates, in two releases: the differences then come out bare."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.report import Finding
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Kind, Subject
from textveil.auditing.values import plain

_BITS = 12
_WIDTH = 2.0**-4
_PLAYS = 12

Floats = NDArray[np.float64]


class _Place(NamedTuple):
    """Where a secret is hidden: it moves these entries, and what comes out there is compared with the first entry."""

    name: str
    entries: Any


_RELEASES = _Place("two releases", ...)
_ROWS = _Place("two rows of one input", 1)
_COORDINATES = _Place("the coordinates of one vector", slice(1, None))


def shared_noise(subject: Subject, alpha: float) -> Finding | None:
    """Hide random digits in the difference of two things, and read them off the difference of what comes out."""
    if subject.kind not in (Kind.VECTOR, Kind.MATRIX):
        return None
    x = max(subject.inputs, key=lambda one: float(np.abs(one).max()))
    within = _COORDINATES if subject.kind is Kind.VECTOR else _ROWS
    games = [_game(subject, x, place) for place in ([_RELEASES, within] if len(x) > 1 else [_RELEASES])]
    return finding_of(
        "noise that is shared",
        games,
        alpha,
        accusation="The same noise is added more than once, so that the difference of what comes out is the exact "
        "difference of what went in. Draw new noise for each.",
        otherwise="No two outputs had their noise in common.",
    )


def _game(subject: Subject, x: Floats, place: _Place) -> Game:
    width = _WIDTH * float(np.abs(x).max() or 1.0)
    grid = width * 2.0**-_BITS
    shape = x[place.entries].shape
    wins = 0
    for _ in range(_PLAYS):
        digits = subject.dice.below(2**_BITS, math.prod(shape)).reshape(shape)
        found = _difference(subject, x, _moved(x, place, grid * digits), place)
        wins += bool(found.shape == shape and (np.rint(found / grid) == digits).all())
    moved = _moved(x, place, np.full(shape, width))
    return Game(
        wins=wins,
        plays=_PLAYS,
        choices=_BITS * math.prod(shape) * math.log(2),
        promised=subject.promised(x, moved),
        pair=(plain(x), plain(moved)),
        event=f"the difference of {place.name} is that of what went in",
    )


def _moved(x: Floats, place: _Place, secret: Floats) -> Floats:
    moved = x.copy()
    moved[place.entries] += secret
    return moved


def _difference(subject: Subject, x: Floats, moved: Floats, place: _Place) -> Floats:
    """Return what comes out in place of the secret, as seen by someone who knows x."""
    outputs = subject.attempt([x, moved] if place is _RELEASES else [moved]) or [None]
    if not all(isinstance(output, np.ndarray) and output.shape == x.shape for output in outputs):
        return np.empty(0)
    if place is _RELEASES:
        return np.asarray(outputs[1] - outputs[0])
    return np.asarray(outputs[0][place.entries] - outputs[0][0] - (x[place.entries] - x[0]))
