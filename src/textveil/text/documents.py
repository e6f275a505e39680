"""Documents: texts, which are cut into sentences by the rule, or lists of sentences that someone cut already.

Both are bytes, as `files.framing` has them. The empty text and the empty list are documents without sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.files.framing import SENTENCE_END, as_list
from textveil.hashing import Packed
from textveil.text.sentences import sentences_in


def sentences_of(document: bytes) -> list[bytes]:
    """Return the sentences of a document: as they were given, or as `sentences_in` cuts it."""
    if document.endswith(SENTENCE_END):
        return document.split(SENTENCE_END)[:-1]
    text = document.decode("utf-8", errors="replace")
    return [sentence.encode("utf-8", errors="surrogatepass") for sentence in sentences_in(text)]


def all_sentences(documents: Packed, *, least: int = 0) -> tuple[Packed, NDArray[np.int64]]:
    """Return the sentences of all documents, and where each document begins among them and the last ends.

    Parameters
    ----------
    documents : texts or lists of sentences
    least : 1 if a document without sentences is to count as one empty sentence
    """
    data, places = documents.data, documents.offsets.tolist()
    found = [sentences_of(data[first:last].tobytes()) or [b""] * least for first, last in pairwise(places)]
    offsets = np.zeros(len(found) + 1, dtype=np.int64)
    np.cumsum([len(sentences) for sentences in found], out=offsets[1:])
    return Packed.of(list(chain.from_iterable(found))), offsets


def documents_in(private: Any) -> Packed:
    """Return documents as bytes: one str, or a list whose members are str or lists of str, one a sentence."""
    members: Sequence[Any] = [private] if isinstance(private, str) else private
    if not isinstance(members, list | tuple):
        raise InvalidInputError(
            f"documents must be a str, or a list of str or of lists of sentences (got {type(private).__name__})"
        )
    return Packed.of([_document(member, place) for place, member in enumerate(members)])


def _document(member: Any, place: int) -> bytes:
    if isinstance(member, str):
        return member.encode("utf-8", errors="surrogatepass")
    if isinstance(member, list | tuple) and all(isinstance(sentence, str) for sentence in member):
        return as_list(member)
    raise InvalidInputError(f"document {place}, from 0, must be a str or a list of str (got {type(member).__name__})")
