"""The privacy statistics of a word mechanism: exact where its law is known, from runs where it is not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.measure.attacks import Attack, bound_of, is_pointwise
from textveil.measure.deniability import checked_factor, promised
from textveil.measure.passes import KnownLaw, checked_prior
from textveil.measure.statistics.known import known_statistics
from textveil.measure.statistics.report import Statistics
from textveil.measure.statistics.sampled import sampled_statistics
from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]

_WORDS = 200


def statistics(
    mechanism: WordMechanism,
    words: Iterable[str] | None = None,
    *,
    runs: int = 1000,
    factor: float = 2.0,
    prior: Floats | None = None,
    confidence: float = 0.95,
    source: RandomSource | None = None,
) -> Statistics:
    """Measure what a mechanism does to words: how often they stay, how many others they hide among.

    Nothing here is private: the words are questions about the mechanism.

    Parameters
    ----------
    mechanism : takes words of a vocabulary
    words : which words to measure; by default 200 of the vocabulary, evenly spread over it
    runs : releases of each word that S_w and K_w are about, and that are made where the law is not known
    factor : within which two chances count as alike, for plausible deniability
    prior : for the best attack, what is known of each word of the vocabulary before; all the same if left out
    confidence : of the intervals, for each word and statistic by itself, where the law is not known
    source : of the runs; by default fresh noise from the operating system
    """
    if not isinstance(mechanism, WordMechanism):
        raise InvalidInputError("statistics needs a mechanism that releases words, such as Exponential or NearestWord")
    runs, factor = require_count("runs", runs, least=2), checked_factor(factor)
    if not 0 < confidence < 1:
        raise InvalidInputError(f"confidence must be between 0 and 1 (got {confidence!r})")
    vocabulary = mechanism.vocabulary
    if words is None:
        ids = np.linspace(0, len(vocabulary) - 1, min(_WORDS, len(vocabulary))).astype(np.int64)
    else:
        ids = vocabulary.ids(words)
    if len(ids) == 0:
        raise InvalidInputError("give at least one word to measure")
    chances = checked_prior(prior, len(vocabulary))
    if isinstance(mechanism, KnownLaw):
        columns, success = known_statistics(mechanism, ids, runs=runs, factor=factor, prior=chances)
    else:
        columns, success = sampled_statistics(mechanism, ids, runs=runs, confidence=confidence, source=source), None
    guarantee = mechanism.guarantee
    if is_pointwise(guarantee):
        columns["promised"] = promised(guarantee, vocabulary, ids, factor=factor).astype(np.float64)
    return Statistics(
        words=tuple(vocabulary.words_of(ids)),
        columns=columns,
        mechanism=type(mechanism).__name__,
        epsilon=guarantee.epsilon,
        vocabulary=len(vocabulary),
        exact=success is not None,
        runs=runs,
        factor=factor,
        confidence=confidence,
        attack=Attack(float(chances.max()), success, bound_of(mechanism, chances)),
    )
