"""What is read off a line of a frontier between two of its points, with the interval of what was sampled."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from textveil.measure.compare.frontier import Frontier, Value

Floats = NDArray[np.float64]

HALF = 0.5
_NEVER, _ALWAYS = 1e-9, 1 - 1e-9
_LOSSES = ("epsilon", "loss", "far")
# They may lie below 0, where there are no odds.
_LINEAR = ("cosine", "inversion", "membership")
# Of a point: across, up, and the number of near words.
_Place = tuple[float, float, int]


def read(frontier: Frontier, way: str, at: float, *, across: str, of: str) -> Value | None:
    """Return a quantity where another has this value, with its interval; None where it can't be read off.

    The ends of the interval are the least and the most that the ends of both intervals of the points give.
    """
    found = _between(_line(frontier, way, across, of), at, of, across=across)
    if found is None:
        return None
    sides = product(("low", "high"), ("low", "high"))
    ends = [_height(_line(frontier, way, across, of, sides=side), at, of, across=across) for side in sides]
    how = frontier.having(way, across, of)[-1].values[of].how
    return Value(found, min(found, *ends), max(found, *ends), how)


def beside(frontier: Frontier, way: str, at: float, *, across: str, of: str) -> tuple[float | None, float | None]:
    """Return a quantity at the points before and after the place where another has this value; None: there is none."""
    line = _line(frontier, way, across, of)
    below, above = [up for x, up, _ in line if x <= at], [up for x, up, _ in line if x >= at]
    return max(below, default=None), min(above, default=None)


def _line(
    frontier: Frontier, way: str, across: str, up: str, *, sides: tuple[str, str] = ("value", "value")
) -> list[_Place]:
    """Return the points of a way, or the ends of their intervals, in order."""
    return sorted(
        (getattr(it.values[across], sides[0]), getattr(it.values[up], sides[1]), it.near or 0)
        for it in frontier.having(way, across, up)
    )


def _between(line: list[_Place], at: float, of: str, *, across: str) -> float | None:
    """Return the height of a line within its points, but where the number of near words changes: there it jumps."""
    if len(line) < 2 or not line[0][0] <= at <= line[-1][0]:
        return None
    x, _, near = (np.array(part) for part in zip(*line, strict=True))
    after = int(np.searchsorted(x, at))
    if x[after] != at and near[after - 1] != near[after]:
        return None
    height = _height(line, at, of, across=across)
    return height if math.isfinite(height) else None


def _height(line: list[_Place], at: float, of: str, *, across: str) -> float:
    """Return the height of a line that is straight between points in logarithms, of shares in log-odds."""
    x, y, _ = (np.array(part) for part in zip(*line, strict=True))
    height = float(np.interp(_straight(at, across), _straight(x, across), _straight(y, of)))
    if of in _LINEAR:
        return height
    return math.exp(height) if of in _LOSSES else 1 / (1 + math.exp(-height))


def _straight(values: float | Floats, key: str) -> Floats:
    if key in _LINEAR:
        return np.asarray(values, dtype=np.float64)
    if key in _LOSSES:
        return np.asarray(np.log(values))
    bounded = np.clip(values, _NEVER, _ALWAYS)
    return np.asarray(np.log(bounded / (1 - bounded)))
