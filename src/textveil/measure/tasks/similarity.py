"""Similarity of words or sentences: whether the cosine of two vectors agrees with what people say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from textveil.measure.tasks.scores import cosines, pearson, spearman
from textveil.measure.tasks.task import Embed, Scores, in_order, known, order_of, require_same_length


@dataclass(frozen=True)
class Similarity:
    """Pairs of words or texts, with how alike people find them. Pairs with an unknown item are left out.

    Parameters
    ----------
    name : of the data set
    first, second : the pairs
    ratings : of people
    groups : the source of each pair, if ratings of different sources can't be compared: correlations are taken within
        each, and their mean is weighted by how many pairs it has
    """

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    ratings: tuple[float, ...]
    groups: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        require_same_length(self.name, first=self.first, second=self.second, ratings=self.ratings)

    @property
    def items(self) -> list[str]:
        """The words or texts."""
        return list(dict.fromkeys([*self.first, *self.second]))

    @property
    def chance(self) -> Scores:
        """No correlation."""
        return {"spearman": 0.0, "pearson": 0.0}

    def scores(self, embed: Embed) -> Scores:
        """Return the correlations of cosines with ratings, and the share of pairs that are known."""
        places = {item: row for row, item in enumerate(self.items)}
        vectors = np.asarray(embed(self.items), dtype=np.float64)
        first, second = ([places[item] for item in column] for column in (self.first, self.second))
        both = known(vectors)[first] & known(vectors)[second]
        alike = cosines(np.nan_to_num(vectors[first]), np.nan_to_num(vectors[second]))
        ratings = np.asarray(self.ratings, dtype=np.float64)
        totals, pairs = np.zeros(2), 0
        for group in self._groups():
            rows = np.flatnonzero(group & both)
            if len(rows) > 1:
                found = [measure(alike[rows], ratings[rows]) for measure in (spearman, pearson)]
                totals, pairs = totals + len(rows) * np.array(found), pairs + len(rows)
        rank, linear = totals / max(1, pairs)
        return {"spearman": float(rank), "pearson": float(linear), "known": float(both.mean())}

    def shuffled(self, number: int = 0) -> Similarity:
        """Return the task with ratings in a random order, within each group."""
        ratings = np.asarray(self.ratings)
        for place, group in enumerate(self._groups()):
            rows = np.flatnonzero(group)
            ratings[rows] = ratings[rows[order_of(len(rows), f"{self.name} {number} {place}")]]
        return replace(self, ratings=tuple(ratings.tolist()))

    def _groups(self) -> list[NDArray[np.bool_]]:
        if self.groups is None:
            return [np.ones(len(self.first), dtype=np.bool_)]
        names = np.asarray(self.groups)
        return [names == name for name in dict.fromkeys(self.groups)]


def pooled(name: str, tasks: Sequence[Similarity]) -> Similarity:
    """Return the pairs of several tasks as one, each task's ratings divided by its largest."""
    ratings = [rating / max(task.ratings) for task in tasks for rating in task.ratings]
    first, second = ([item for task in tasks for item in getattr(task, column)] for column in ("first", "second"))
    return Similarity(name, tuple(first), tuple(second), tuple(ratings))


def sampled(task: Similarity, count: int) -> Similarity:
    """Return some of the pairs, the same in every run."""
    rows = np.sort(order_of(len(task.first), f"sample {task.name}")[:count])
    groups = None if task.groups is None else in_order(task.groups, rows)
    return Similarity(
        task.name, in_order(task.first, rows), in_order(task.second, rows), in_order(task.ratings, rows), groups
    )
