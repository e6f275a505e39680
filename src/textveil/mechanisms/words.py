"""Mechanisms that take words of a public vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource
from textveil.vocabulary import Vocabulary

Ids = NDArray[np.int64]

_BLOCK = 4096


class WordMechanism(Mechanism):
    """Releases words as words. A word outside the vocabulary enters as its one unknown word."""

    vocabulary: Vocabulary

    def _check(self, private: Any) -> Ids:
        return self.vocabulary.ids(private)

    def _wrap(self, outputs: Ids, private: Sequence[str]) -> list[str]:
        return self.vocabulary.words_of(outputs)

    def release_ids(self, ids: NDArray[np.integer[Any]], *, source: RandomSource | None = None) -> Ids:
        """Release words given by their numbers in the vocabulary: the fast path.

        Parameters
        ----------
        ids : private, integers from 0 below len(vocabulary), of any shape
        source : where the noise comes from; by default fresh noise from the operating system
        """
        if isinstance(ids, np.ma.MaskedArray):
            raise InvalidInputError("ids must have no mask, since what it hides would be released; fill them first")
        array = np.asarray(ids)
        flat = checked_ids(array.reshape(-1), self.vocabulary)
        streams = RandomSource.given(source).streams(self._purpose, flat)
        outputs: Ids = self._sample(flat, streams)
        return outputs.reshape(array.shape)


def checked_ids(ids: Any, vocabulary: Vocabulary) -> Ids:
    """Return numbers of words, all of which the vocabulary has."""
    array = np.asarray(ids)
    if array.dtype.kind not in "iu" and array.size:
        raise InvalidInputError(f"ids must be integers (got {array.dtype}); release() takes words")
    numbers = array.astype(np.int64)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < len(vocabulary)):
        raise InvalidInputError(f"ids must be from 0 below {len(vocabulary)}, the vocabulary's size")
    return numbers


def require_vocabulary(value: object) -> None:
    """Refuse what is no vocabulary."""
    if not isinstance(value, Vocabulary):
        raise InvalidInputError(
            f"vocabulary must be a Vocabulary (got {type(value).__name__}); make one with "
            "tv.Vocabulary(words, vectors), or take tv.Vocabulary.default()"
        )


def check_every_point(vocabulary: Vocabulary, mechanism: Mechanism) -> None:
    """Refuse a mechanism for vectors that does not take every point of a vocabulary."""
    for start in range(0, len(vocabulary), _BLOCK):
        try:
            mechanism._check(vocabulary.block(start, start + _BLOCK))
        except InvalidInputError as error:
            raise InvalidInputError(
                f"the mechanism does not take every vector of the vocabulary, which is public: {error}"
            ) from None
