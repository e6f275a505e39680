"""Whether records that come are among the operator's own candidates, which are released as they are.

The answer is private: it is for the caller, who sent the records, and for nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textveil.encoders import DocumentEmbedder, TextEmbedder
from textveil.mechanisms.candidates import Candidates
from textveil.mechanisms.mechanism import Mechanism
from textveil.text.apart import Apart, VectorsApart
from textveil.text.documents import documents_in

# Takes records and returns how many of them are public.
Shared = Callable[[Sequence[Any]], int]


def shared_with(mechanism: Mechanism) -> Shared | None:
    """Return what counts the records that are among a mechanism's candidates; None where nothing can be compared."""
    encodes = isinstance(mechanism, TextEmbedder | DocumentEmbedder)
    candidates = getattr(mechanism.mechanism if encodes else mechanism, "candidates", None)  # type: ignore[attr-defined]
    if not isinstance(candidates, Candidates):
        return None
    if not encodes:
        vectors = VectorsApart(candidates.vectors)
        return lambda private: vectors.shared(np.asarray(private, dtype=np.float64))
    if candidates.texts is None:
        return None
    texts = Apart(candidates.texts)
    return lambda private: texts.shared(documents_in(private))
