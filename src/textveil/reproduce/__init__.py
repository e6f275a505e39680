"""Tables and figures of papers, ours beside theirs: one file per paper.

A reproduction is made by a function, of the folder of public data if it needs one; `REPRODUCTIONS` says where the
function is and what it shows. A paper of several has a name in `PAPERS` for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textveil.errors import InvalidInputError, MissingDependencyError

if TYPE_CHECKING:
    from textveil.reproduce.reproduction import Reproduction


class Entry(NamedTuple):
    """What is known of a reproduction before it is made.

    Parameters
    ----------
    file, function : where it is made
    shows : what
    reads_data : whether it reads a folder of data; None: it may
    draws : whether there is a picture
    needs_torch : whether it does, where it reads data
    """

    file: str
    function: str
    shows: str
    reads_data: bool | None = False
    draws: bool = True
    needs_torch: bool = False


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
        needs_torch=True,
    ),
    "adept-intents": Entry(
        "adept_intents",
        "adept_intents",
        "ADePT: what rewritten utterances are worth, as published and repaired",
        True,
        needs_torch=True,
    ),
    "hyperbolic-table-1": Entry(
        "hyperbolic", "table_1", "hyperbolic noise: what becomes of the paper's words (Feyisetan 2019)", draws=False
    ),
    "hyperbolic-table-3": Entry(
        "hyperbolic_table_3",
        "table_3",
        "hyperbolic noise: how many authors are found (Feyisetan 2019)",
        True,
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
        "sentdp.figure_4",
        "figure_4",
        "private documents: what they are worth to a classifier (Meehan 2022)",
        True,
        needs_torch=True,
    ),
    "sentences": Entry(
        "sentdp.sentences", "sentences", "private sentences: PublicResponse, PrivUnit and Gaussian compared", True
    ),
}
# Papers of which there are several reproductions.
PAPERS = {
    "adept": ("adept-figure-1", "adept-noise", "adept-attack", "adept-intents"),
    "hyperbolic": tuple(name for name in REPRODUCTIONS if name.startswith("hyperbolic-")),
    "sentdp": ("sentdp-table-1", "sentdp-figure-4", "sentences"),
}


def entries_of(name: str) -> dict[str, Entry]:
    """Return what is known of the reproduction of this name, or of each of a paper's."""
    known = (*REPRODUCTIONS, *PAPERS)
    if name not in known:
        near = "".join(f"did you mean {it}? " for it in get_close_matches(name, known, n=1))
        raise InvalidInputError(f"there is no reproduction {name!r}; {near}known: {', '.join(known)}")
    return {part: REPRODUCTIONS[part] for part in PAPERS.get(name, (name,))}


def planned(name: str, *, data: Path | None = None, quick: bool = False) -> dict[str, Callable[[], Reproduction]]:
    """Return functions that compute the reproduction of this name, or each of a paper's, if they have what they need.

    Parameters
    ----------
    name : a key of `REPRODUCTIONS` or of `PAPERS`
    data : folder of public data sets, for those that read them
    quick : of those, do a small part; of a paper, leave out all that can do without data
    """
    entries = entries_of(name)
    if quick and name in PAPERS:
        entries = {part: entry for part, entry in entries.items() if entry.reads_data}
    for part, entry in entries.items():
        if data is None and entry.reads_data:
            raise InvalidInputError(f"{part} reads public data sets: name their folder by --data")
        if data is not None and entry.needs_torch and find_spec("torch") is None:
            raise MissingDependencyError(f"{part} needs torch; run: pip install 'textveil[torch]'")
    if all(entry.reads_data is False for entry in entries.values()):
        needless = {"reads no data": "--data"} if data is not None else {}
        needless |= {"has no quick part": "--quick"} if quick else {}
        if needless:
            raise InvalidInputError(f"{name} {' and '.join(needless)}: omit {' and '.join(needless.values())}")
    options = {"data": data, "quick": quick}
    return {
        part: partial(_made, entry, **({} if entry.reads_data is False else options)) for part, entry in entries.items()
    }


def reproduce(name: str, *, data: Path | None = None, quick: bool = False) -> Reproduction:
    """Compute the table or figure of this name, a key of `REPRODUCTIONS`; see `planned`."""
    if name in PAPERS:
        raise InvalidInputError(f"{name} is a whole paper; name one of {', '.join(PAPERS[name])}")
    return planned(name, data=data, quick=quick)[name]()


def _made(entry: Entry, **options: Any) -> Reproduction:
    made: Reproduction = getattr(import_module(f"textveil.reproduce.{entry.file}"), entry.function)(**options)
    return made
