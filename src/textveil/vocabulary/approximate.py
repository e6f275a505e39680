"""Nearest words by an index of faiss, which is not always right, and how often it is.

Whatever answers, the noisy vector is all that it sees, so no promise changes; what is released may be another word than
the nearest. The search of `Vocabulary.nearest` is exact, and ten times as quick or half as quick: docs/search.md has
what was measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.spaces import Euclidean
from textveil.vocabulary.vocabulary import Vocabulary

Ids = NDArray[np.int64]


class ApproximateNearest:
    """Nearest words of a vocabulary by a faiss index.

    Parameters
    ----------
    vocabulary : in Euclidean space
    index : in the language of `faiss.index_factory`, such as "HNSW32" or "IVF1024,Flat"
    settings : parameters of faiss, such as efSearch=128 or nprobe=8
    """

    def __init__(self, vocabulary: Vocabulary, index: str = "HNSW32", **settings: float) -> None:
        try:
            import faiss
        except ImportError:
            raise MissingDependencyError("this search needs faiss: pip install 'textveil[faiss]'") from None
        if not isinstance(vocabulary.space, Euclidean):
            raise InvalidInputError(
                f"faiss knows Euclidean distance only, the vocabulary has {vocabulary.space.metric}"
            )
        self._vocabulary = vocabulary
        points = np.ascontiguousarray(vocabulary.points, dtype=np.float32)
        try:
            self._index: Any = faiss.index_factory(vocabulary.dimension, index)
            self._index.train(points)
            for name, value in settings.items():
                faiss.ParameterSpace().set_index_parameter(self._index, name, value)
        except RuntimeError as error:
            raise InvalidInputError(f"faiss refuses index={index!r} with {settings}: {error}") from None
        self._index.add(points)

    def nearest(self, points: ArrayLike) -> Ids:
        """Return the id that the index finds for each point, shape (n, d); the unknown word where it finds none."""
        queries = np.ascontiguousarray(points, dtype=np.float32)
        found: Ids = self._index.search(np.atleast_2d(queries), 1)[1][:, 0].astype(np.int64)
        return np.where(found < 0, self._vocabulary.unknown_id, found)

    def agreement(self, points: ArrayLike) -> float:
        """Return the share of these points for which the index finds the nearest word."""
        return float((self.nearest(points) == self._vocabulary.nearest(points)).mean())
