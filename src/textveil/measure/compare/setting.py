"""What is public about a vocabulary that a comparison needs: words to look at, their neighbours, the radius."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.errors import InvalidInputError
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_WORDS_A_BLOCK = 16
_LEAST_WORDS = 8
# Mandelbrot's shift, about that of English.
_ZIPF_SHIFT = 2.7


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Parameters
    ----------
    words : released words, evenly spread over the vocabulary
    repeats : releases of each
    pairs : words whose whole law is looked at, with that of their nearest neighbour
    rates : strengths of laws that are computed
    """

    words: int = 2000
    repeats: int = 4
    pairs: int = 256
    rates: int = 24

    def as_dict(self) -> dict[str, int]:
        """Return the sizes as plain values."""
        return {"words": self.words, "repeats": self.repeats, "pairs": self.pairs, "rates": self.rates}


QUICK = Sizes(words=500, repeats=2, pairs=64, rates=16)


@dataclass(frozen=True)
class Setting:
    """A vocabulary with what is measured in it.

    Parameters
    ----------
    vocabulary : public
    sizes : how much is measured
    sample : the words that are released
    paired, neighbours : words, and the nearest other word of each at a distance above 0
    radius : the public radius: the median distance of those two
    farthest : the largest distance of those words to any word
    usual : the mean distance of those words to all words
    reach : the largest distance of the unknown word to any word
    """

    vocabulary: Vocabulary
    sizes: Sizes
    sample: Ids
    paired: Ids
    neighbours: Ids
    radius: float
    farthest: float
    usual: float
    reach: float

    @classmethod
    def of(cls, vocabulary: Vocabulary, sizes: Sizes) -> Setting:
        """Look at the distances of some words to all."""
        if len(vocabulary) < _LEAST_WORDS:
            raise InvalidInputError(f"a comparison needs at least {_LEAST_WORDS} words (got {len(vocabulary)})")
        paired = spread_over(len(vocabulary), sizes.pairs)

        def look(ids: Ids) -> tuple[Ids, Floats, float, Floats]:
            away = distances_to_all(vocabulary, ids)
            others = np.where(away > 0, away, np.inf)
            nearest = others.argmin(axis=1)
            return nearest, others[np.arange(len(ids)), nearest], float(away.max()), away.mean(axis=1)

        found = list(over_threads(look, blocks(paired)))
        neighbours, near, farthest, means = (list(part) for part in zip(*found, strict=True))
        radius = float(np.median(np.concatenate(near)))
        if not np.isfinite(radius):
            raise InvalidInputError("a comparison needs words at different points; all words here have the same")
        return cls(
            vocabulary=vocabulary,
            sizes=sizes,
            sample=spread_over(len(vocabulary), sizes.words),
            paired=paired,
            neighbours=np.concatenate(neighbours),
            radius=radius,
            farthest=max(farthest),
            usual=float(np.concatenate(means).mean()),
            reach=float(distances_to_all(vocabulary, np.array([vocabulary.unknown_id])).max()),
        )

    @cached_property
    def frequencies(self) -> Floats:
        """How often words are met in running text by Zipf's law, if the table is in the order of frequency."""
        chances = 1 / (np.arange(len(self.vocabulary)) + _ZIPF_SHIFT)
        return np.asarray(chances / chances.sum())

    @cached_property
    def running(self) -> Ids:
        """Words of running text: as many as `sample`, evenly spread over its law."""
        places = (np.arange(len(self.sample)) + 0.5) / len(self.sample)
        return np.searchsorted(np.cumsum(self.frequencies), places)

    def bound(self, loss: float) -> float:
        """Return what no attack names of equally likely words, if none loses more than this beside the unknown word."""
        return math.exp(min(0.0, loss - math.log(len(self.vocabulary))))

    def subject(self) -> dict[str, Any]:
        """Say what is measured, for the cache."""
        return {"vocabulary": self.vocabulary.digest, "sizes": self.sizes.as_dict()}


def spread_over(count: int, some: int) -> Ids:
    """Return numbers below `count`, evenly spaced; all of them if there are not so many."""
    return np.unique(np.linspace(0, count - 1, min(some, count)).astype(np.int64))


def blocks(ids: Ids) -> list[Ids]:
    """Cut ids into blocks whose distances to all words fit into memory."""
    return [ids[start : start + _WORDS_A_BLOCK] for start in range(0, len(ids), _WORDS_A_BLOCK)]


def ladder(radius: float, *, least: float = 0.5, most: float = 150.0) -> list[float]:
    """Return round epsilons per unit of distance whose losses at the radius reach from least to most."""
    rungs = [step * 10.0**power for power in range(-12, 13) for step in (1, 1.5, 2, 3, 5, 7)]
    return [float(f"{rung:.2g}") for rung in rungs if least <= rung * radius <= most]
