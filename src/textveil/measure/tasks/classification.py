"""Classes of texts by logistic regression on their vectors, as SentEval does it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.tasks.learning import (
    Labels,
    Split,
    Vectors,
    classes_of,
    commonest_share,
    folds,
    logistic_answers,
)
from textveil.measure.tasks.scores import macro_f1
from textveil.measure.tasks.task import Embed, Scores, in_order, order_of, require_same_length

PARTS = ("train", "dev", "test")


@dataclass(frozen=True)
class Classification:
    """Texts with classes; an unknown text counts as a vector of zeros.

    Parameters
    ----------
    name : of the data set
    texts, labels : one of each a row
    parts : "train", "dev" or "test" for each row; without it every row is tested once, in `folds` parts
    folds : how many parts
    """

    name: str
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...] | None = None
    folds: int = 5

    def __post_init__(self) -> None:
        require_same_length(self.name, texts=self.texts, labels=self.labels)
        check_parts(self.name, self.parts, len(self.texts))

    @property
    def items(self) -> list[str]:
        """The texts."""
        return list(dict.fromkeys(self.texts))

    @property
    def chance(self) -> Scores:
        """That of the commonest class."""
        return {"accuracy": commonest_share(classes_of(self.labels)[1])}

    def scores(self, embed: Embed) -> Scores:
        """Return accuracy and macro F1 on test rows, and the accuracy on the rows that chose the strength."""
        return classified(
            np.nan_to_num(embed(self.texts)),
            classes_of(self.labels)[1],
            splits_of(self.name, self.parts, len(self.labels), self.folds),
        )

    def shuffled(self, number: int = 0) -> Classification:
        """Return the texts with the labels in a random order."""
        return replace(self, labels=in_order(self.labels, order_of(len(self.labels), f"{self.name} {number}")))


def first_rows(task: Classification, count: int) -> Classification:
    """Return at most so many rows of a task, the same in every run."""
    rows = np.sort(order_of(len(task.texts), f"rows {task.name}")[:count])
    parts = None if task.parts is None else in_order(task.parts, rows)
    return replace(task, texts=in_order(task.texts, rows), labels=in_order(task.labels, rows), parts=parts)


def check_parts(name: str, parts: tuple[str, ...] | None, count: int) -> None:
    """Refuse parts that are not one of three names a row, all of them in use."""
    if parts is not None and (len(parts) != count or set(parts) != set(PARTS)):
        raise InvalidInputError(f"the parts of {name} must be one of {', '.join(PARTS)} for each row, and all in use")


def splits_of(name: str, parts: tuple[str, ...] | None, rows: int, count: int) -> list[Split]:
    """Return the one split that parts are, or several in which every row is tested once."""
    if parts is None:
        return folds(order_of(rows, f"folds {name}"), count)
    names = np.asarray(parts)
    return [Split(*(np.flatnonzero(names == part) for part in PARTS))]


def classified(vectors: Vectors, labels: Labels, splits: list[Split]) -> Scores:
    """Return accuracy, macro F1 and dev accuracy over all splits."""
    answers = [logistic_answers(vectors, labels, split) for split in splits]
    found, right = (
        np.concatenate([one.found for one in answers]),
        np.concatenate([labels[split.test] for split in splits]),
    )
    return {
        "accuracy": float(np.mean(found == right)),
        "macro F1": macro_f1(found, right),
        "dev": float(np.mean([one.dev for one in answers])),
    }
