"""Table 1: classes of sentences, each the average of the released vectors of its words, as SentEval has it.

The paper says that the embeddings of SentEval were replaced by private ones: one release a word, whatever the number of
its occurrences. In the local model every occurrence is a release of its own. Both are measured.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textveil.measure.tasks import Averages, Classification, Embed, Scores, tokens_of
from textveil.mechanisms.vectors import VectorMechanism
from textveil.reproduce.privemb.words import Table
from textveil.reproduce.repeats import public_source

ONCE, EACH = "a release a word", "a release an occurrence"
# Released vectors held at a time.
_PORTION = 40_000


def sentence_scores(
    task: Classification, table: Table, mechanism: VectorMechanism | None, reading: str, run: int
) -> Scores:
    """Return accuracies on averages of released words; of clean ones without a mechanism.

    Parameters
    ----------
    task : with texts whose words are in the table, or unknown
    table : the words and their vectors
    mechanism : releases the vectors
    reading : `ONCE` or `EACH`
    run : which noise
    """
    if mechanism is None:
        return task.scores(Averages(table.words).of(table.vectors))
    if reading == EACH:
        return task.scores(_each_occurrence(table, mechanism, run))
    released = mechanism.release(table.vectors, source=public_source("privemb table", run))
    return task.scores(Averages(table.words).of(np.asarray(released)))


def _each_occurrence(table: Table, mechanism: VectorMechanism, run: int) -> Embed:
    rows = {word: row for row, word in enumerate(table.words)}

    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        found = [[rows[token] for token in tokens_of(text) if token in rows] for text in texts]
        ids = np.array([row for some in found for row in some], dtype=np.int64)
        owners = np.repeat(np.arange(len(texts)), [len(some) for some in found])
        counts = np.bincount(owners, minlength=len(texts))
        sums = np.zeros((len(texts), mechanism.released_dimension))
        for start in range(0, len(ids), _PORTION):
            part = slice(start, start + _PORTION)
            source = public_source("privemb occurrences", run, start)
            np.add.at(sums, owners[part], np.asarray(mechanism.release(table.vectors[ids[part]], source=source)))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / counts[:, None])

    return embed
