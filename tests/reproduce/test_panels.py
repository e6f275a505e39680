from __future__ import annotations

from itertools import combinations

import pytest

from textveil.measure.picture import blank
from textveil.reproduce.panels import legend_below, lines, styles_of


def records():
    names = [("clean", None), ("other", None)]
    names += [(f"{name}{variant}", 1.0) for name in ("A", "B") for variant in ("", ", x", ", y")]
    return [{"mechanism": name, "epsilon": epsilon, "mean": 0.5, "around": None} for name, epsilon in names]


def test_no_two_mechanisms_look_alike():
    styles = styles_of(records())
    assert len(styles) == 8
    for one, other in combinations(styles.values(), 2):
        assert (one.colour, one.dashes) != (other.colour, other.dashes)
        assert not one.mark or one.mark != other.mark
    assert {styles[name].colour for name in ("clean", "other")} == {"black"}


def test_a_mechanism_looks_the_same_in_every_panel_and_has_one_line_in_the_legend():
    pytest.importorskip("matplotlib")
    figure, styles = blank(4, 3), styles_of(records())
    panels = figure.subplots(1, 2)
    lines(panels[0], records(), "all", styles)
    lines(panels[1], records()[4:], "some", styles)
    for axes in panels:
        for line in axes.get_lines():
            style = styles[line.get_label()]
            assert (line.get_color(), line.get_marker()) == (style.colour, style.mark or "None")
    legend_below(figure, columns=2)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [one["mechanism"] for one in records()]
    assert all(axes.get_legend() is None for axes in panels)
