"""A word that comes back as its own vector: one sample can be enough to show that a promise is broken.

Let y be any word, and draw w evenly from p words. Where a promise is kept, w comes back as its own vector with chance
at most e^loss(w, y) P[vector of w | y] + delta, and over all w these chances of y sum to 1. So it happens with
probability at most e^loss / p + delta for the largest loss; if that is next to nothing and it happens, the promise
is broken. Proof: docs/auditing-by-sampling.md.
"""

from __future__ import annotations

import math

import numpy as np

from textveil.auditing.goodness import binomial
from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.guarantees import Guarantee
from textveil.mechanisms.word_vector import WordVectorMechanism
from textveil.noise.transforms import below
from textveil.randomness import RandomSource
from textveil.vocabulary.pairs import distances_to_all

_LARGEST_LOSS = 700.0
_WORDS = 16


def returned_finding(
    mechanism: WordVectorMechanism,
    claim: Guarantee,
    *,
    alpha: float,
    words: int = _WORDS,
    source: RandomSource | None = None,
) -> Finding:
    """Release words drawn at random, once each, and see whether they come back exactly.

    A claim for the edges of a graph is read as one for all pairs of words: a word without edges would be protected from
    no other.

    Parameters
    ----------
    mechanism : releases words as vectors
    claim : the promise
    alpha : the chance that a promise that is kept is called violated
    words : how many words to draw
    source : where the words and the noise come from
    """
    vocabulary = mechanism.vocabulary
    source = RandomSource.given(source)
    ids = below(source.streams(b"words to audit", np.arange(words)), len(vocabulary))
    drawn = vocabulary.words_of(ids)
    outputs = np.asarray(mechanism.release(drawn, source=source))
    same = (outputs == vocabulary.points[ids]).all(axis=1)
    chance = _most_likely(mechanism, claim)
    hits = int(same.sum())
    caught = chance < 1 and binomial(hits, words, chance).larger <= alpha
    first = drawn[int(same.argmax())] if hits else ""
    told = f"{hits} of {words} words drawn at random came back as their own vectors, without noise"
    return Finding(
        name="words that come back exactly",
        method=Method.DISTRIBUTION,
        verdict=Verdict.VIOLATED if caught else Verdict.NOT_CERTIFIABLE,
        explanation=f"{told}; a promise for all words allows one at most in {1 / chance:.3g} draws."
        if chance < 1
        else f"{told}, which the promise does not limit for a vocabulary of {len(vocabulary):,} words.",
        bound=math.inf if caught else math.nan,
        witness=Witness(pair=(first, vocabulary.unknown), event="the output is the word's own vector")
        if caught
        else None,
        samples=words,
        alpha=alpha,
    )


def _most_likely(mechanism: WordVectorMechanism, claim: Guarantee) -> float:
    """Bound the chance that a random word comes back exactly, by what is promised between it and the unknown word."""
    vocabulary = mechanism.vocabulary
    _, sharing = np.unique(vocabulary.points, axis=0, return_counts=True)
    away = distances_to_all(vocabulary, np.array([vocabulary.unknown_id]))[0]
    losses = np.array([claim.loss(float(far)) for far in away])
    deltas = np.array([claim.delta_at(float(far)) for far in away])
    covered = np.isfinite(losses)
    most = math.exp(min(float(losses[covered].max()), _LARGEST_LOSS)) * int(sharing.max()) / len(vocabulary)
    return float(min(1.0, most + deltas[covered].max() + 1 - covered.mean()))
