"""Before a run: whether any of its records are among the candidates, which are released as they are."""

from __future__ import annotations

from textveil.files import open_source
from textveil.hashing import Packed
from textveil.jobs.planning import Job
from textveil.mechanisms.candidates import Candidates
from textveil.text.apart import Apart, refuse_shared


def require_apart(job: Job, candidates: Candidates | None) -> None:
    """Read all files of a run and refuse it if records are candidates, or a sentence of one; nothing is released.

    The error tells whoever started the run how many there are. Vectors, candidates without texts and standard input,
    which can be read only once, are not looked at.

    Parameters
    ----------
    job : of texts or documents
    candidates : public texts of the user's own, if the work chooses among some
    """
    if job.work.takes is not None or candidates is None or candidates.texts is None:
        return
    apart, shared = Apart(candidates), 0
    for shard in job.shards.files:
        if shard.path is not None:
            for batch in open_source(shard.path, shard.format, job.selection).batches():
                if isinstance(batch.items, Packed):
                    shared += apart.shared(batch.items)
    refuse_shared(shared)
