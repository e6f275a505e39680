"""Figure 2: what released words are worth in four tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from textveil.measure.tasks import Averages, Classification, Embed, OddManOut, Similarity, Task, of_table, tokens_of
from textveil.measure.tasks.classification import first_rows
from textveil.measure.tasks.folder import puzzles, sts_benchmark, texts_of, word_pairs
from textveil.measure.tasks.similarity import pooled
from textveil.reproduce.nadp.mechanisms import Ids, Releasing
from textveil.vocabulary import Vocabulary

PAIRS = ("men3000", "simlex999", "simverb3500")
REVIEWS = ("mr", "cr", "mpqa")
WORDS, SENTENCES, CLASSES, PUZZLES, MEN = "word similarity", "STS-B", "text classification", "odd man out", "MEN"


@dataclass(frozen=True)
class Tasks:
    """The tasks of Figure 2, with the words that they need.

    Parameters
    ----------
    vocabulary : the words that there are
    pairs : word similarity, one of each set
    sentences : STS-B
    reviews : MR, CR and MPQA
    odd : odd man out
    """

    vocabulary: Vocabulary
    pairs: tuple[Similarity, ...]
    sentences: Similarity
    reviews: tuple[Classification, ...]
    odd: OddManOut

    @classmethod
    def of(cls, data: Path, vocabulary: Vocabulary, rows: int) -> Tasks:
        """Read them; of each set of reviews some rows."""
        return cls(
            vocabulary,
            tuple(word_pairs(name, data) for name in PAIRS),
            sts_benchmark(data),
            tuple(first_rows(texts_of(name, data), rows) for name in REVIEWS),
            puzzles(data),
        )

    @cached_property
    def ids(self) -> Ids:
        """The words of the vocabulary that any of the tasks asks for."""
        tasks: list[Task] = [*self.pairs, self.sentences, *self.reviews, self.odd]
        asked = {token for task in tasks for item in task.items for token in (item.lower(), *tokens_of(item))}
        return np.array([row for row, word in enumerate(self.vocabulary.words) if word in asked], dtype=np.int64)

    @cached_property
    def words(self) -> list[str]:
        """The same as words."""
        return self.vocabulary.words_of(self.ids)

    @cached_property
    def _averages(self) -> Averages:
        return Averages(self.words)

    def scores(self, vectors: Any) -> dict[str, float]:
        """Return the score of each task, from one vector for each of `words`."""
        of_words, of_texts = of_table(self.words, vectors), self._averages.of(vectors)
        return {
            WORDS: pooled("words", self.pairs).scores(of_words)["spearman"],
            MEN: self.pairs[0].scores(of_words)["spearman"],
            SENTENCES: _official(self.sentences, of_texts),
            CLASSES: float(np.mean([task.scores(of_texts)["accuracy"] for task in self.reviews])),
            PUZZLES: self.odd.scores(of_words)["accuracy"],
        }

    def shuffled(self) -> Tasks:
        """Return the tasks with their answers in a random order."""
        return Tasks(
            self.vocabulary,
            tuple(task.shuffled() for task in self.pairs),
            self.sentences.shuffled(),
            tuple(task.shuffled() for task in self.reviews),
            self.odd.shuffled(),
        )

    def chance(self) -> dict[str, float]:
        """Return what vectors that know nothing score."""
        classes = float(np.mean([task.chance["accuracy"] for task in self.reviews]))
        return {WORDS: 0.0, MEN: 0.0, SENTENCES: 0.0, CLASSES: classes, PUZZLES: self.odd.chance["accuracy"]}


def released_scores(tasks: Tasks, release: Releasing, runs: int) -> list[dict[str, float]]:
    """Return the scores of words that were released once each, for some runs."""
    return [tasks.scores(vectors) for vectors in release(tasks.ids, runs)]


def _official(task: Similarity, embed: Embed) -> float:
    """Return the geometric mean of Spearman's and Pearson's correlation, as the paper has it; 0 if one is below 0."""
    found = task.scores(embed)
    return math.sqrt(max(0.0, found["spearman"]) * max(0.0, found["pearson"]))
