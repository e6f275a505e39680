"""What a frontier of words says in sentences: the epsilon for the same utility, and the attacker's share of it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textveil.measure.compare.frontier import Frontier
from textveil.measure.compare.setting import Setting

Floats = NDArray[np.float64]

_KEPT = 0.5
_NEVER, _ALWAYS = 1e-9, 1 - 1e-9
_NOISES = ("laplace", "hyperbolic")
# Of a point: across, up, and the number of near words.
_Place = tuple[float, float, int]
_LOSSES = ("epsilon", "loss", "far")


def at_share(frontier: Frontier, way: str, share: float = _KEPT, *, of: str = "epsilon") -> float | None:
    """Return a quantity where a way keeps this share of the words, between two points; None if it is not reached."""
    return _between(_line(frontier, way, "unchanged", of), share, of, across="unchanged")


def at_epsilon(frontier: Frontier, way: str, epsilon: float, *, of: str) -> float | None:
    """Return a quantity of a way at an epsilon, between two points; None beyond its points."""
    return _between(_line(frontier, way, "epsilon", of), epsilon, of, across="epsilon")


def _line(frontier: Frontier, way: str, across: str, up: str) -> list[_Place]:
    found = [point for point in frontier.points if point.way == way and {across, up} <= point.values.keys()]
    return sorted((it.values[across].value, it.values[up].value, it.near or 0) for it in found)


def _between(line: list[_Place], at: float, of: str, *, across: str) -> float | None:
    """Return the height of a line, which is taken as straight between points in logarithms, of shares in log-odds.

    Where the number of near words changes the line jumps: nothing is read off there.
    """
    if len(line) < 2 or not line[0][0] <= at <= line[-1][0]:
        return None
    x, y, near = (np.array(part) for part in zip(*line, strict=True))
    after = int(np.searchsorted(x, at))
    if x[after] != at and near[after - 1] != near[after]:
        return None
    height = float(np.interp(_straight(at, across), _straight(x, across), _straight(y, of)))
    return math.exp(height) if of in _LOSSES else 1 / (1 + math.exp(-height))


def findings_of_words(frontier: Frontier, setting: Setting) -> list[str]:
    """Say where half of the words stay, at what epsilon, and what an attacker gets there and at an equal epsilon."""
    noise = next((way.key for way in frontier.ways if way.key in _NOISES), None)
    found = []
    exact = at_share(frontier, "exponential")
    if exact is not None:
        loss = exact * setting.radius
        found.append(
            f"The calibrated exponential mechanism keeps half of the words at epsilon = {exact:.3g} per unit of "
            f"distance: a loss of {loss:.3g} nats at the radius, exact over all pairs of words."
        )
    noisy = at_share(frontier, noise) if noise else None
    if noise is None or exact is None or noisy is None:
        return found
    found.append(
        f"Noise and the nearest word need a guarantee of epsilon = {noisy:.3g} for that, {noisy / exact:.1f} times as "
        f"large: {noisy * setting.radius:.3g} nats at the radius. It is proved of the noisy vector; what the released "
        "word loses is at most that, and may be less."
    )
    found += _of_attackers(frontier, noise, exact)
    return found


def _of_attackers(frontier: Frontier, noise: str, epsilon: float) -> list[str]:
    """Say what attackers get where half of the words stay, of both mechanisms, and of the noise at an equal epsilon."""

    def both(of: str) -> tuple[float, float] | None:
        ours, theirs = (at_share(frontier, way, of=of) for way in ("exponential", noise))
        return None if ours is None or theirs is None else (ours, theirs)

    found = []
    if named := both("naming"):
        found.append(
            f"At this equal utility an attacker to whom all words are equally likely names {named[0]:.1%} of them with "
            f"the first and {named[1]:.1%} with the second: on average the attacker gets what the reader gets."
        )
    if apart := both("pair"):
        found.append(
            f"Who knows two neighbours of which it was one tells them apart with chance {apart[0]:.1%} and at least "
            f"{apart[1]:.1%}."
        )
    if (running := both("running")) and (frequent := both("frequent")) and (word := both("frequent_word")):
        found.append(
            f"Of running text {running[0]:.1%} and {running[1]:.1%} stay; who knows how frequent words are and sees "
            f"the released word names {word[0]:.1%} and at least {word[1]:.1%}; who sees the noisy vector, "
            f"which tells at least as much as the word, names {frequent[1]:.1%}."
        )
    less = at_epsilon(frontier, noise, epsilon, of="naming")
    if less is not None:
        found.append(
            f"At the equal proved guarantee epsilon = {epsilon:.3g} noise and the nearest word keep {less:.2%} of "
            "the words, and the attacker names as many."
        )
    return found


def _straight(values: float | Floats, key: str) -> Floats:
    if key in _LOSSES:
        return np.asarray(np.log(values))
    bounded = np.clip(values, _NEVER, _ALWAYS)
    return np.asarray(np.log(bounded / (1 - bounded)))
