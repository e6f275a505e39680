"""What a frontier of words says in sentences: the epsilon for the same utility, and the attacker's share of it."""

from __future__ import annotations

import math

import numpy as np

from textveil.measure.compare.frontier import Frontier
from textveil.measure.compare.setting import Setting

_KEPT = 0.5
_NEVER, _ALWAYS = 1e-9, 1 - 1e-9
_NOISES = ("laplace", "hyperbolic")


def at_share(frontier: Frontier, way: str, share: float = _KEPT, *, of: str = "epsilon") -> float | None:
    """Return a quantity where a way keeps this share of the words, between two points; None if it is not reached.

    The logarithm of the quantity is taken as straight in the log-odds of staying, which it nearly is.
    """
    line = sorted((kept, value) for value, kept in frontier.line(way, of, "unchanged"))
    kept = np.array([point[0] for point in line])
    if len(line) < 2 or not kept[0] <= share <= kept[-1]:
        return None
    values = np.array([point[1] for point in line])
    return float(np.exp(np.interp(_log_odds(share), _log_odds(kept), np.log(values))))


def at_epsilon(frontier: Frontier, way: str, epsilon: float, *, of: str) -> float | None:
    """Return a quantity between 0 and 1 of a way at an epsilon, between two points; None beyond its points."""
    line = frontier.line(way, "epsilon", of)
    if len(line) < 2 or not line[0][0] <= epsilon <= line[-1][0]:
        return None
    across, up = (np.array(part) for part in zip(*line, strict=True))
    odds = float(np.interp(math.log(epsilon), np.log(across), _log_odds(up)))
    return 1 / (1 + math.exp(-odds))


def findings_of_words(frontier: Frontier, setting: Setting) -> list[str]:
    """Say where half of the words stay, at what epsilon, and what an attacker gets there and at an equal epsilon."""
    noise = next((way.key for way in frontier.ways if way.key in _NOISES), None)
    found = []
    exact = at_share(frontier, "exponential")
    if exact is not None:
        loss = exact * setting.radius
        found.append(
            f"The calibrated exponential mechanism keeps half of the words at epsilon = {exact:.3g} per unit of "
            f"distance: a loss of {loss:.3g} nats at the radius."
        )
    noisy = at_share(frontier, noise) if noise else None
    if noise is None or exact is None or noisy is None:
        return found
    found.append(
        f"Noise and the nearest word need epsilon = {noisy:.3g} for that, {noisy / exact:.1f} times as much: "
        f"{noisy * setting.radius:.3g} nats at the radius."
    )
    found += _of_attackers(frontier, noise, exact)
    return found


def _of_attackers(frontier: Frontier, noise: str, epsilon: float) -> list[str]:
    found = []
    ours, theirs = (at_share(frontier, way, of="naming") for way in ("exponential", noise))
    if ours is not None and theirs is not None:
        found.append(
            f"At this equal utility an attacker to whom all words are equally likely names {ours:.1%} of them with the "
            f"first and {theirs:.1%} with the second: on average the attacker gets what the reader gets."
        )
    ours, theirs = (at_share(frontier, way, of="pair") for way in ("exponential", noise))
    if ours is not None and theirs is not None:
        found.append(
            f"Who knows two neighbours of which it was one tells them apart with chance {ours:.1%} and at least "
            f"{theirs:.1%}."
        )
    less = at_epsilon(frontier, noise, epsilon, of="naming")
    if less is not None:
        found.append(
            f"At the equal guarantee epsilon = {epsilon:.3g} noise and the nearest word keep {less:.2%} of the words, "
            "and the attacker names as many."
        )
    return found


def _log_odds(share: float | np.ndarray) -> np.ndarray:
    bounded = np.clip(share, _NEVER, _ALWAYS)
    return np.asarray(np.log(bounded / (1 - bounded)))
