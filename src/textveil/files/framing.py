"""A list of sentences as one item: each is followed by the byte 0xFF, which UTF-8 never has.

So no sentence can end another, and a text, which has no such byte, can't be taken for a list. The empty list is the
empty text.
"""

from __future__ import annotations

from collections.abc import Iterable

SENTENCE_END = b"\xff"


def as_list(sentences: Iterable[str]) -> bytes:
    """Return the item that holds these sentences."""
    return b"".join(sentence.encode("utf-8", errors="surrogatepass") + SENTENCE_END for sentence in sentences)
