"""What a run must know of a work besides what it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from textveil.encoders import DocumentEmbedder, Encoder, SentenceMeans
from textveil.files.vector_output import Answered, Beside
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.sentence_responses import SentenceResponses

INDEX, TEXT = "public_index", "public_text"


@dataclass(frozen=True, kw_only=True)
class Traits:
    """How a work differs from one that takes and gives texts or vectors quickly.

    Parameters
    ----------
    documents : whether a record may be a list of sentences
    pieces : what is paid for, if a record is not released at once
    beside : the columns that are released beside the vectors
    slow : whether records take so long that little must be read at once, and nothing be done twice
    """

    documents: bool = False
    pieces: str = "words"
    beside: Mapping[str, Beside] = field(default_factory=dict)
    slow: bool = False


def traits_of(work: Any) -> Traits:
    """Return the traits of a work."""
    traits: Traits = getattr(work, "traits", Traits())
    return traits


def embedding_traits(embedder: Any) -> Traits:
    """Return the traits of a TextEmbedder or a DocumentEmbedder."""
    encoder: Encoder = embedder.encoder
    return Traits(
        documents=isinstance(embedder, DocumentEmbedder) or isinstance(encoder, SentenceMeans),
        pieces="sentences",
        beside=columns_beside(embedder.mechanism),
        slow=not getattr(encoder, "fast", False),
    )


def columns_beside(mechanism: Mechanism) -> dict[str, Beside]:
    """Return the columns in which a mechanism that chooses public candidates says which they are."""
    candidates = getattr(mechanism, "candidates", None)
    if candidates is None:
        return {}
    several = isinstance(mechanism, SentenceResponses)
    columns = {INDEX: Beside.NUMBERS if several else Beside.NUMBER}
    return columns if candidates.texts is None else columns | {TEXT: Beside.TEXTS if several else Beside.TEXT}


def as_columns(released: Any, dimension: int) -> Any:
    """Return released vectors as they are, and chosen candidates as vectors with columns beside them."""
    if isinstance(released, np.ndarray):
        return released
    vectors = np.array([each.vector for each in released], dtype=np.float64).reshape(-1, dimension)
    return Answered(vectors, {INDEX: [each[0] for each in released], TEXT: [each[2] for each in released]})
