"""The law that keeps the most words at a given loss (T9, T15)."""

from __future__ import annotations

from textveil.mechanisms.exponential.law import Law
from textveil.vocabulary import Vocabulary

MOST_WORDS = 30_000


def tight_law(vocabulary: Vocabulary, epsilon: float, radius: float) -> Law:
    raise NotImplementedError
