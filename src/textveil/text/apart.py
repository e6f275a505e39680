"""Whether private documents are among the public candidates: what is released as it is must not be what is hidden.

The check looks at private data before anything is released. Its answer, a count, is for whoever runs the release and is
not protected: show neither the error nor that there was one to others.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from textveil.errors import InvalidInputError
from textveil.files.framing import SENTENCE_END
from textveil.hashing import Packed
from textveil.mechanisms.candidates import Candidates
from textveil.text.documents import documents_in
from textveil.text.sentences import sentences_in


def check_apart(candidates: Candidates, private: Any) -> None:
    """Refuse private documents that are, up to case and white space, a candidate's text or one of its sentences.

    Run it before a release, for those who may see the private documents; the error says how many there are and quotes
    none.

    Parameters
    ----------
    candidates : with texts
    private : one text, or a list whose members are texts or lists of sentences
    """
    refuse_shared(Apart(candidates).shared(documents_in(private)))


class Apart:
    """The texts of candidates and their sentences, to look private documents up in.

    Parameters
    ----------
    candidates : with texts
    """

    def __init__(self, candidates: Candidates) -> None:
        if candidates.texts is None:
            raise InvalidInputError("the candidates have no texts to compare; give them: Candidates(vectors, texts)")
        self._public = {_folded(part) for text in candidates.texts for part in (text, *sentences_in(text))} - {""}

    def shared(self, documents: Packed) -> int:
        """Return how many documents are public. It is private: tell only those who may see the documents."""
        pieces = (documents.data[first:last].tobytes() for first, last in pairwise(documents.offsets.tolist()))
        texts = (piece.replace(SENTENCE_END, b" ").decode("utf-8", errors="replace") for piece in pieces)
        return sum(_folded(text) in self._public for text in texts)


def refuse_shared(count: int) -> None:
    """Raise an error if private documents are public; it says how many."""
    if count:
        raise InvalidInputError(
            f"private documents that are a public candidate, or a sentence of one: {count:,}; candidates are released "
            "as they are, so take these out of the candidates"
        )


def _folded(text: str) -> str:
    """Return a text without case, its words one space apart."""
    return " ".join(text.casefold().split())
