"""Table 1: classes of sentences, each the average of the released vectors of its words, as SentEval has it.

The paper says that the embeddings of SentEval were replaced by private ones: one release a word, whatever the number of
its occurrences. In the local model every occurrence is a release of its own. Both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from textveil.measure.tasks import Averages, Classification, Embed, Scores
from textveil.measure.tasks.averages import means_over
from textveil.mechanisms.vectors import VectorMechanism
from textveil.reproduce.privemb.words import Table
from textveil.reproduce.repeats import public_source

ONCE, EACH = "a release a word", "a release an occurrence"
# Released vectors held at a time.
_PORTION = 40_000


def sentence_scores(
    task: Classification,
    table: Table,
    averages: Averages,
    mechanism: VectorMechanism | None = None,
    reading: str = ONCE,
    run: int = 0,
) -> Scores:
    """Return accuracies on averages of released words; of clean ones without a mechanism.

    Parameters
    ----------
    task : with texts whose words are in the table, or unknown
    table, averages : the words and their vectors
    mechanism : releases the vectors
    reading : `ONCE` or `EACH`
    run : which noise
    """
    if mechanism is None:
        return task.scores(averages.of(table.vectors))
    if reading == EACH:
        return task.scores(_each_occurrence(table, averages, mechanism, run))
    released = mechanism.release(table.vectors, source=public_source("privemb table", run))
    return task.scores(averages.of(np.asarray(released)))


def _each_occurrence(table: Table, averages: Averages, mechanism: VectorMechanism, run: int) -> Embed:
    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        ids, counts = averages.occurrences(texts)
        means = np.empty((len(texts), mechanism.released_dimension))
        ends = np.append(0, np.cumsum(counts))
        cuts = np.searchsorted(ends, np.arange(0, len(ids), _PORTION))
        for first, last in pairwise(np.unique([*cuts, len(texts)]).tolist()):
            part = ids[ends[first] : ends[last]]
            source = public_source("privemb occurrences", run, first)
            released = np.asarray(mechanism.release(table.vectors[part], source=source))
            means[first:last] = means_over(np.arange(len(part)), counts[first:last], len(part)) @ released
        means[counts == 0] = np.nan
        return means

    return embed
