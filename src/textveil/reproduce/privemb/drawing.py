"""The figures of the paper as one picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from textveil.reproduce.pivots import Records, chosen
from textveil.reproduce.sentdp.showing import blank

_COLOURS = ("#d55e00", "#56b4e9", "#0072b2", "#004166", "#009e73", "#007a59", "#00513b")
_MARKS = "os^vDxP"


def draw(records: Records) -> Any:
    """Draw Figures 1 to 4, one panel each."""
    pairs, words = (chosen(records, part=part) for part in ("Figures 1 and 2", "Figure 3"))
    fewer = chosen(records, part="Figure 4", measure="accuracy")
    sizes = list(dict.fromkeys(one["data"] for one in fewer))
    figure = blank(12, 7)
    panels = figure.subplots(2, 3).ravel()
    lines(panels[0], chosen(pairs, measure="distance"), "Figure 1: error of a distance", logarithmic=True)
    lines(panels[1], chosen(pairs, measure="inner product"), "Figure 2: error of an inner product", logarithmic=True)
    lines(panels[2], chosen(pairs, measure="distance, correlation"), "Correlation of released and true distances")
    for panel, measure in zip(panels[3:5], ("accuracy", "AUC"), strict=True):
        own = [one for one in words if one["measure"] == measure and one["data"] == ""]
        lines(panel, own, f"Figure 3: {measure}")
    lines(panels[5], [one for one in fewer if one["data"] == sizes[0]], f"Figure 4: accuracy, {sizes[0]}")
    return figure


def lines(axes: Any, records: Records, title: str, *, logarithmic: bool = False) -> None:
    """Draw a line for each mechanism against epsilon, with its interval; what has no epsilon lies flat."""
    names = list(dict.fromkeys(one["mechanism"] for one in records))
    ticks = sorted({one["epsilon"] for one in records if one["epsilon"] is not None})
    for number, name in enumerate(names):
        own = [one for one in records if one["mechanism"] == name]
        if own[0]["epsilon"] is None:
            axes.axhline(own[0]["mean"], color="black", linestyle=":", linewidth=1, label=name)
            continue
        x, means = [one["epsilon"] for one in own], np.array([one["mean"] for one in own])
        around = np.array([one["around"] or 0.0 for one in own])
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
    axes.legend(frameon=False, fontsize=7)
