"""Tables and figures of papers, ours beside theirs: one file per paper.

A reproduction is made by a function, of the folder of public data if it needs one; `REPRODUCTIONS` says where the
function is and what it shows.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.reproduce.reproduction import Reproduction


class Entry(NamedTuple):
    """Where a reproduction is made, what it shows, if it reads a folder of data (None: it may), and if it draws."""

    file: str
    function: str
    shows: str
    reads_data: bool | None = False
    draws: bool = True


REPRODUCTIONS = {
    "adept-figure-1": Entry(
        "adept", "figure_1", "ADePT: pairs of vectors that its noise does not cover (Habernal 2021)"
    ),
    "adept-noise": Entry("adept", "noise", "ADePT: how much noise each correct version needs, measured", draws=False),
    "adept-attack": Entry(
        "adept_attack",
        "adept_attack",
        "ADePT: how often an attacker finds the original (Habernal 2021)",
        None,
        draws=False,
    ),
    "adept-intents": Entry(
        "adept_intents", "adept_intents", "ADePT: what rewritten utterances are worth, as published and repaired", True
    ),
    "hyperbolic-table-1": Entry(
        "hyperbolic", "table_1", "hyperbolic noise: what becomes of the paper's words (Feyisetan 2019)", draws=False
    ),
    "hyperbolic-table-3": Entry(
        "hyperbolic_table_3", "table_3", "hyperbolic noise: how many authors are found (Feyisetan 2019)", True
    ),
    "hyperbolic-table-6": Entry(
        "hyperbolic_table_6",
        "table_6",
        "hyperbolic noise: what rewritten texts are worth (Feyisetan 2019)",
        True,
        draws=False,
    ),
    "hyperbolic-figure-3": Entry(
        "hyperbolic_figures", "figure_3", "hyperbolic noise: its density and its draws (Feyisetan 2019)"
    ),
    "hyperbolic-figure-5": Entry(
        "hyperbolic_figures", "figure_5", "hyperbolic noise: what words become (Feyisetan 2019)", True
    ),
    "hyperbolic-table-4": Entry(
        "hyperbolic",
        "table_4",
        "hyperbolic noise: how often words stay, as published and repaired (Feyisetan 2019)",
        None,
    ),
    "privemb": Entry("privemb.paper", "paper", "private vectors in fewer dimensions (Feyisetan 2021), whole", True),
    "nadp": Entry("nadp.paper", "paper", "neighbourhood-aware noise for words (Bollegala 2023), whole", True),
    "sentdp-table-1": Entry(
        "sentdp.table_1", "table_1", "how many deep candidates are enough (Meehan 2022)", draws=False
    ),
    "sentdp-figure-4": Entry(
        "sentdp.figure_4", "figure_4", "private documents: what they are worth to a classifier (Meehan 2022)", True
    ),
    "sentences": Entry(
        "sentdp.sentences", "sentences", "private sentences: PublicResponse, PrivUnit and Gaussian compared", True
    ),
}


def entry_of(name: str) -> Entry:
    """Return what is known of the reproduction of this name."""
    if name not in REPRODUCTIONS:
        near = "".join(f"did you mean {it}? " for it in get_close_matches(name, REPRODUCTIONS, n=1))
        raise InvalidInputError(f"there is no reproduction {name!r}; {near}known: {', '.join(REPRODUCTIONS)}")
    return REPRODUCTIONS[name]


def reproduce(name: str, *, data: Path | None = None, quick: bool = False) -> Reproduction:
    """Compute the table or figure of this name.

    Parameters
    ----------
    name : a key of `REPRODUCTIONS`
    data : folder of public data sets, for those that read them
    quick : of those, do a small part
    """
    entry = entry_of(name)
    if data is None and entry.reads_data:
        raise InvalidInputError(f"{name} reads public data sets: name their folder by --data")
    if entry.reads_data is False:
        needless = {"reads no data": "--data"} if data is not None else {}
        needless |= {"has no quick part": "--quick"} if quick else {}
        if needless:
            raise InvalidInputError(f"{name} {' and '.join(needless)}: omit {' and '.join(needless.values())}")
    options: dict[str, Any] = {} if entry.reads_data is False else {"data": data, "quick": quick}
    made: Reproduction = getattr(import_module(f"textveil.reproduce.{entry.file}"), entry.function)(**options)
    return made
