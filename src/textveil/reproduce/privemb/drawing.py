"""The figures of the paper as one picture."""

from __future__ import annotations

from typing import Any

from textveil.measure.picture import blank
from textveil.reproduce.panels import legend_below, lines, styles_of
from textveil.reproduce.pivots import Records, chosen


def draw(records: Records) -> Any:
    """Draw Figures 1 to 4."""
    pairs, words = (chosen(records, part=part, data="") for part in ("Figures 1 and 2", "Figure 3"))
    fewer = chosen(records, part="Figure 4", measure="accuracy")
    size = fewer[0]["data"]
    styles = styles_of([*pairs, *words, *fewer])
    figure = blank(12, 8)
    panels = figure.subplots(2, 3).ravel()
    lines(panels[0], chosen(pairs, measure="distance"), "Figure 1: error of a distance", styles, logarithmic=True)
    products = chosen(pairs, measure="inner product")
    lines(panels[1], products, "Figure 2: error of an inner product", styles, logarithmic=True)
    correlations = chosen(pairs, measure="distance, correlation")
    lines(panels[2], correlations, "Correlation of released and true distances", styles)
    for panel, measure in zip(panels[3:5], ("accuracy", "AUC"), strict=True):
        lines(panel, chosen(words, measure=measure), f"Figure 3: {measure}", styles)
    lines(panels[5], chosen(fewer, data=size), f"Figure 4: accuracy, {size}", styles)
    legend_below(figure, columns=4)
    return figure
