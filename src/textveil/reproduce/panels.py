"""A panel of a picture: a line for each mechanism against epsilon, with its interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from textveil.reproduce.pivots import Records

_COLOURS = ("#d55e00", "#56b4e9", "#0072b2", "#cc79a7", "#009e73", "#e69f00", "#00513b", "#999999")
_MARKS = "os^vDxP*"


def lines(axes: Any, records: Records, title: str, *, logarithmic: bool = False) -> None:
    """Draw the records of one measure.

    Parameters
    ----------
    axes : of matplotlib
    records : what has no epsilon lies flat
    title : of the panel
    logarithmic : whether the values are
    """
    ticks = sorted({one["epsilon"] for one in records if one["epsilon"] is not None})
    flat = dict.fromkeys(one["mechanism"] for one in records if one["epsilon"] is None)
    for name, dashes in zip(flat, (":", "--", "-."), strict=False):
        (own,) = [one for one in records if one["mechanism"] == name]
        axes.axhline(own["mean"], color="black", linestyle=dashes, linewidth=1, label=name)
    names = dict.fromkeys(one["mechanism"] for one in records if one["epsilon"] is not None)
    for number, name in enumerate(names):
        own_records = [one for one in records if one["mechanism"] == name]
        x, means = [one["epsilon"] for one in own_records], np.array([one["mean"] for one in own_records])
        around = np.array([one["around"] or 0.0 for one in own_records])
        colour, mark = _COLOURS[number % len(_COLOURS)], _MARKS[number % len(_MARKS)]
        axes.plot(x, means, color=colour, marker=mark, markersize=4, linewidth=1.4, label=name)
        axes.fill_between(x, means - around, means + around, color=colour, alpha=0.2, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    if logarithmic:
        axes.set_yscale("log")
    axes.set_xlabel("ε")
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e5e5e5", linewidth=0.6)
