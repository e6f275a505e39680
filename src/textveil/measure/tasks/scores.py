"""Correlations, shares and areas, from answers and the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def pearson(first: Floats, second: Floats) -> float:
    """Return the correlation of two rows of numbers; 0 if one of them is constant."""
    a, b = first - first.mean(), second - second.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0 else 0.0


def spearman(first: Floats, second: Floats) -> float:
    """Return the correlation of the ranks; equal numbers share the mean of theirs."""
    return pearson(ranks(first), ranks(second))


def ranks(numbers: Floats) -> Floats:
    """Return the ranks from 1 on; equal numbers share the mean of theirs."""
    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def macro_f1(found: Labels, labels: Labels) -> float:
    """Return the mean F1 over the classes that occur in `labels`."""
    scores = []
    for label in np.unique(labels):
        hits = np.sum((found == label) & (labels == label))
        scores.append(2 * hits / (np.sum(found == label) + np.sum(labels == label)))
    return float(np.mean(scores))


def area_under_roc(margins: Floats, positive: NDArray[np.bool_]) -> float:
    """Return the chance that a positive one has the larger margin than a negative one, ties counted half."""
    many, few = int(positive.sum()), int((~positive).sum())
    return float((ranks(margins)[positive].sum() - many * (many + 1) / 2) / (many * few))


def cosines(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Return the cosine of each pair of rows; 0 where one of them is zero."""
    products = np.einsum("ij,ij->i", first, second)
    sizes = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray(np.divide(products, sizes, out=np.zeros(len(products)), where=sizes > 0))
