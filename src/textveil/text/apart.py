"""Whether private records are among the public candidates: what is released as it is must not be what is hidden.

The check looks at private data before anything is released. Its answer, a count, is for whoever runs the release and is
not protected: show neither the error nor that there was one to others.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.hashing import Packed
from textveil.mechanisms.candidates import Candidates
from textveil.text.documents import documents_in, sentences_of
from textveil.text.sentences import sentences_in
from textveil.vocabulary.lattice import STEP

# "Thank you very much" is in every corpus; so are shorter sentences, which are therefore not looked for.
LEAST_WORDS = 4


def check_apart(candidates: Candidates, private: Any) -> None:
    """Refuse private records that are a candidate, or share a sentence of at least four words with one.

    Texts are compared up to case, white space and compatible signs (NFKC), vectors as candidates are rounded. Run it
    before a release, for those who may see the private records; the error says how many there are and quotes none.

    Parameters
    ----------
    candidates : with texts, unless vectors are compared
    private : one text, a list whose members are texts or lists of sentences, or an array of vectors, one a row
    """
    if isinstance(private, np.ndarray):
        refuse_shared(VectorsApart(candidates.vectors).shared(np.atleast_2d(private)))
        return
    if candidates.texts is None:
        raise InvalidInputError("the candidates have no texts to compare; give them: Candidates(vectors, texts)")
    refuse_shared(Apart(candidates.texts).shared(documents_in(private)))


class Apart:
    """Public texts and their sentences, to look private documents up in.

    Parameters
    ----------
    texts : of the candidates
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = set(map(_folded, texts)) - {""}
        self._sentences = set(_long_enough(part for text in texts for part in (text, *sentences_in(text))))

    def shared(self, documents: Packed) -> int:
        """Return how many documents are public, or in part. It is private: tell only those who may see them."""
        pieces = (documents.data[first:last].tobytes() for first, last in pairwise(documents.offsets.tolist()))
        return sum(map(self._is_public, pieces))

    def _is_public(self, document: bytes) -> bool:
        sentences = [sentence.decode("utf-8", errors="replace") for sentence in sentences_of(document)]
        whole = _folded(" ".join(sentences))
        return whole in self._texts or not self._sentences.isdisjoint(_long_enough((whole, *sentences)))


class VectorsApart:
    """Public vectors, to look private ones up in. A vector of zeros stands for nothing and is not looked for.

    Parameters
    ----------
    vectors : of the candidates, one a row
    """

    def __init__(self, vectors: NDArray[Any]) -> None:
        self._rows = set[bytes]().union(*_rows(vectors))

    def shared(self, vectors: NDArray[Any]) -> int:
        """Return how many vectors are public. It is private: tell only those who may see them."""
        return sum(not self._rows.isdisjoint(row) for row in _rows(vectors))


def refuse_shared(count: int) -> None:
    """Raise an error if private records are public; it says how many."""
    if count:
        raise InvalidInputError(
            f"private records that are a public candidate, or share a sentence of at least {LEAST_WORDS} words with "
            f"one: {count:,}; candidates are released as they are, so take these out of the candidates"
        )


def _long_enough(texts: Iterable[str]) -> Iterator[str]:
    """Yield folded texts that are too long to be in two places by chance."""
    return (text for text in map(_folded, texts) if text.count(" ") >= LEAST_WORDS - 1)


def _folded(text: str) -> str:
    """Return a text without case, its words one space apart, its signs in the plainest form that means the same."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _rows(vectors: NDArray[Any]) -> Iterator[set[bytes]]:
    """Yield the digests of each row, rounded as candidates are: as it is, and as a copy in single precision has it."""
    with np.errstate(over="ignore"):
        tables = (vectors.astype(np.float64), vectors.astype(np.float32).astype(np.float64))
        rounded = [np.rint(table / STEP) + 0.0 for table in tables]
    for row, copy in zip(*rounded, strict=True):
        if row.any():
            yield {hashlib.sha256(row.tobytes()).digest(), hashlib.sha256(copy.tobytes()).digest()}
