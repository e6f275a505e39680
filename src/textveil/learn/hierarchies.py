"""A file of relations, read whatever its kind, and the vocabulary that its embedding becomes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.learn.relation_files import read_table
from textveil.learn.relations import Relations, filtered
from textveil.learn.wordnet import is_wordnet, read_wordnet
from textveil.spaces import Poincare
from textveil.text.protection import STOP_WORDS
from textveil.vocabulary import Vocabulary

# Words in order of their frequency in English, so that a vocabulary can be cut to the most frequent ones.
_FREQUENT = 300_000
_ROOT = "entity"


@dataclass(frozen=True)
class Hierarchy:
    """Relations, and which node stands for each word; None where nodes are words themselves."""

    relations: Relations
    meanings: dict[str, str] | None = None

    def vocabulary(self, points: NDArray[np.float64]) -> Vocabulary:
        """Return the words with the points of their nodes.

        Of WordNet: the words of ASCII letters, the most frequent (in GloVe 6B) first, each with the point of its
        first meaning, so that synonyms share a point; unknown words enter as "entity", which lies above all. Stop
        words are left out: as nouns they mean something else ("he" is helium). Of other relations: all names; unknown
        words enter as the most general one.
        """
        space = Poincare(points.shape[1])
        if self.meanings is None:
            return Vocabulary(self.relations.names, points, self._most_general(points), space=space)
        number = {name: i for i, name in enumerate(self.relations.names)}
        rank = {word: i for i, word in enumerate(Vocabulary.default(_FREQUENT).words)}
        words = sorted(
            (word for word, node in self.meanings.items() if node in number and _in_texts(word)),
            key=lambda word: (rank.get(word, _FREQUENT), word),
        )
        rows = [number[self.meanings[word]] for word in words]
        return Vocabulary(words, points[rows], _ROOT if _ROOT in words else None, space=space)

    def _most_general(self, points: NDArray[np.float64]) -> str:
        """Return the name that lies above most others; of several the one nearest to the centre."""
        below = np.diff(self.relations.below[0])
        first: int = np.lexsort([np.linalg.norm(points, axis=1), -below])[0]
        return self.relations.names[first]


def _in_texts(word: str) -> bool:
    return word.isascii() and word.isalpha() and word not in STOP_WORDS


def read_hierarchy(
    path: Path,
    *,
    closure: bool | None = None,
    cycles: bool = False,
    minimum_count: int = 1,
    minimum_links: int = 1,
    within: Collection[str] | None = None,
    without: Collection[str] = (),
) -> Hierarchy:
    """Read WordNet's files or a table of relations; see `relations.filtered` for the filters.

    Parameters
    ----------
    closure
        Add what follows from the relations; by default unless they are counted ones.
    cycles
        Keep relations that go round in a circle.
    """
    if is_wordnet(path):
        words = read_wordnet(path)
        return Hierarchy(Relations.of_pairs(words.pairs, closure=closure is not False), words.first_meaning)
    table = read_table(path)
    pairs = filtered(
        table.rows, minimum_count=minimum_count, minimum_links=minimum_links, within=within, without=without
    )
    close = not table.counted if closure is None else closure
    try:
        return Hierarchy(Relations.of_pairs(pairs, closure=close, cycles=cycles))
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {error}") from None
