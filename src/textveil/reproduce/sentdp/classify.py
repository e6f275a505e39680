"""What vectors are worth: accuracy and macro F1 of a logistic regression, rank correlation; the spread over runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingDependencyError
from textveil.measure.tasks.scores import macro_f1
from textveil.measure.tasks.scores import spearman as rank_correlation

__all__ = ["Classifier", "macro_f1", "rank_correlation", "shown", "spread"]

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


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean of runs and their standard deviation, which one run does not have."""
    return {"mean": float(np.mean(values)), "deviation": float(np.std(values, ddof=1)) if len(values) > 1 else None}


def shown(found: Mapping[str, Any]) -> str:
    """Return a mean and its deviation to read."""
    return f"{found['mean']:.3f}" + ("" if found["deviation"] is None else f" ± {found['deviation']:.3f}")
