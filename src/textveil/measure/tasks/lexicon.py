"""Positive or negative words: a linear support vector machine on word vectors (paper 1, section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.tasks.learning import Rows, svm_margins
from textveil.measure.tasks.scores import area_under_roc
from textveil.measure.tasks.task import Embed, Scores, in_order, known, order_of, require_same_length


@dataclass(frozen=True)
class Lexicon:
    """Words of two classes. Unknown words are left out, then the larger class is cut to the size of the other.

    Parameters
    ----------
    name : of the lexicon
    words : each once
    positive : whether a word is
    run : which words are tested, a fifth of them, is drawn anew for each run
    """

    name: str
    words: tuple[str, ...]
    positive: tuple[bool, ...]
    run: int = 0

    def __post_init__(self) -> None:
        require_same_length(self.name, words=self.words, positive=self.positive)

    @property
    def items(self) -> list[str]:
        """The words."""
        return list(self.words)

    @property
    def chance(self) -> Scores:
        """Half."""
        return {"accuracy": 0.5, "AUC": 0.5}

    def scores(self, embed: Embed) -> Scores:
        """Return accuracy and area under the ROC curve on a fifth of the words."""
        vectors = np.asarray(embed(self.words), dtype=np.float64)
        order = order_of(len(self.words), f"{self.name} run {self.run}")
        usable = order[known(vectors)[order]]
        positive = np.asarray(self.positive)
        each = min(int(positive[usable].sum()), int((~positive[usable]).sum()))
        if each < 5:
            raise InvalidInputError(f"{self.name} needs at least 5 known words of each class (got {each})")
        classes = [usable[positive[usable] == one][:each] for one in (True, False)]
        train, test = (np.concatenate(part) for part in zip(*(_parted(rows) for rows in classes), strict=True))
        margins = svm_margins(vectors, positive.astype(np.int64), train, test)
        right = (margins > 0) == positive[test]
        return {
            "accuracy": float(right.mean()),
            "AUC": area_under_roc(margins, positive[test]),
            "words": float(each),
        }

    def shuffled(self, number: int = 0) -> Lexicon:
        """Return the words with the classes in a random order."""
        order = order_of(len(self.words), f"{self.name} shuffled {number}")
        return replace(self, positive=in_order(self.positive, order))


def _parted(rows: Rows) -> tuple[Rows, Rows]:
    """Return four fifths to learn from and a fifth to test on."""
    cut = len(rows) - len(rows) // 5
    return rows[:cut], rows[cut:]
