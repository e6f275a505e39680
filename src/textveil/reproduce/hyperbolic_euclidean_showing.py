"""The Euclidean columns of Table IV to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from textveil.reproduce import hyperbolic_laws as laws


def tables(numbers: Mapping[str, Any]) -> tuple[Table, Table]:
    """Return the columns at the published worst cases, and at those of the ball here."""
    words, effort = numbers["words"], numbers["effort"]
    sizes = ", ".join(f"{name} {count:,}" for name, count in words.items() if name != "ball")
    published = Table(
        title="Expected N_w of GloVe's vectors with Laplace noise and the nearest word, epsilon set so that the worst "
        "case is the published one: mean over words and its 95% interval; the published number in brackets; how many "
        "times the published HYP-100",
        caption=f"Words: {sizes}, those of the {words['ball']:,} in the ball that GloVe has. {effort['repeats']} "
        f"repeats: {effort['first']} releases of every word for the mean; the {effort['stubborn']} words that stayed "
        f"most are released {effort['fresh']} times more, and the worst case of a repeat is that of the word that "
        "stayed most in the others. Each repeat has its own epsilon, interpolated. The paper does not say whether its "
        f"vectors were scaled to length 1. {numbers['left out']}.",
        title_justify="left",
        caption_justify="left",
    )
    measured = Table(
        title=f"The same, worst case and expected N_w in the ball measured here, on {words['ball']:,} words; how many "
        "times the ball's",
        caption="-: the worst case is outside the epsilons that were tried. A worst case of all releases is taken as "
        "half a release less. A mechanism that releases the same word whatever it was given has a worst case of 1,000 "
        f"and an expected N_w of {1000 / words['ball']:.2g}: at an equal worst case the mean says which vocabulary has "
        "the lonelier outlier, not which noise hides more.",
        title_justify="left",
        caption_justify="left",
    )
    for table, (header, rows) in ((published, published_grid(numbers)), (measured, measured_grid(numbers))):
        for name in header:
            table.add_column(name, justify="right")
        for row in rows:
            table.add_row(*row)
    return published, measured


def published_grid(numbers: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the first table."""
    rows = numbers["at the published worst case"]
    header = ["epsilon", "worst case", "published HYP-100", *rows[0]["columns"]]
    return header, [
        [f"{row['epsilon']:g}", f"{row['worst']:g}", f"{row['expected']:g}", *map(_cell, row["columns"].values())]
        for row in rows
    ]


def measured_grid(numbers: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the second table."""
    rows = numbers["at the worst case here"]
    header = ["in the ball", "epsilon", "worst case", "expected", *rows[0]["columns"]]
    return header, [
        [
            laws.shown_as(row["way"]),
            f"{row['epsilon']:g}",
            _told(row["worst"]),
            _told(row["expected"]),
            *map(_cell, row["columns"].values()),
        ]
        for row in rows
    ]


def _cell(found: Mapping[str, Any]) -> str:
    here, paper = found["here"], found.get("paper")
    if here is None:
        return "-"
    return _told(here) + ("" if paper is None else f" ({paper:g})") + f"; {_short(here['times'])} times"


def _told(found: Mapping[str, Any]) -> str:
    return _short(found["mean"]) + ("" if found["around"] is None else f" ± {found['around']:.2g}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
