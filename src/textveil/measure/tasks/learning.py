"""Linear classifiers, and how strongly they are held back: chosen on rows that are not tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingDependencyError

Vectors = NDArray[Any]
Labels = NDArray[np.int64]
Rows = NDArray[np.int64]

# Weight of the data against the penalty of a logistic regression on vectors of mean square length 1.
STRENGTHS = (1.0, 10.0, 100.0)


class Split(NamedTuple):
    """Which rows are learnt from, which choose the strength, which are tested."""

    train: Rows
    dev: Rows
    test: Rows


class Answers(NamedTuple):
    """What a classifier says of the test rows, and how often it was right on the rows that chose its strength."""

    found: Labels
    dev: float


def folds(order: Rows, count: int) -> list[Split]:
    """Return splits in which every row is tested once, and the part before it chooses the strength."""
    parts = np.array_split(order, count)
    return [
        Split(np.concatenate([parts[j] for j in range(count) if j not in (i, i - 1 if i else count - 1)]), dev, test)
        for i, (dev, test) in enumerate(zip([parts[-1], *parts[:-1]], parts, strict=True))
    ]


def logistic_answers(vectors: Vectors, labels: Labels, split: Split) -> Answers:
    """Learn from the train rows with the strength that does best on the dev rows; answer for the test rows."""
    regression = _sklearn("linear_model").LogisticRegression
    scaled = vectors / rms_length(vectors[split.train])
    train, right = labels[split.train], labels[split.dev]
    if len(np.unique(train)) == 1:
        return Answers(np.full(len(split.test), train[0]), float(np.mean(right == train[0])))
    # Newton's steps are few, but each solves for all classes at once.
    two = {"solver": "newton-cholesky"}
    how = two if len(np.unique(train)) == 2 else {"solver": "lbfgs", "max_iter": 1000, "tol": 1e-3}
    models = [regression(C=strength, **how).fit(scaled[split.train], train) for strength in STRENGTHS]
    shares = [float(np.mean(model.predict(scaled[split.dev]) == right)) for model in models]
    best = int(np.argmax(shares))
    return Answers(np.asarray(models[best].predict(scaled[split.test]), dtype=np.int64), shares[best])


def svm_margins(vectors: Vectors, labels: Labels, train: Rows, test: Rows) -> NDArray[np.float64]:
    """Learn a linear support vector machine for two classes from the train rows; return margins of the test rows."""
    scaled = vectors / rms_length(vectors[train])
    model = _sklearn("svm").LinearSVC(dual=False).fit(scaled[train], labels[train])
    return np.asarray(model.decision_function(scaled[test]), dtype=np.float64)


def rms_length(vectors: Vectors) -> float:
    """Return the root mean square length, or 1 if it is 0: what vectors are divided by, so that noise is no scale."""
    return math.sqrt(float(np.mean(np.sum(np.square(vectors, dtype=np.float64), axis=1)))) or 1.0


def classes_of(labels: Sequence[str]) -> tuple[list[str], Labels]:
    """Return the classes in order, and the number of each label."""
    names, numbers = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    return [str(name) for name in names], numbers.astype(np.int64)


def commonest_share(labels: Labels) -> float:
    """Return how often the commonest class is right."""
    return float(np.bincount(labels).max() / len(labels))


def _sklearn(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise MissingDependencyError(
            "scikit-learn is needed to measure utility; run: pip install textveil[sklearn]"
        ) from None
