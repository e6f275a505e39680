"""A list of sentences as one item: each is followed by the byte 0xFF, which UTF-8 never has.

So no sentence can end another, and a text can't be taken for a list: one that has the byte though it is no UTF-8 gets
another. The empty list is the empty text.
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
    """Return the texts of a file, none of which looks like a list if there may be lists; damage stays damage."""
    is_end = texts.data == SENTENCE_END[0]
    if holds is not Holds.DOCUMENTS or not is_end.any():
        return texts
    return Packed(np.where(is_end, np.uint8(_NO_UTF8_EITHER), texts.data), texts.offsets)
