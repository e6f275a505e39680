"""Attacks on released words that are carried out, for mechanisms whose law can't be read.

The static attacker takes every word as it is. The adaptive one has the mechanism, releases words of its own and
remembers which word each output came from most often; what it has never seen it takes as it is. Neither can do better
than the best attack (`best_attack`), so what they find is a lower limit of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.measure.passes import checked_prior
from textveil.measure.statistics.sampled import clopper_pearson
from textveil.mechanisms.words import WordMechanism
from textveil.noise.transforms import uniforms
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Guesses:
    """How many guesses were right, of how many."""

    right: int
    made: int

    @property
    def success(self) -> float:
        """The share that was right."""
        return self.right / self.made

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the Clopper-Pearson interval of the chance to be right."""
        low, high = clopper_pearson(np.array(self.right), self.made, 1 - confidence)
        return float(low), float(high)


def static_attack(words: Ids, released: Ids) -> Guesses:
    """Count how often the word that came out is the word that went in."""
    if np.shape(words) != np.shape(released) or np.size(words) == 0:
        raise InvalidInputError(f"words and released must be as many, at least one (got {np.size(words)})")
    return Guesses(int(np.sum(np.asarray(words) == np.asarray(released))), int(np.size(words)))


def adaptive_attack(
    mechanism: WordMechanism,
    *,
    prior: Floats | None = None,
    trained_on: int = 100_000,
    tested_on: int = 20_000,
    source: RandomSource | None = None,
) -> Guesses:
    """Carry out the attack that learns from releases.

    Parameters
    ----------
    mechanism : takes words of a public vocabulary
    prior : how likely each word is; all the same if left out
    trained_on, tested_on : releases that the attacker makes, and releases that it is asked about
    source : where the words that are released and the noise come from
    """
    random = RandomSource.given(source)
    chances = checked_prior(prior, len(mechanism.vocabulary))
    learnt = require_count("trained_on", trained_on)
    # All at once: a keyed source would repeat its noise in a second call.
    words = _drawn(chances, learnt + require_count("tested_on", tested_on), random)
    released = mechanism.release_ids(words, source=random)
    guess = _commonest_origins(words[:learnt], released[:learnt], len(chances))
    return static_attack(words[learnt:], guess[released[learnt:]])


def _drawn(chances: Floats, count: int, source: RandomSource) -> Ids:
    numbers = uniforms(source.streams(b"words of an attack", np.arange(count)).words(1))[:, 0]
    total = np.cumsum(chances)
    return np.asarray(np.minimum(np.searchsorted(total, numbers * total[-1], side="right"), len(chances) - 1))


def _commonest_origins(words: Ids, released: Ids, count: int) -> Ids:
    """Return for every output the word that it came from most often; the output itself if it never came."""
    guess = np.arange(count)
    pairs, often = np.unique(released * count + words, return_counts=True)
    # The last of each output wins: the commonest, and of equally common ones the lowest word.
    order = np.lexsort((-(pairs % count), often, pairs // count))
    guess[pairs[order] // count] = pairs[order] % count
    return guess
