"""Which words of texts are the same, letter by letter, whatever their case: also words that no vocabulary has."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from textveil.files.spans import gather
from textveil.text.scanning import Bytes, Integers, Words

_ASCII = 128


def numbered(text: Bytes, words: Words) -> Integers:
    """Return a number for each word, equal where words are the same."""
    found = gather(text, words.starts, words.ends)
    capitals = (found.data >= ord("A")) & (found.data <= ord("Z"))
    letters = found.data + np.uint8(ord("a") - ord("A")) * capitals
    buffers = [None, pa.py_buffer(found.offsets), pa.py_buffer(letters)]
    distinct = pa.Array.from_buffers(pa.large_binary(), len(words), buffers).dictionary_encode()
    numbers: Integers = distinct.indices.to_numpy().astype(np.int64)
    if (letters >= _ASCII).any():
        # Other scripts have other rules of case, and words of them may be the same as plain ones.
        folded = [word.decode("utf-8", errors="surrogateescape").casefold() for word in distinct.dictionary.to_pylist()]
        first = {word: number for number, word in reversed(list(enumerate(folded)))}
        numbers = np.array([first[word] for word in folded], dtype=np.int64)[numbers]
    return numbers
