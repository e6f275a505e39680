"""Before a run: whether any of its records are among the user's own candidates, which are released as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError
from textveil.files import Holds, Selection, Shards, open_source
from textveil.mechanisms.candidate_files import CandidateFile
from textveil.text.apart import Apart, VectorsApart, refuse_shared


def require_apart(shards: Shards, selection: Selection, public: CandidateFile) -> str:
    """Read all files of a run and refuse it if records are public; to be called before anything is encoded or kept.

    The error tells whoever started the run how many there are. Returns why nothing was compared, "" if it was.

    Parameters
    ----------
    shards, selection : of the input
    public : what a file of the user's own candidates holds
    """
    files = [(shard.path, shard.format) for shard in shards.files if shard.path is not None]
    if any(isinstance(path, Path) and path.samefile(public.path) for path, _ in files):
        raise InvalidInputError(f"the candidates {public.path} are the input, which is private; give public ones")
    if not files:
        return "standard input can be read only once"
    shared = _counting(selection, public)
    if shared is None:
        return f"{public.path} holds only {'texts' if public.vectors is None else 'vectors'}"
    sources = (open_source(path, form, selection) for path, form in files)
    refuse_shared(sum(shared(batch.items) for source in sources for batch in source.batches()))
    return ""


def _counting(selection: Selection, public: CandidateFile) -> Callable[[Any], int] | None:
    """Return what counts the shared records of a batch, None if there is nothing to compare them with."""
    if selection.holds is Holds.VECTORS:
        return None if public.vectors is None else VectorsApart(public.vectors).shared
    return None if public.texts is None else Apart(public.texts).shared
