"""Classes of pairs of texts (paraphrase, entailment): logistic regression on |u - v| and u v, as SentEval does it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from textveil.measure.tasks.classification import check_parts, classified, splits_of
from textveil.measure.tasks.learning import classes_of, commonest_share, rms_length
from textveil.measure.tasks.task import Embed, Scores, in_order, order_of, require_same_length


@dataclass(frozen=True)
class PairClassification:
    """Pairs of texts with classes; an unknown text counts as a vector of zeros.

    Parameters
    ----------
    name : of the data set
    first, second : the pairs
    labels : one a pair
    parts, folds : see `Classification`
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...] | None = None
    folds: int = 5

    def __post_init__(self) -> None:
        require_same_length(self.name, first=self.first, second=self.second, labels=self.labels)
        check_parts(self.name, self.parts, len(self.labels))

    @property
    def items(self) -> list[str]:
        """The texts."""
        return list(dict.fromkeys([*self.first, *self.second]))

    @property
    def chance(self) -> Scores:
        """That of the commonest class."""
        return {"accuracy": commonest_share(classes_of(self.labels)[1])}

    def scores(self, embed: Embed) -> Scores:
        """Return accuracy and macro F1 on test rows, and the accuracy on the rows that chose the strength."""
        vectors = np.nan_to_num(embed([*self.first, *self.second]))
        vectors = vectors / rms_length(vectors)
        first, second = np.split(vectors, 2)
        apart, together = np.abs(first - second), first * second
        # Products of coordinates are small where there are many of them.
        features = np.hstack([apart / rms_length(apart), together / rms_length(together)])
        splits = splits_of(self.name, self.parts, len(self.labels), self.folds)
        return classified(features, classes_of(self.labels)[1], splits)

    def shuffled(self, number: int = 0) -> PairClassification:
        """Return the pairs with the labels in a random order."""
        return replace(self, labels=in_order(self.labels, order_of(len(self.labels), f"{self.name} {number}")))
