"""The figures of the paper as one picture."""

from __future__ import annotations

from typing import Any

from textveil.reproduce.nadp.utility import CLASSES, PUZZLES, SENTENCES, WORDS
from textveil.reproduce.panels import lines
from textveil.reproduce.pivots import Records, chosen
from textveil.reproduce.sentdp.showing import blank


def draw(records: Records) -> Any:
    """Draw the four tasks of Figure 2 above; skewness, recovered words and Figure 4 below."""
    utility, privacy, noise = (chosen(records, part=f"Figure {number}") for number in (2, 3, 4))
    figure = blank(15, 7.6)
    panels = figure.subplots(2, 4)
    for place, (axes, measure) in enumerate(zip(panels[0], (WORDS, SENTENCES, CLASSES, PUZZLES), strict=True)):
        lines(axes, chosen(utility, measure=measure), f"Figure 2 ({'abcd'[place]}): {measure}")
    lines(panels[1][0], chosen(privacy, measure="skewness"), "Figure 3: skewness")
    lines(panels[1][1], chosen(privacy, measure="recovered"), "Words that are nearest to their release")
    panels[0][0].legend(frameon=False, fontsize=7)
    panels[1][1].legend(frameon=False, fontsize=7)
    _noise_panel(panels[1][2], noise)
    _histograms(panels[1][3], noise)
    return figure


def _noise_panel(axes: Any, records: Records) -> None:
    for measure, dashes in (("skewness", "-"), ("recovered", "--")):
        own = chosen(records, measure=measure)
        axes.plot(
            [one["epsilon"] for one in own], [one["mean"] for one in own], f"{dashes}o", markersize=3, label=measure
        )
    axes.set_title("Figure 4: Gaussian noise", loc="left", fontsize=10)
    axes.set_xlabel("deviation of the noise")
    axes.legend(frameon=False, fontsize=7)
    axes.spines[["top", "right"]].set_visible(False)


def _histograms(axes: Any, records: Records) -> None:
    deviations = list(dict.fromkeys(one["epsilon"] for one in records))
    for deviation in deviations[:: max(1, len(deviations) // 5)]:
        own = [
            one["mean"] for one in records if one["epsilon"] == deviation and one["measure"].startswith("overlap bin")
        ]
        axes.plot(
            [(place + 0.5) / len(own) for place in range(len(own))], own, marker=".", label=f"deviation {deviation:g}"
        )
    axes.set_title("Figure 4: shares of words by overlap", loc="left", fontsize=10)
    axes.set_xlabel("overlap of neighbours")
    axes.legend(frameon=False, fontsize=7)
    axes.spines[["top", "right"]].set_visible(False)
