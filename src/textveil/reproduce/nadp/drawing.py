"""The figures of the paper as one picture."""

from __future__ import annotations

from typing import Any

from textveil.measure.picture import blank
from textveil.reproduce.nadp.mechanisms import GAUSSIAN, NADP, THRESHOLD
from textveil.reproduce.nadp.utility import CLASSES, PUZZLES, SENTENCES, WORDS
from textveil.reproduce.panels import Style, legend_below, lines, plain, styles_of
from textveil.reproduce.pivots import Records, chosen


def draw(records: Records) -> Any:
    """Draw the four tasks of Figure 2 above; skewness, recovered words and Figure 4 below."""
    # In Figure 2 NADP has one threshold, by which Figure 3 names it.
    named = [{**one, "mechanism": f"{NADP}, τ = {THRESHOLD:g}"} if one["mechanism"] == NADP else one for one in records]
    utility, privacy, noise = (chosen(named, part=f"Figure {number}") for number in (2, 3, 4))
    styles = styles_of([*utility, *privacy])
    figure = blank(15, 9)
    panels = figure.subplots(2, 4)
    for place, (axes, measure) in enumerate(zip(panels[0], (WORDS, SENTENCES, CLASSES, PUZZLES), strict=True)):
        lines(axes, chosen(utility, measure=measure), f"Figure 2 ({'abcd'[place]}): {measure}", styles)
    lines(panels[1][0], chosen(privacy, measure="skewness"), "Figure 3: skewness", styles)
    lines(panels[1][1], chosen(privacy, measure="recovered"), "Words that are nearest to their release", styles)
    _noise_panel(panels[1][2], noise, styles[GAUSSIAN])
    _histograms(panels[1][3], noise)
    legend_below(figure, columns=6)
    return figure


def _noise_panel(axes: Any, records: Records, style: Style) -> None:
    for measure, dashes in (("skewness", "-"), ("recovered", "--")):
        own = chosen(records, measure=measure)
        axes.plot(
            [one["epsilon"] for one in own],
            [one["mean"] for one in own],
            linestyle=dashes,
            color=style.colour,
            marker=style.mark,
            markersize=3,
            label=measure,
        )
    axes.set_xlabel("deviation of the noise")
    plain(axes, "Figure 4: Gaussian noise")
    _legend_of(axes)


def _histograms(axes: Any, records: Records) -> None:
    """Draw some deviations, from light to dark."""
    deviations = list(dict.fromkeys(one["epsilon"] for one in records))
    shown = deviations[:: max(1, len(deviations) // 5)]
    for number, deviation in enumerate(shown):
        own = [
            one["mean"] for one in records if one["epsilon"] == deviation and one["measure"].startswith("overlap bin")
        ]
        axes.plot(
            [(place + 0.5) / len(own) for place in range(len(own))],
            own,
            color=str(0.8 * (1 - number / max(1, len(shown) - 1))),
            marker=f"${number}$",
            markersize=6,
            linewidth=1,
            label=f"deviation {deviation:g}",
        )
    axes.set_xlabel("overlap of neighbours")
    plain(axes, "Figure 4: shares of words by overlap")
    _legend_of(axes)


def _legend_of(axes: Any) -> None:
    """Put the legend of one panel below it."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, frameon=False, fontsize=8)
