"""What every task has in common: a function from words or texts to vectors goes in, scores come out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.randomness import RandomSource

Vectors = NDArray[Any]
# Words or texts to vectors, one row each; a row of NaN is one that is not known.
Embed = Callable[[Sequence[str]], Vectors]
# The name of a measure to its value.
Scores = dict[str, float]
Item = TypeVar("Item")


class Task(Protocol):
    """Something that vectors are good for."""

    @property
    def name(self) -> str:
        """Of the data set."""

    @property
    def items(self) -> list[str]:
        """The words or texts whose vectors are asked for, each once."""

    @property
    def chance(self) -> Scores:
        """What vectors that know nothing score."""

    def scores(self, embed: Embed) -> Scores:
        """Return how good the vectors are, by the names of the measures."""

    def shuffled(self, number: int = 0) -> Task:
        """Return the same task with its answers in a random order: scores must fall to chance."""


def of_table(words: Sequence[str], vectors: Vectors) -> Embed:
    """Return the function that looks words up in a table, whatever their case; others are not known."""
    rows = {word: row for row, word in reversed(list(enumerate(words)))}

    def embed(items: Sequence[str]) -> Vectors:
        found = np.array([rows.get(item, rows.get(item.lower(), -1)) for item in items], dtype=np.int64)
        out = np.full((len(found), vectors.shape[1]), np.nan, dtype=np.float64)
        out[found >= 0] = vectors[found[found >= 0]]
        return out

    return embed


def known(vectors: Vectors) -> NDArray[np.bool_]:
    """Return which rows are known."""
    return np.asarray(~np.isnan(vectors).any(axis=-1))


def order_of(count: int, purpose: str) -> NDArray[np.int64]:
    """Return the numbers below `count` in a random order that anyone can repeat."""
    source = RandomSource.keyed(hashlib.sha256(f"textveil task {purpose}".encode()).digest())
    return np.argsort(source.streams(b"order", np.arange(count)).words(1)[:, 0], kind="stable")


def in_order(items: Sequence[Item], order: NDArray[np.int64]) -> tuple[Item, ...]:
    """Return items in this order."""
    return tuple(items[place] for place in order.tolist())


def require_same_length(name: str, **columns: Sequence[Any]) -> None:
    """Refuse columns of different lengths, and empty ones."""
    counts = {column: len(values) for column, values in columns.items()}
    if len(set(counts.values())) != 1 or not all(counts.values()):
        told = ", ".join(f"{count} {column}" for column, count in counts.items())
        raise InvalidInputError(f"the task {name} needs columns of one length, and at least one row (got {told})")
