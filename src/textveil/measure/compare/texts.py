"""A data set of texts with classes: what their released words are worth to a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.compare.frontier import SAMPLED, Value
from textveil.measure.statistics.sampled import clopper_pearson
from textveil.measure.tasks import Classification, tokens_of
from textveil.receipts import digest_of
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Texts:
    """Public texts with classes, as words of a vocabulary; words outside it count as its unknown word.

    Parameters
    ----------
    task : texts and classes; every text is tested once
    vocabulary : public
    """

    task: Classification
    vocabulary: Vocabulary

    @classmethod
    def of(cls, texts: Sequence[str], labels: Sequence[str], vocabulary: Vocabulary, *, name: str = "texts") -> Texts:
        """Take texts and their classes, at least 50 texts and two classes."""
        if len(texts) < 50 or len(set(labels)) < 2:
            raise InvalidInputError(
                f"--data needs at least 50 texts of two classes or more (got {len(texts)} of {len(set(labels))})"
            )
        return cls(Classification(name, tuple(texts), tuple(labels)), vocabulary)

    @cached_property
    def words(self) -> Ids:
        """The words of all texts, one after the other; a text without words has the unknown word."""
        return np.concatenate(self._found)

    @property
    def digest(self) -> str:
        """The sha256 of texts and classes."""
        return digest_of([self.task.texts, self.task.labels])

    def vectors(self, words: Ids) -> Floats:
        """Return the mean vector of each text, if its words are these."""
        sums = self._spread @ self.vocabulary.points[words].astype(np.float64)
        return np.asarray(sums)

    def accuracy(self, words: Ids, *, shuffled: bool = False) -> Value:
        """Return how often a classifier is right that learns from and is asked about texts with these words.

        Parameters
        ----------
        words : in the place of `self.words`
        shuffled : whether classes are dealt out at random, so that nothing can be learnt
        """
        return accuracy_of(self.task.shuffled() if shuffled else self.task, self.vectors(words))

    @cached_property
    def _found(self) -> list[Ids]:
        none = np.array([self.vocabulary.unknown_id])
        return [self.vocabulary.ids(tokens) if (tokens := tokens_of(text)) else none for text in self.task.texts]

    @cached_property
    def _spread(self) -> Any:
        from scipy.sparse import csr_array

        counts = np.array([len(ids) for ids in self._found])
        shares = np.repeat(1 / counts, counts)
        return csr_array((shares, np.arange(len(shares)), np.append(0, np.cumsum(counts))))


def accuracy_of(task: Classification, vectors: Floats) -> Value:
    """Return the accuracy of logistic regression on vectors of texts, with the interval for so many texts."""
    share = task.scores(lambda _: vectors)["accuracy"]
    low, high = clopper_pearson(np.array(round(share * len(vectors))), len(vectors), 0.05)
    return Value(share, float(low), float(high), SAMPLED)
