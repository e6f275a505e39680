"""Before a run: whether any of its records are among the user's own candidates, which are released as they are."""

from __future__ import annotations

from collections.abc import Callable
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
    if any(path.samefile(public.path) for path, _ in files):
        raise InvalidInputError(f"the candidates {public.path} are the input, which is private; give public ones")
    shared: Callable[[Any], int]
    if selection.holds is Holds.VECTORS and public.vectors is not None:
        shared = VectorsApart(public.vectors).shared
    elif selection.holds is not Holds.VECTORS and public.texts is not None:
        shared = Apart(public.texts).shared
    else:
        return f"{public.path} holds only {'texts' if public.vectors is None else 'vectors'}"
    if not files:
        return "standard input can be read only once"
    sources = (open_source(path, form, selection) for path, form in files)
    refuse_shared(sum(shared(batch.items) for source in sources for batch in source.batches()))
    return ""
