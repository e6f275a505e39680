"""word2vec binary: a header line, then each word, a space and its float32 numbers."""

from __future__ import annotations

import numpy as np

from textveil.vocabulary.lattice import MOST_DIMENSIONS, LatticeTable
from textveil.vocabulary.reading import Reader
from textveil.vocabulary.rows import RowError, Rows
from textveil.vocabulary.text_table import header

_CHUNK = 1 << 20
_LONGEST_WORD = 1 << 16
_LONGEST_HEADER = 64


def read_binary(reader: Reader, *, limit: int | None, first_only: bool, step: float) -> tuple[list[str], LatticeTable]:
    """Read the rows that the header promises, and no others."""
    promise = header(reader.stream.readline(_LONGEST_HEADER))
    if promise is None or not 1 <= promise[1] <= MOST_DIMENSIONS:
        reader.refuse("a word2vec file starts with its number of words and of dimensions", 1)
    promised, dimension = promise
    rows = Rows(dimension, limit=limit, first_only=first_only, kind=np.dtype("<f4").type, step=step)
    width = 4 * dimension
    data, position, found = b"", 0, 0
    while found < promised and not rows.full:
        space = data.find(b" ", position)
        end = space + 1 + width
        if space < 0 or end > len(data):
            if space < 0 and len(data) - position > _LONGEST_WORD:
                reader.refuse(f"word {found + 1} is longer than {_LONGEST_WORD} bytes; is this word2vec binary?")
            more = reader.stream.read(_CHUNK)
            if not more:
                reader.refuse(f"the header promises {promised} words but the file ends in word {found + 1}")
            data, position = data[position:] + more, 0
            reader.tick()
            continue
        try:
            rows.add(data[position:space].lstrip(b"\n"), data[space + 1 : end])
        except RowError as error:
            reader.refuse(f"word {found + 1}: {error}")
        position, found = end, found + 1
    if not rows.full and (data[position:].strip() or reader.stream.read(_LONGEST_HEADER).strip()):
        reader.refuse(f"the header promises {promised} words but more follow; correct the header")
    return rows.finish()
