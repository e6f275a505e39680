"""A list of sentences as one item: each is followed by the byte 0xFF, which UTF-8 never has.

So no sentence can end another, and a text, which has no such byte once `as_texts` was called, can't be taken for a list.
The empty list is the empty text.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from textveil.files.selection import Holds
from textveil.hashing import Packed

SENTENCE_END = b"\xff"
_NO_UTF8_EITHER = 0xFE


def as_list(sentences: Iterable[str]) -> bytes:
    """Return the item that holds these sentences."""
    return b"".join(sentence.encode("utf-8", errors="surrogatepass") + SENTENCE_END for sentence in sentences)


def as_texts(texts: Packed, holds: Holds) -> Packed:
    """Return texts of a file so that none is taken for a list where there may be some: damage stays, as another byte."""
    is_end = texts.data == SENTENCE_END[0]
    if holds is not Holds.DOCUMENTS or not is_end.any():
        return texts
    return Packed(np.where(is_end, np.uint8(_NO_UTF8_EITHER), texts.data), texts.offsets)
