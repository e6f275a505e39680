"""Odd man out (Stanovsky and Hopkins 2018): the word that does not belong with the others.

The answer is the word without which the others are most alike: their mean cosine is the largest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.tasks.task import Embed, Scores, in_order, known, order_of, require_same_length


@dataclass(frozen=True)
class OddManOut:
    """Puzzles of the same number of words, in each of which one is odd.

    Parameters
    ----------
    name : of the data set
    puzzles : the words of each, the order does not matter
    odd : which place in its puzzle the odd word has
    """

    name: str
    puzzles: tuple[tuple[str, ...], ...]
    odd: tuple[int, ...]

    def __post_init__(self) -> None:
        require_same_length(self.name, puzzles=self.puzzles, odd=self.odd)
        if len({len(puzzle) for puzzle in self.puzzles}) > 1 or len(self.puzzles[0]) < 3:
            raise InvalidInputError(f"the puzzles of {self.name} must have the same number of words, at least 3")

    @property
    def items(self) -> list[str]:
        """The words."""
        return list(dict.fromkeys(word for puzzle in self.puzzles for word in puzzle))

    @property
    def chance(self) -> Scores:
        """That of a guess, of a puzzle whose words are all known."""
        return {"accuracy": 1 / len(self.puzzles[0])}

    def scores(self, embed: Embed) -> Scores:
        """Return the share solved of the puzzles whose words are all known, of all puzzles, and how many are known."""
        places = {word: row for row, word in enumerate(self.items)}
        vectors = np.asarray(embed(self.items), dtype=np.float64)
        rows = np.array([[places[word] for word in puzzle] for puzzle in self.puzzles])
        whole = known(vectors)[rows].all(axis=1)
        if not whole.any():
            return {"accuracy": 0.0, "of all": 0.0, "known": 0.0}
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        units = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)[rows[whole]]
        cosines = np.einsum("pid,pjd->pij", units, units)
        # What is left without word i: all pairs less those of i.
        left = cosines.sum(axis=(1, 2))[:, None] - 2 * cosines.sum(axis=2) + np.einsum("pii->pi", cosines)
        left -= np.einsum("pii->p", cosines)[:, None] - np.einsum("pii->pi", cosines)
        right = left.argmax(axis=1) == np.asarray(self.odd)[whole]
        solved = float(right.sum()) / len(self.puzzles)
        return {"accuracy": float(right.mean()), "of all": solved, "known": float(whole.mean())}

    def shuffled(self, number: int = 0) -> OddManOut:
        """Return the puzzles with any of their words called the odd one."""
        size = len(self.puzzles[0])
        order = order_of(len(self.puzzles), f"{self.name} {number}") % size
        return replace(self, odd=in_order(tuple(range(size)), order))
