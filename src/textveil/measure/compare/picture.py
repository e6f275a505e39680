"""The frontier as a picture: utility against the guarantee, and what the attacker gets for the same utility."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from textveil.guarantees import Status
from textveil.measure.compare.frontier import Frontier, Point
from textveil.measure.compare.quantities import Quantity
from textveil.measure.picture import blank

# The palette of Okabe and Ito, grey in the place of its yellow, with brown and purple.
_COLOURS = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#767676", "#0072b2", "#d55e00", "#cc79a7",
            "#8c510a", "#5e3c99")  # fmt: skip
_MARKS = ("o", "s", "^", "D", "v", "x", "+", "p", "<", ">", "*", "1", "P")
_GAP = (math.nan,) * 4
# What nothing bounds is drawn at so many times the largest loss.
_BEYOND = 2.5


def draw(frontier: Frontier) -> Any:
    """Return a figure of two panels."""
    measured = {it["key"] for it in frontier.as_dict()["quantities"]}
    names = {quantity.key: quantity for quantity in frontier.quantities if quantity.key in measured}
    utility = next(key for key in ("accuracy", "unchanged", "cosine") if key in names)
    attack = "pair" if "pair" in names else "naming"
    figure = blank(10, 5)
    left, right = figure.subplots(1, 2)
    _panel(left, frontier, names["loss"], names[utility])
    _panel(right, frontier, names[utility], names[attack])
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _panel(axes: Any, frontier: Frontier, across: Quantity, up: Quantity) -> None:
    found = [point.values[across.key].value for point in frontier.points if across.key in point.values]
    farthest = max((value for value in found if math.isfinite(value)), default=1.0)
    beyond = farthest * _BEYOND
    for way in frontier.ways:
        line = broken_line(frontier.having(way.key, across.key, up.key), across.key, up.key)
        x, y, low, high = (list(part) for part in zip(*line, strict=True)) if line else ([], [], [], [])
        limits = [[a - b for a, b in zip(y, low, strict=True)], [b - a for a, b in zip(y, high, strict=True)]]
        refuted = way.status is Status.REFUTED
        axes.errorbar(
            [min(it, beyond) for it in x], y, yerr=[[max(0.0, it) for it in part] for part in limits],
            color=_COLOURS[way.colour], marker=_MARKS[way.mark], markersize=4, linewidth=1.3, elinewidth=0.7,
            linestyle="--" if refuted else "-", label=way.label + (" (refuted)" if refuted else ""),
        )  # fmt: skip
    axes.set_xscale(across.scale)
    if any(math.isinf(value) for value in found):
        _mark_unbounded(axes, farthest, beyond)
    axes.set_xlabel(across.label)
    axes.set_ylabel(up.label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e5e5e5", linewidth=0.6)


def _mark_unbounded(axes: Any, farthest: float, beyond: float) -> None:
    """Set what nothing bounds apart, at the right of a logarithmic axis."""
    half = math.sqrt(beyond / farthest) / 1.05
    axes.axvspan(beyond / half, beyond * half, color="#f0f0f0", zorder=0, linewidth=0)
    axes.set_xlim(right=beyond * half)
    axes.text(beyond, -0.02, "∞", transform=axes.get_xaxis_transform(), ha="center", va="top", fontsize=12)


def broken_line(points: Sequence[Point], across: str, up: str) -> list[tuple[float, float, float, float]]:
    """Return (across, up, low, high) in the order of the first, with NaN where a line jumps.

    It jumps where the number of near words changes.
    """
    found = sorted(
        (
            ((it.values[across].value, it.values[up].value, it.values[up].low, it.values[up].high), it.near)
            for it in points
        ),
        key=lambda place: place[0],
    )
    line = [place for place, _ in found[:1]]
    for (_, before), (place, near) in pairwise(found):
        line += [place] if near == before else [_GAP, place]
    return line
