"""What vectors are worth: accuracy and macro F1 of a logistic regression, rank correlation; the spread over runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingDependencyError

Vectors = NDArray[Any]
Labels = NDArray[np.int64]


class Classifier:
    """Logistic regression on vectors that are scaled to mean square length 1, so that noise is not the scale.

    Parameters
    ----------
    vectors, labels : to learn from
    """

    def __init__(self, vectors: Vectors, labels: Labels) -> None:
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingDependencyError(
                "scikit-learn is needed to measure utility; run: pip install textveil[sklearn]"
            ) from None
        self._scale = 1 / math.sqrt(float(np.mean(np.sum(np.square(vectors, dtype=np.float64), axis=1))))
        self._model = LogisticRegression(max_iter=200).fit(vectors * self._scale, labels)

    def __call__(self, vectors: Vectors) -> Labels:
        """Return the classes of vectors."""
        return np.asarray(self._model.predict(vectors * self._scale), dtype=np.int64)

    def accuracy(self, vectors: Vectors, labels: Labels) -> float:
        """Return the share of vectors that get their class."""
        return float(np.mean(self(vectors) == labels))

    def macro_f1(self, vectors: Vectors, labels: Labels) -> float:
        """Return the mean F1 over the classes."""
        return macro_f1(self(vectors), labels)


def macro_f1(found: Labels, labels: Labels) -> float:
    """Return the mean F1 over the classes that occur in `labels`."""
    scores = []
    for label in np.unique(labels):
        hits = np.sum((found == label) & (labels == label))
        scores.append(2 * hits / (np.sum(found == label) + np.sum(labels == label)))
    return float(np.mean(scores))


def rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Spearman's correlation; equal numbers share the mean of their ranks."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean of runs and their standard deviation, which one run does not have."""
    return {"mean": float(np.mean(values)), "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None}


def shown(found: Mapping[str, Any]) -> str:
    """Return a mean and its deviation to read."""
    return f"{found['mean']:.3f}" + ("" if found["deviation"] is None else f" ± {found['deviation']:.3f}")
