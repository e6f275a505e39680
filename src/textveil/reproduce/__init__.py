"""Tables and figures of papers, ours beside theirs: one file per paper.

A reproduction is made by a function, of the folder of public data if it needs one; `REPRODUCTIONS` says where the
function is and what it shows.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.reproduce.reproduction import Reproduction


class Entry(NamedTuple):
    """Where a reproduction is made, what it shows, and whether it reads public data from a folder; None: it may."""

    file: str
    function: str
    shows: str
    reads_data: bool | None = False


REPRODUCTIONS = {
    "adept-figure-1": Entry(
        "adept", "figure_1", "ADePT: pairs of vectors that its noise does not cover (Habernal 2021)"
    ),
    "adept-noise": Entry("adept", "noise", "ADePT: how much noise each correct version needs, measured"),
    "adept-attack": Entry(
        "adept_attack", "adept_attack", "ADePT: how often an attacker finds the original (Habernal 2021)", None
    ),
    "adept-intents": Entry(
        "adept_intents", "adept_intents", "ADePT: what rewritten utterances are worth, as published and repaired", True
    ),
    "hyperbolic-table-1": Entry(
        "hyperbolic", "table_1", "hyperbolic noise: what becomes of the paper's words (Feyisetan 2019)"
    ),
    "hyperbolic-table-3": Entry(
        "hyperbolic_table_3", "table_3", "hyperbolic noise: how many authors are found (Feyisetan 2019)", True
    ),
    "hyperbolic-table-6": Entry(
        "hyperbolic_table_6", "table_6", "hyperbolic noise: what rewritten texts are worth (Feyisetan 2019)", True
    ),
    "hyperbolic-figure-3": Entry(
        "hyperbolic_figures", "figure_3", "hyperbolic noise: its density and its draws (Feyisetan 2019)"
    ),
    "hyperbolic-figure-5": Entry(
        "hyperbolic_figures", "figure_5", "hyperbolic noise: what words become (Feyisetan 2019)", True
    ),
    "hyperbolic-table-4": Entry(
        "hyperbolic", "table_4", "hyperbolic noise: how often words stay, as published and repaired (Feyisetan 2019)"
    ),
    "privemb": Entry("privemb.paper", "paper", "private vectors in fewer dimensions (Feyisetan 2021), whole", True),
    "nadp": Entry("nadp.paper", "paper", "neighbourhood-aware noise for words (Bollegala 2023), whole", True),
    "sentdp-table-1": Entry("sentdp.table_1", "table_1", "how many deep candidates are enough (Meehan 2022)"),
    "sentdp-figure-4": Entry(
        "sentdp.figure_4", "figure_4", "private documents: what they are worth to a classifier (Meehan 2022)", True
    ),
    "sentences": Entry(
        "sentdp.sentences", "sentences", "private sentences: PublicResponse, PrivUnit and Gaussian compared", True
    ),
}


def reproduce(name: str, *, data: Path | None = None, quick: bool = False) -> Reproduction:
    """Compute the table or figure of this name.

    Parameters
    ----------
    name : a key of `REPRODUCTIONS`
    data : folder of public data sets, for those that read them
    quick : of those, do a small part
    """
    if name not in REPRODUCTIONS:
        raise InvalidInputError(f"there is no reproduction {name!r}; known: {', '.join(REPRODUCTIONS)}")
    entry = REPRODUCTIONS[name]
    if entry.reads_data not in (None, data is not None):
        needs = "reads public data sets: name their folder by --data" if data is None else "reads no data: omit --data"
        raise InvalidInputError(f"{name} {needs}")
    if quick and entry.reads_data is False:
        raise InvalidInputError(f"{name} is quick anyhow: omit --quick")
    options: dict[str, Any] = {} if entry.reads_data is False else {"data": data, "quick": quick}
    made: Reproduction = getattr(import_module(f"textveil.reproduce.{entry.file}"), entry.function)(**options)
    return made
