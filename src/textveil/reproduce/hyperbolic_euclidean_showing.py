"""The Euclidean columns of Table IV to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce.pivots import Pivot


def tables(numbers: Mapping[str, Any]) -> tuple[Table, Table]:
    """Return the columns at the published worst cases, and at those of the ball here."""
    published = (
        "Expected N_w of GloVe's vectors with Laplace noise and the nearest word, epsilon set so that the worst case "
        "is the published one: mean over words and its 95% interval; the published number in brackets; how many times "
        "the published HYP-100"
    )
    measured = (
        f"The same, worst case and expected N_w in the ball measured here, on {numbers['words']['ball']:,} words; how "
        "many times the ball's"
    )
    return (
        Pivot(published, *published_grid(numbers), _how(numbers)).rich(),
        Pivot(measured, *measured_grid(numbers), _reading(numbers)).rich(),
    )


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


def _how(numbers: Mapping[str, Any]) -> str:
    """Say what was measured, and what was not."""
    words, effort = numbers["words"], numbers["effort"]
    sizes = ", ".join(f"{name} {count:,}" for name, count in words.items() if name != "ball")
    return (
        f"Words of the {words['ball']:,} in the ball that GloVe has: {sizes}. {effort['repeats']} repeats: "
        f"{effort['first']} releases of every word for the mean; {effort['second']} of the {effort['narrowed']} words "
        f"that stayed most; {effort['fresh']} of the {effort['stubborn']} that then stayed most. The worst case of a "
        "repeat is that of the word that stayed most in the others: where words are much alike, a worse one may be "
        "missed. Each repeat has its own epsilon, interpolated. The paper does not say whether its vectors were scaled "
        f"to length 1. {numbers['left out']}."
    )


def _reading(numbers: Mapping[str, Any]) -> str:
    """Say how to read a comparison at an equal worst case."""
    return (
        "-: the worst case is outside the epsilons that were tried. Where the worst case is all releases, epsilon is "
        "the first tried at which the worst word always stayed. A mechanism that releases one and the same word has a "
        f"worst case of 1,000 and an expected N_w of {1000 / numbers['words']['ball']:.2g}: at an equal worst case the "
        "mean tells how far the worst word is from the others, not which noise hides more."
    )


def _cell(found: Mapping[str, Any]) -> str:
    here, paper = found["here"], found.get("paper")
    if here is None:
        return "-"
    return _told(here) + ("" if paper is None else f" ({paper:g})") + f"; {_short(here['times'])} times"


def _told(found: Mapping[str, Any]) -> str:
    return _short(found["mean"]) + ("" if found["around"] is None else f" ± {_short(found['around'])}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
