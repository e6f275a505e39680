"""The average of the vectors of a text's words.

Words outside the vocabulary count as its one unknown word, and so does a text without words. Points are multiples of
2^-20, so their sum is a sum of integers: exact, in any order, whatever the batch. One division follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.encoders.encoder import Vectors, packed
from textveil.errors import InvalidInputError
from textveil.hashing import Packed
from textveil.receipts import digest_of
from textveil.text.scanning import Lookup, scan
from textveil.vocabulary import Vocabulary

# Sums of 2^27 words, more than a record can hold, stay below 2^63 steps of 2^-20.
_LARGEST = 2.0**16


class AveragedWords:
    """Gives a text the mean of the public vectors of its words, whatever their case.

    Parameters
    ----------
    vocabulary : the words and their vectors
    """

    # Files are read in large batches.
    fast = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        largest = float(np.abs(vocabulary.points).max())
        if largest >= _LARGEST:
            raise InvalidInputError(
                f"word vectors must be below {_LARGEST:g} in every coordinate to be added exactly (the largest is "
                f"{largest:.3g}); divide them by a public constant"
            )
        self.vocabulary = vocabulary

    @property
    def dimension(self) -> int:
        """That of the vocabulary."""
        return self.vocabulary.dimension

    @property
    def digest(self) -> str:
        """The sha256 of the encoder."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        return f"the average of its words' public vectors, of {len(self.vocabulary):,} words"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {"encoder": "AveragedWords", "vocabulary": self.vocabulary.digest}

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the mean vector of each text, shape (n, dimension): nothing is released, so give public texts."""
        texts = packed(texts)
        words = scan(texts, self._lookup)
        sums = np.zeros((len(texts), self.dimension), dtype=np.int64)
        counts = np.zeros(len(texts), dtype=np.int64)
        _add(words.ids, words.owners, self._steps, sums, counts)
        empty = counts == 0
        sums[empty], counts[empty] = self._steps[self.vocabulary.unknown_id], 1
        return sums / counts[:, None] * self.vocabulary.step

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.vocabulary)

    @cached_property
    def _steps(self) -> NDArray[np.signedinteger[Any]]:
        """The points in steps of the lattice, in the least room."""
        steps = np.rint(self.vocabulary.points / self.vocabulary.step).astype(np.int64)
        return steps.astype(np.int32) if np.abs(steps).max() < 2**31 else steps


@compiled
def _add(ids, owners, steps, sums, counts):  # type: ignore[no-untyped-def]
    for word in range(ids.size):
        total, step = sums[owners[word]], steps[ids[word]]
        for k in range(step.size):
            total[k] += step[k]
        counts[owners[word]] += 1
