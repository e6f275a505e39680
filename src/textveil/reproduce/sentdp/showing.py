"""Figure 4 as tables and as a picture, and what the paper says in words beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.table import Table

from textveil.measure.picture import blank
from textveil.reproduce.panels import legend_below
from textveil.reproduce.sentdp.classify import shown
from textveil.reproduce.sentdp.methods import (
    NORMAL,
    OPTIMAL,
    OURS,
    PUBLISHED,
    RESPONSES,
    SHUFFLED,
    TRUNCATED,
    UNITS,
    WORDS,
)

Records = Sequence[dict[str, Any]]
# method -> column -> record
Cells = dict[str, dict[Any, Any]]
_STRONG = 10.0
# Colours and dashes of the lines, the most important first.
_LOOKS = {
    OURS: ("#0072b2", "-", "o"),
    RESPONSES: ("#009e73", "-", "s"),
    PUBLISHED: ("#d55e00", "--", "^"),
    UNITS: ("#cc79a7", "-.", "v"),
    NORMAL: ("#e69f00", "-.", "D"),
    TRUNCATED: ("#56b4e9", ":", "x"),
    OPTIMAL: ("#56b4e9", "-.", "+"),
    WORDS: ("#999999", "--", "*"),
}
_FLAT = {"non-private": ("black", "-"), "random guess": ("black", ":")}


def score_table(records: Records, data: str, against: str) -> Table:
    """Return macro F1, one row a method.

    Parameters
    ----------
    records : of `figure_4`
    data : name of the data set
    against : "epsilon", or "sentences" at epsilon 10
    """
    cells = _cells(records, data, against)
    columns = list(dict.fromkeys(column for row in cells.values() for column in row if column is not None))
    trials, orders = (max(one["runs"] for one in records if one["method"] == name) for name in (OURS, SHUFFLED))
    what = "ε" if against == "epsilon" else "the number of sentences, at ε = 10"
    spread = f"mean ± deviation of {trials} trials"
    if SHUFFLED in cells:
        spread += f", with shuffled labels of {orders} orders of them and one release"
    table = Table(title=f"{data}: macro F1 against {what}; {spread}", title_justify="left")
    table.add_column("")
    for column in columns:
        table.add_column(f"{column:g}" if against == "epsilon" else column, justify="right")
    for method, row in cells.items():
        flat = row.get(None)
        found = [row.get(column, flat) for column in columns]
        table.add_row(method, *("-" if one is None else shown(one) for one in found))
    return table


def claims_table(records: Records) -> Table:
    """Return what the paper's text says, what was measured, and why they differ."""
    table = Table(title="What the paper says of its Figure 4, and what was measured here", title_justify="left")
    names = list(dict.fromkeys(record["data"] for record in records))
    for name in ("the text says", *names, "why"):
        table.add_column(name)
    for says, measured, why in _CLAIMS:
        table.add_row(says, *(measured(_cells(records, name, "epsilon"), records, name) for name in names), why)
    return table


def _cells(records: Records, data: str, against: str) -> Cells:
    """Return method -> column -> record; what has no epsilon is in the column None, except by length."""
    cells: Cells = {}
    for record in records:
        whole = record["sentences"] == "all"
        if record["data"] != data or (against == "epsilon") != whole:
            continue
        column = record["epsilon"] if whole else record["sentences"]
        cells.setdefault(record["method"], {})[column] = record
    return cells


def _lead(cells: Cells, ahead: str, behind: str) -> str:
    """Return the least and the largest lead of one method over another, epsilon up to 10."""
    leads = [cells[ahead][e]["mean"] - cells[behind][e]["mean"] for e in cells[ahead] if e <= _STRONG]
    return f"{min(leads):+.3f} to {max(leads):+.3f}"


def _overtaken(cells: Cells, records: Records, data: str) -> str:
    ahead = [e for e, one in cells[WORDS].items() if one["mean"] > cells[PUBLISHED][e]["mean"]]
    return f"{_lead(cells, PUBLISHED, WORDS)}; behind at ε = {', '.join(f'{e:g}' for e in ahead) or 'none'}"


