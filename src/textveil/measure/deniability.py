"""Plausible deniability: how many words might as well have been the one that was written.

    PD_g(w, y)  =  #{w' : 1/g <= P[y | w] / P[y | w'] <= g}

counts the words, the true one among them, under which an output is as likely up to a factor g. A guarantee of
epsilon x distance promises at least #{w' : d(w, w') <= ln g / epsilon} of them, for every output. Proof:
docs/measuring.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.errors import InvalidInputError, require_count
from textveil.guarantees import Guarantee, Pairs
from textveil.measure.passes import KnownLaw, blocks_of
from textveil.mechanisms.words import WordMechanism
from textveil.progress import progress
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
Made = TypeVar("Made", bound=WordMechanism)

# Chances are quotients in float64: what is equal to a boundary counts as within it, and an epsilon stays below it.
ROUNDING = 1e-12


def deniability(mechanism: KnownLaw, word: str, output: str, *, factor: float = 2.0) -> int:
    """Return how many words give this output with a chance within a factor of that of `word`, itself among them."""
    vocabulary, factor = mechanism.vocabulary, checked_factor(factor)
    own, seen = (int(number) for number in vocabulary.ids([word, output]))
    chance = float(mechanism.transition_rows(np.array([own]))[0, seen])
    if chance == 0:
        raise InvalidInputError(f"{output!r} never comes out for {word!r}: there is nothing to deny")
    count = 0
    for ids in blocks_of(np.arange(len(vocabulary)), len(vocabulary)):
        others = mechanism.transition_rows(ids)[:, seen]
        count += int(within_factor(others, chance, factor).sum())
    return count


def within_factor(others: Floats, chance: float, factor: float) -> NDArray[np.bool_]:
    """Return which chances are within a factor of this one."""
    low, high = range_around(np.array(chance), factor)
    return (low <= others) & (others <= high)


def range_around(chances: Floats, factor: float) -> tuple[Floats, Floats]:
    """Return the least and the largest chance within a factor of each."""
    wide = factor * (1 + ROUNDING)
    return chances / wide, chances * wide


def protected_distance(guarantee: Guarantee, factor: float) -> float:
    """Return the distance up to which the guarantee keeps every output as likely within a factor; inf for any."""
    # Attacks count with the statistics, which need this file.
    from textveil.measure.attacks.bayes import is_pointwise

    if not is_pointwise(guarantee):
        raise InvalidInputError(
            "plausible deniability is about every single output, so the guarantee must have delta = 0 and no slack "
            f"and must not be refuted (got delta {guarantee.delta:g}, slack {guarantee.slack:g}, {guarantee.status}): "
            "use Exponential"
        )
    allowed, relation = math.log(checked_factor(factor)), guarantee.relation
    if relation.pairs is Pairs.EDGES:
        return 0.0
    if guarantee.loss(math.inf) <= allowed:
        return math.inf
    if relation.pairs is not Pairs.METRIC:
        return (relation.radius or 0.0) if relation.pairs is Pairs.WITHIN and guarantee.epsilon <= allowed else 0.0
    return max(0.0, (allowed - guarantee.offset) / guarantee.epsilon - relation.rounding)


def promised(guarantee: Guarantee, vocabulary: Vocabulary, ids: Ids, *, factor: float) -> Ids:
    """Return for each word how many words the guarantee alone makes as plausible, whatever comes out."""
    reach = protected_distance(guarantee, factor)
    counts = [(distances_to_all(vocabulary, block) <= reach).sum(axis=1) for block in blocks_of(ids, len(vocabulary))]
    return np.concatenate(counts).astype(np.int64) if counts else np.empty(0, np.int64)


def distance_to_nearest(vocabulary: Vocabulary, rank: int) -> Floats:
    """Return the distance within which each word has `rank` words, itself counted."""

    def work(ids: Ids) -> Floats:
        nearest: Floats = np.partition(distances_to_all(vocabulary, ids), rank - 1, axis=1)[:, rank - 1]
        return nearest

    blocks = blocks_of(np.arange(len(vocabulary)), len(vocabulary))
    found = []
    with progress("neighbours", len(blocks)) as step:
        for part in over_threads(work, blocks):
            found.append(part)
            step()
    return np.concatenate(found)


def deniable(
    make: Callable[[float], Made], vocabulary: Vocabulary, *, words: float, factor: float = 2.0, share: float = 1.0
) -> Made:
    """Return the mechanism with the largest epsilon whose guarantee alone makes enough words plausible.

    Parameters
    ----------
    make : makes the mechanism from an epsilon
    vocabulary : that of the mechanism
    words : how many words, the true one among them, must be as plausible whatever comes out
    factor : within which factor
    share : for which share of the words of the vocabulary; 1 for every word
    """
    rank = require_count("the number of plausible words", words, least=2)  # type: ignore[arg-type]
    if rank > len(vocabulary):
        raise InvalidInputError(
            f"the vocabulary has {len(vocabulary)} words, so {rank} can't be plausible; ask for fewer"
        )
    if not 0 < share <= 1:
        raise InvalidInputError(f"share must be above 0 and at most 1 (got {share!r})")
    allowed = math.log(checked_factor(factor))
    reach = float(np.sort(distance_to_nearest(vocabulary, rank))[math.ceil(share * len(vocabulary)) - 1])
    if reach == 0:
        raise InvalidInputError(
            f"{rank} words share one point for this share of words, so any epsilon does; ask for more words"
        )
    made = make(allowed / reach * (1 - ROUNDING))
    cut = made.guarantee.relation.radius
    if cut is not None and cut < reach and made.guarantee.relation.pairs is Pairs.METRIC:
        # Beyond its radius the loss does not grow, so that all words are plausible at once.
        reach = cut
        made = make(allowed / reach * (1 - ROUNDING))
    if protected_distance(made.guarantee, factor) < reach:
        raise InvalidInputError(
            f"no epsilon of this mechanism keeps words at distance {reach:.4g} within a factor {factor:g}; "
            "use Exponential"
        )
    return made


def checked_factor(factor: float) -> float:
    """Return a factor above 1."""
    if not 1 < factor < math.inf:
        raise InvalidInputError(f"factor must be a finite number > 1 (got {factor!r})")
    return float(factor)
