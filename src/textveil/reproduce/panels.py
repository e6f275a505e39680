"""A panel of a picture: a line for each mechanism against epsilon, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from textveil.reproduce.pivots import Records

_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#777777", "#cc5fa0", "#4b2991", "#e6b800")
_MARKS = "os^vDXP*<>phd8"
_DASHES = (":", "--", "-.", (0, (1, 4)))
# How much white the palest of many shades of a colour has.
_PALEST = 0.7


class Style(NamedTuple):
    """How a mechanism looks in every panel."""

    colour: str
    mark: str = ""
    dashes: Any = "-"


def styles_of(records: Records) -> dict[str, Style]:
    """Return a style for each mechanism of a picture, no two alike.

    What stands before the first comma of a name makes the colour; names that share it have shades of it. Each has its
    own mark. What has no epsilon is black and has dashes.
    """
    flat = dict.fromkeys(one["mechanism"] for one in records if one["epsilon"] is None)
    styles = {name: Style("black", dashes=dashes) for name, dashes in zip(flat, _DASHES, strict=False)}
    families: dict[str, list[str]] = {}
    for name in dict.fromkeys(one["mechanism"] for one in records if one["epsilon"] is not None):
        families.setdefault(name.partition(", ")[0], []).append(name)
    marks = iter(_MARKS)
    for colour, names in zip(_COLOURS, families.values(), strict=False):
        for place, name in enumerate(names):
            styles[name] = Style(_paler(colour, _PALEST * place / len(names)), next(marks))
    return styles


def lines(axes: Any, records: Records, title: str, styles: Mapping[str, Style], *, logarithmic: bool = False) -> None:
    """Draw the records of one measure.

    Parameters
    ----------
    axes : of matplotlib
    records : what has no epsilon lies flat
    title : of the panel
    styles : of the mechanisms, the same in all panels of a picture
    logarithmic : whether the values are
    """
    ticks = sorted({one["epsilon"] for one in records if one["epsilon"] is not None})
    for name in dict.fromkeys(one["mechanism"] for one in records):
        style, own = styles[name], [one for one in records if one["mechanism"] == name]
        if own[0]["epsilon"] is None:
            axes.axhline(own[0]["mean"], color=style.colour, linestyle=style.dashes, linewidth=1, label=name)
            continue
        x, means = [one["epsilon"] for one in own], np.array([one["mean"] for one in own])
        around = np.array([one["around"] or 0.0 for one in own])
        axes.plot(x, means, color=style.colour, marker=style.mark, markersize=5, linewidth=1.4, label=name)
        axes.fill_between(x, means - around, means + around, color=style.colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    if logarithmic:
        axes.set_yscale("log")
    axes.set_xlabel("ε")
    plain(axes, title)


def plain(axes: Any, title: str) -> None:
    """Give a panel its title and a quiet frame."""
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e5e5e5", linewidth=0.6)


def legend_below(figure: Any, *, columns: int) -> None:
    """Put one legend of all panels below them."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        if axes.get_legend() is None:
            for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
                found.setdefault(name, handle)
    figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=9)


def _paler(colour: str, white: float) -> str:
    """Return a colour mixed with white."""
    parts = (int(colour[first : first + 2], 16) for first in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * white):02x}" for part in parts)