def _plateau(cells: Cells, records: Records, data: str) -> str:
    last = max(cells[PUBLISHED])
    gap = cells["non-private"][None]["mean"] - cells[PUBLISHED][last]["mean"]
    return f"{gap:.3f} below at ε = {last:g}"


def _by_length(cells: Cells, records: Records, data: str) -> str:
    row = list(_cells(records, data, "sentences")[PUBLISHED].values())
    return f"{row[0]['mean']:.3f} ({row[0]['sentences']}) to {row[-1]['mean']:.3f} ({row[-1]['sentences']})"


def _over_guess(cells: Cells, records: Records, data: str) -> str:
    over = {e: one["mean"] - cells["random guess"][None]["mean"] for e, one in cells[TRUNCATED].items()}
    strong = max(lead for e, lead in over.items() if e <= _STRONG)
    return f"{strong:+.3f} at most up to ε = 10, {max(over.values()):+.3f} at most in all"


_CLAIMS: tuple[tuple[str, Callable[[Cells, Records, str], str], str], ...] = (
    (
        "truncation is never much better than a guess",
        _over_guess,
        "384 dimensions instead of 768 have half the noise, which shows where ε is large",
    ),
    (
        "DeepCandidate is ahead of truncation (ε up to 10)",
        lambda cells, *_: _lead(cells, PUBLISHED, TRUNCATED),
        "truncation is a weak baseline: see AveragedPrivUnit and GaussianMean",
    ),
    (
        "DeepCandidate is ahead of words, then encoding, until ε = 30 or so (ε up to 10)",
        _overtaken,
        "the two ε can't be compared: that of words is for a unit of distance, of each word",
    ),
    (
        "beyond ε = 25 it is 10-15% below non-private",
        _plateau,
        "fewer candidates, another encoder, linear classifiers; which of them was not tried",
    ),
    (
        "more sentences are better, at ε = 10",
        _by_length,
        "depth grows with the number of sentences",
    ),
    (
        "(not in the paper: lead of ours over its DeepCandidate, ε up to 10)",
        lambda cells, *_: _lead(cells, OURS, PUBLISHED),
        "few candidates, and a utility to which every sentence adds",
    ),
)


def draw(records: Records) -> Any:
    """Draw macro F1 against epsilon above, against the number of sentences below; one column a data set."""
    names = list(dict.fromkeys(record["data"] for record in records))
    figure = blank(5.2 * len(names), 7.4)
    panels = figure.subplots(2, len(names), squeeze=False)
    for column, name in enumerate(names):
        for row, against in enumerate(("epsilon", "sentences")):
            _panel(panels[row][column], _cells(records, name, against), _cells(records, name, "epsilon"), against)
            panels[row][column].set_title(f"({'abcd'[row * len(names) + column]}) {name}", loc="left", fontsize=10)
    legend_below(figure, columns=4)
    return figure


def _panel(axes: Any, cells: Cells, whole: Cells, against: str) -> None:
    for name, (colour, dashes) in _FLAT.items():
        axes.axhline(whole[name][None]["mean"], color=colour, linestyle=dashes, linewidth=1, label=name)
    for name, (colour, dashes, mark) in _LOOKS.items():
        found = cells[name]
        columns = list(found)
        x = columns if against == "epsilon" else range(len(columns))
        means = np.array([one["mean"] for one in found.values()])
        around = np.array([one["deviation"] or 0.0 for one in found.values()])
        axes.plot(x, means, dashes, color=colour, marker=mark, markersize=4, linewidth=1.5, label=name)
        axes.fill_between(x, means - around, means + around, color=colour, alpha=0.15, linewidth=0)
    if against == "epsilon":
        ticks = list(whole[OURS])
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("ε (of words: per unit of distance)")
    else:
        columns = list(cells[OURS])
        axes.set_xticks(range(len(columns)), columns)
        axes.set_xlabel("number of sentences, ε = 10")
    axes.set_ylabel("macro F1")
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e5e5e5", linewidth=0.6)
