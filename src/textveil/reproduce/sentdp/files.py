"""Public benchmark files of a folder: tables of tab-separated text, packed by gzip or xz, and vectors of words."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np

from textveil.measure.tasks.tables import rows_of, unescaped
from textveil.vocabulary import Vocabulary

__all__ = ["rows_of", "unescaped", "words_of"]

_GLOVE = "vectors/glove.6B.300d.80k_plus_tasks"


def words_of(folder: Path, count: int) -> Vocabulary:
    """Return the commonest words of GloVe 6B in 300 dimensions, or in 50 if the folder does not have them."""
    vectors, words = folder / f"{_GLOVE}.f16.npz", folder / f"{_GLOVE}.words.txt.gz"
    if not (vectors.is_file() and words.is_file()):
        return Vocabulary.default(count)
    with gzip.open(words, "rt", encoding="utf-8", newline="\n") as file:
        names = [line.rstrip("\n") for line in islice(file, count)]
    return Vocabulary(names, np.load(vectors)["vectors"][:count].astype(np.float32))
