"""Figure 5 of Feyisetan, Diethe and Drake (2019): N_w, S_w and K_w against epsilon; and plausible deniability."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textveil.measure.picture import blank
from textveil.measure.statistics.report import Statistics

_BLUE, _GREY = "#0072B2", "#555555"


def draw(measured: Sequence[Statistics], *, deniability: bool = False) -> Any:
    """Return a figure with four panels: mean and largest N_w, and how S_w and K_w lie over the words.

    With `deniability`, which needs laws that are known, there are two more: how many words are as plausible, and how
    many of them the guarantee promises.
    """
    ordered = sorted(measured, key=lambda one: one.epsilon)
    rows = 3 if deniability else 2
    figure = blank(7.2, 2.6 * rows)
    panels = figure.subplots(rows, 2).reshape(-1)
    _draw_line(panels[0], ordered, "(a) stays as it is, mean over words", np.mean)
    _draw_line(panels[1], ordered, "(b) stays as it is, most of any word", np.max)
    runs = ordered[0].runs
    _draw_boxes(panels[2], ordered, "distinct", f"(c) distinct outputs of {runs:,} runs")
    _draw_boxes(panels[3], ordered, "inputs", "(d) words behind the rarest output")
    if deniability:
        within = f"within a factor {ordered[0].factor:g}"
        _draw_boxes(panels[4], ordered, "plausible", f"(e) words as plausible, {within}")
        _draw_boxes(panels[5], ordered, "promised", "(f) of these, promised whatever comes out")
        for axes in panels[4:]:
            axes.set_yscale("log")
            axes.set_ylim(0.8, 1.5 * ordered[0].vocabulary)
    for axes in panels:
        axes.set_xticks(range(len(ordered)), [f"{one.epsilon:.3g}" for one in ordered])
        axes.set_xlim(-0.6, len(ordered) - 0.4)
        axes.grid(axis="y", color="#e6e6e6")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[-2:]:
        axes.set_xlabel("epsilon")
    return figure


def _draw_line(axes: Any, ordered: Sequence[Statistics], title: str, of: Callable[..., Any]) -> None:
    places = np.arange(len(ordered))
    values = np.array([of(one["unchanged"]) for one in ordered])
    if not any(one.exact for one in ordered):
        low, high = (np.array([of(one["unchanged" + end]) for one in ordered]) for end in ("_low", "_high"))
        axes.fill_between(places, low, high, color=_BLUE, alpha=0.15, linewidth=0)
    axes.plot(places, values, "o-", color=_BLUE, markersize=4)
    axes.set_ylim(0, 1.02 * max(1e-3, values.max()))
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.set_title(title, loc="left", fontsize=9.5)


def _draw_boxes(axes: Any, ordered: Sequence[Statistics], name: str, title: str) -> None:
    axes.boxplot(
        [one[name] for one in ordered],
        positions=range(len(ordered)),
        widths=0.5,
        whis=(0, 100),
        medianprops={"color": _BLUE, "linewidth": 2},
        boxprops={"color": _GREY},
        whiskerprops={"color": _GREY},
        capprops={"color": _GREY},
    )
    axes.set_ylim(0, 1.05 * max(float(one[name].max()) for one in ordered))
    axes.set_title(title, loc="left", fontsize=9.5)
