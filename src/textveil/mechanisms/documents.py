"""Mechanisms that take documents: the vectors of a document's sentences, one (k, d) array, or a list of those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.hashing import Packed
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.vectors import Vectors, as_numbers

Offsets = NDArray[np.int64]

MOST_SENTENCES = 65_535
# One sentence is exchanged for another; everything else stays.
ONE_SENTENCE = "of one document, its other sentences being the same"
SAME_NUMBER = "of one document, its other sentences and their number being the same"


class DocumentMechanism(Mechanism):
    """Releases something for each document."""

    dimension: int
    least_sentences = 1

    def _check(self, private: Any) -> Packed:
        if isinstance(private, list | tuple):
            return packed([self._document(item) for item in private], self.dimension)
        return packed([self._document(private)], self.dimension)

    def _wrap(self, outputs: Sequence[Any], private: Any) -> Any:
        return list(outputs) if isinstance(private, list | tuple) else outputs[0]

    def _document(self, item: Any) -> Vectors:
        array = as_numbers(item)
        if array.ndim != 2 or array.shape[1] != self.dimension:
            raise InvalidInputError(
                f"a document must be an array of shape (sentences, {self.dimension}), several a list of such arrays "
                f"(got {array.ndim} axes, the last of {array.shape[-1] if array.ndim else 0})"
            )
        if not self.least_sentences <= len(array) <= MOST_SENTENCES:
            raise InvalidInputError(
                f"a document must have from {self.least_sentences} to {MOST_SENTENCES:,} sentences; divide it"
            )
        vectors = array.astype(np.float64)
        if not np.isfinite(vectors).all():
            raise InvalidInputError("vectors must be finite: there is a NaN or an infinity among them")
        # -0.0 is the same number as 0.0 and gets the same noise from a key.
        vectors += 0.0
        return vectors


def packed(documents: Sequence[Vectors], dimension: int) -> Packed:
    """Pack documents one after the other: the items of a release."""
    whole = np.concatenate(documents) if documents else np.empty((0, dimension))
    offsets = np.zeros(len(documents) + 1, dtype=np.int64)
    np.cumsum([document.nbytes for document in documents], out=offsets[1:])
    return Packed(whole.reshape(-1).view(np.uint8), offsets)


def unpacked(items: Packed, dimension: int) -> tuple[Vectors, Offsets]:
    """Return the sentences of all documents, and where each document begins and the last ends."""
    sentences = items.data.view(np.float64).reshape(-1, dimension)
    return sentences, items.offsets // (sentences.itemsize * dimension)


def sums(values: NDArray[Any], offsets: Offsets) -> NDArray[Any]:
    """Return the sum of each document's rows; there must be at least one in each."""
    return np.asarray(np.add.reduceat(values, offsets[:-1], axis=0)) if len(offsets) > 1 else values[:0]
