"""Tables and figures of papers, ours beside theirs: one file per paper.

A reproduction is made by a function without arguments; `REPRODUCTIONS` says where it is and what it shows.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.reproduce.reproduction import Reproduction


class Entry(NamedTuple):
    """Where a reproduction is made, and what it shows."""

    file: str
    function: str
    shows: str


REPRODUCTIONS = {
    "adept-figure-1": Entry(
        "adept", "figure_1", "ADePT: pairs of vectors that its noise does not cover (Habernal 2021)"
    ),
    "adept-noise": Entry("adept", "noise", "ADePT: how much noise each correct version needs, measured"),
    "hyperbolic-table-1": Entry(
        "hyperbolic", "table_1", "hyperbolic noise: what becomes of the paper's words (Feyisetan 2019)"
    ),
    "hyperbolic-table-4": Entry(
        "hyperbolic", "table_4", "hyperbolic noise: how often words stay, as published and repaired (Feyisetan 2019)"
    ),
}


def reproduce(name: str) -> Reproduction:
    """Compute the table or figure of this name."""
    if name not in REPRODUCTIONS:
        raise InvalidInputError(f"there is no reproduction {name!r}; known: {', '.join(REPRODUCTIONS)}")
    entry = REPRODUCTIONS[name]
    made: Reproduction = getattr(import_module(f"textveil.reproduce.{entry.file}"), entry.function)()
    return made
