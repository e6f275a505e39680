"""Public benchmark files of a folder: tables of tab-separated text, packed by gzip or xz, and vectors of words."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from textveil.errors import InvalidInputError
from textveil.vocabulary import Vocabulary

_GLOVE = "vectors/glove.6B.300d.80k_plus_tasks"
_ESCAPED = re.compile(r"\\(n|\\)")


def rows_of(folder: Path, name: str, *columns: str) -> Iterator[list[str]]:
    """Yield these columns of each row of a table; its first line has their names.

    Parameters
    ----------
    folder : that of the data
    name : path of the table in it
    columns : by name
    """
    path = folder / name
    if not path.is_file():
        raise InvalidInputError(f"there is no file {name} in {folder}; --data must name the folder of the data sets")
    with (lzma if path.suffix == ".xz" else gzip).open(path, "rt", encoding="utf-8", newline="\n") as file:
        names = file.readline().rstrip("\n").split("\t")
        missing = [column for column in columns if column not in names]
        if missing:
            raise InvalidInputError(f"{name} has no column {missing[0]!r}; it has {', '.join(names)}")
        places = [names.index(column) for column in columns]
        for number, line in enumerate(file, start=2):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(names):
                raise InvalidInputError(f"line {number} of {name} has {len(cells)} cells; its first has {len(names)}")
            yield [cells[place] for place in places]


def unescaped(text: str) -> str:
    """Return a text in which newlines were written as backslash-n, and backslashes as two."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else "\\", text)


def words_of(folder: Path, count: int) -> Vocabulary:
    """Return the commonest words of GloVe 6B in 300 dimensions, or in 50 if the folder does not have them."""
    vectors, words = folder / f"{_GLOVE}.f16.npz", folder / f"{_GLOVE}.words.txt.gz"
    if not (vectors.is_file() and words.is_file()):
        return Vocabulary.default(count)
    with gzip.open(words, "rt", encoding="utf-8", newline="\n") as file:
        names = [line.rstrip("\n") for line in islice(file, count)]
    return Vocabulary(names, np.load(vectors)["vectors"][:count].astype(np.float32))
