"""The figures of the paper as one picture."""

from __future__ import annotations

from typing import Any

from textveil.reproduce.panels import lines
from textveil.reproduce.pivots import Records, chosen
from textveil.reproduce.sentdp.showing import blank


def draw(records: Records) -> Any:
    """Draw Figures 1 to 4."""
    pairs, words = (chosen(records, part=part, data="") for part in ("Figures 1 and 2", "Figure 3"))
    fewer = chosen(records, part="Figure 4", measure="accuracy")
    size = fewer[0]["data"]
    figure = blank(12, 7)
    panels = figure.subplots(2, 3).ravel()
    lines(panels[0], chosen(pairs, measure="distance"), "Figure 1: error of a distance", logarithmic=True)
    lines(panels[1], chosen(pairs, measure="inner product"), "Figure 2: error of an inner product", logarithmic=True)
    lines(panels[2], chosen(pairs, measure="distance, correlation"), "Correlation of released and true distances")
    for panel, measure in zip(panels[3:5], ("accuracy", "AUC"), strict=True):
        lines(panel, chosen(words, measure=measure), f"Figure 3: {measure}")
    lines(panels[5], chosen(fewer, data=size), f"Figure 4: accuracy, {size}")
    for panel in panels[[0, 3, 5]]:
        panel.legend(frameon=False, fontsize=7)
    return figure
