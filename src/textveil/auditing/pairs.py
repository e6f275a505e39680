"""Public pairs of inputs on which a broken promise is likely to show: opposite, near, alone, unknown.

A loss of one or two nats is the easiest to test, so pairs of a metric promise are about that far apart, if they can be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.metrics import DIVIDED, norm_of
from textveil.auditing.words_apart import word_pairs
from textveil.encoders import DocumentEmbedder, TextEmbedder
from textveil.encoders.rewritten_words import RewrittenWords
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.adept import Adept
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.directions import Directions
from textveil.mechanisms.document_means import AveragedPrivUnit, GaussianMean, TruncatedMean
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.public_response import PublicResponse
from textveil.mechanisms.sentence_responses import SentenceResponses
from textveil.mechanisms.vectors import AdditiveMechanism
from textveil.mechanisms.word_vector import WordVector, WordVectorMechanism
from textveil.mechanisms.words import WordMechanism
from textveil.spaces.hyperbolic import Polar, distance
from textveil.text import TextRewriter
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Pair = tuple[Any, Any, float | None]

_SENTENCES = 3
_UTTERANCES = ("the weather is fine today", "she has been ill for a year")


def distance_between(claim: Guarantee, x: Any, y: Any) -> float:
    """Return the distance of two inputs as the claim counts it; inf where every pair has the same promise.

    A metric is known by its name: Euclidean, l1 or hyperbolic distance, of vectors divided by their lengths or not.
    """
    if claim.relation.pairs in (Pairs.ANY, Pairs.EDGES):
        return math.inf
    metric = claim.relation.metric
    try:
        a, b = (np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in (x, y))
        norm = norm_of(metric.removesuffix(DIVIDED))
        if metric.endswith(DIVIDED):
            a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        if norm == "Euclidean":
            return float(np.linalg.norm(a - b))
        if norm == "l1":
            return float(np.abs(a - b).sum())
        if norm == "hyperbolic":
            return float(distance(Polar.of_ball(a), Polar.of_ball(b))[0])
    except (TypeError, ValueError):
        pass
    raise InvalidInputError(
        f"how far apart the two inputs are in {metric or 'the metric of the claim'!r} is not known: "
        "give pairs=[(x, y, distance)]"
    )


@singledispatch
def pairs_for(mechanism: Any) -> list[Pair]:
    """Return pairs of public inputs for a mechanism, with their distances; none for a kind that is not known."""
    return []


@pairs_for.register
def _additive(mechanism: AdditiveMechanism) -> list[Pair]:
    claim = mechanism.guarantee
    if claim.relation.pairs is Pairs.WITHIN:
        apart = [claim.relation.radius or 0.0]
    else:
        apart = [2 / claim.epsilon, 0.5 / claim.epsilon]
    step = mechanism.lattice.step
    pairs = [(half, -half) for far in apart for half in _halves(mechanism.dimension, far)]
    # Towards zero and on the lattice: no pair is farther apart than it should be, or rounded.
    snapped = [(np.trunc(x / step) * step, np.trunc(y / step) * step) for x, y in pairs]
    return [(x, y, distance_between(claim, x, y)) for x, y in snapped]


@pairs_for.register
def _laplace(mechanism: Laplace) -> list[Pair]:
    return _units(mechanism) if mechanism.normalise else _additive(mechanism)


@pairs_for.register
def _clipped(mechanism: ClippedLaplace) -> list[Pair]:
    return _in_ball(mechanism.dimension, mechanism.clip)


@pairs_for.register
def _privunit(mechanism: PrivUnit) -> list[Pair]:
    return _units(mechanism) if mechanism.domain == "sphere" else _in_ball(mechanism.dimension, mechanism.clip)


@pairs_for.register
def _directed(mechanism: Directions) -> list[Pair]:
    return _units(mechanism) if mechanism.dimension > 1 else []


@pairs_for.register
def _hyperbolic(mechanism: HyperbolicLaplace) -> list[Pair]:
    far = 2 / mechanism.epsilon
    axis = np.eye(mechanism.dimension)[0]
    places = [(0.3, 0.0), (math.tanh(far / 4), -math.tanh(far / 4)), (math.tanh(0.5), math.tanh(0.5 + far / 2))]
    if mechanism.variant == "published":
        places.append((0.9, -0.9))
    return [(a * axis, b * axis, distance_between(mechanism.guarantee, a * axis, b * axis)) for a, b in places]


@pairs_for.register
def _mahalanobis(mechanism: Mahalanobis) -> list[Pair]:
    values, vectors = np.linalg.eigh(mechanism.matrix)
    # Along the narrowest and the widest axis of the noise, a Mahalanobis distance of 2 / epsilon apart.
    ends = (vectors[:, at] * math.sqrt(values[at]) / mechanism.epsilon for at in (0, -1))
    return [(end, -end, 2 / mechanism.epsilon) for end in ends]


@pairs_for.register
def _projected(mechanism: PrivEmb) -> list[Pair]:
    if mechanism.takes_sparse:
        _, _, ways = np.linalg.svd(mechanism.chosen.matrix, full_matrices=False)
        halves = [ways[0] / mechanism.epsilon, *_halves(mechanism.dimension, 2 / mechanism.epsilon)]
        return [(half, -half, float(np.linalg.norm(2 * half))) for half in halves]
    table = np.asarray(mechanism.public if isinstance(mechanism.public, np.ndarray) else mechanism.public.points)  # type: ignore[union-attr]
    rows = table.astype(np.float64)
    away = np.linalg.norm(rows - rows[0], axis=1)
    far, near = int(away.argmax()), int(np.where(away > 0, away, np.inf).argmin())
    return [(rows[0], rows[other], float(away[other])) for other in (near, far)]


@pairs_for.register(WordMechanism)
@pairs_for.register(WordVectorMechanism)
def _words(mechanism: WordMechanism | WordVectorMechanism) -> list[Pair]:
    claim = mechanism.guarantee
    return [pair for pair in word_pairs(mechanism.vocabulary) if math.isfinite(claim.loss(pair[2]))]


@pairs_for.register
def _word_vectors(mechanism: WordVector) -> list[Pair]:
    """Return words, as far apart as the promise for their vectors counts, which need not be as in the vocabulary."""
    vocabulary = mechanism.vocabulary
    pairs = ((x, y, *vocabulary.points[vocabulary.ids([x, y])]) for x, y, _ in word_pairs(vocabulary))
    return _promised(mechanism.guarantee, pairs)


@pairs_for.register
def _texts(mechanism: TextRewriter) -> list[Pair]:
    """Return texts that differ in one word, which a word of the table stands beside."""
    vocabulary = mechanism.mechanism.vocabulary
    beside = vocabulary.words[0]
    return [(f"{x} {beside}", f"{y} {beside}", apart) for x, y, apart in _plain_words(vocabulary)]


@pairs_for.register
def _responses(mechanism: PublicResponse) -> list[Pair]:
    vectors = mechanism.candidates.vectors.astype(np.float64)
    far = int(np.linalg.norm(vectors - vectors[0], axis=1).argmax())
    return [(vectors[0], vectors[far], math.inf), (vectors[0], -vectors[0], math.inf)]


@pairs_for.register
def _documents(mechanism: DeepCandidate | SentenceResponses) -> list[Pair]:
    """Return documents of one sentence, said again and again, that differ in one place or in all the text."""
    vectors = mechanism.candidates.vectors.astype(np.float64)
    far = vectors[int(np.linalg.norm(vectors - vectors[0], axis=1).argmax())]
    return [_one_replaced(vectors[0], vectors[0], far, 1), _one_replaced(vectors[0], vectors[0], far, _SENTENCES)]


@pairs_for.register
def _mean_in_box(mechanism: TruncatedMean) -> list[Pair]:
    low, high = mechanism.lower, mechanism.upper
    return [_one_replaced((low + high) / 2, low, high, count) for count in (1, _SENTENCES)]


@pairs_for.register
def _mean_in_ball(mechanism: GaussianMean | AveragedPrivUnit) -> list[Pair]:
    axis = np.eye(mechanism.dimension)[0] * mechanism.clip
    return [_one_replaced(axis, axis, -axis, count) for count in (1, _SENTENCES)]


@pairs_for.register
def _rewritten(mechanism: RewrittenWords) -> list[Pair]:
    return _texts(mechanism.rewriter)


@pairs_for.register
def _utterances(mechanism: Adept | DocumentEmbedder) -> list[Pair]:
    """Return two texts; what is promised must not depend on them."""
    return [(*_UTTERANCES, math.inf)] if mechanism.guarantee.relation.pairs is Pairs.ANY else []


@pairs_for.register
def _embedded(mechanism: TextEmbedder) -> list[Pair]:
    """Return texts, as far apart as their vectors are once these are rounded."""
    noise, vocabulary = mechanism.mechanism, getattr(mechanism.encoder, "vocabulary", None)
    texts = [_UTTERANCES] if vocabulary is None else [(x, y) for x, y, _ in _plain_words(vocabulary)]
    if mechanism.guarantee.relation.pairs is Pairs.ANY:
        return [(x, y, math.inf) for x, y in texts]
    if not isinstance(noise, AdditiveMechanism) or not noise.is_euclidean:
        return []
    vectors = (noise.lattice.to_vectors(noise.lattice.snap(mechanism._check(pair))) for pair in texts)
    apart = _promised(noise.guarantee, ((x, y, *rows) for (x, y), rows in zip(texts, vectors, strict=True)))
    return [pair for pair in apart if pair[2]]


def _plain_words(vocabulary: Vocabulary) -> list[Pair]:
    """Return pairs of words that a text is split into as they are."""
    return [pair for pair in word_pairs(vocabulary) if all(word.isascii() and word.isalnum() for word in pair[:2])]


def _halves(dimension: int, far: float) -> list[Floats]:
    """Return vectors of half this length, along an axis and along the diagonal."""
    axis, diagonal = np.eye(dimension)[0], np.full(dimension, 1 / math.sqrt(dimension))
    return [way * far / 2 for way in ((axis, diagonal) if dimension > 1 else (axis,))]


def _in_ball(dimension: int, clip: float) -> list[Pair]:
    """Return opposite ends of the ball, and its centre and an end."""
    ends = _halves(dimension, 2 * clip)
    return [*((end, -end, math.inf) for end in reversed(ends)), (ends[0], 0.0 * ends[0], math.inf)]


def _promised(claim: Guarantee, pairs: Iterable[tuple[Any, Any, Floats, Floats]]) -> list[Pair]:
    """Return pairs with the distance of their vectors in the claim, those that are promised something."""
    try:
        apart = [(x, y, distance_between(claim, first, second)) for x, y, first, second in pairs]
    except InvalidInputError:
        return []
    return [pair for pair in apart if math.isfinite(claim.loss(pair[2]))]


def _units(mechanism: Directions | Laplace | PrivUnit) -> list[Pair]:
    """Return unit vectors: opposite ones along an axis and along the diagonal, and two that are near."""
    halves = _halves(mechanism.dimension, 2.0)
    claim = mechanism.guarantee
    pairs = [(half, -half) for half in halves]
    if mechanism.dimension > 1:
        near = math.cos(1 / max(claim.epsilon, 1)) * halves[0]
        near[1] = math.sin(1 / max(claim.epsilon, 1))
        pairs.append((halves[0], near))
    return _promised(claim, ((x, y, x, y) for x, y in pairs))


def _one_replaced(others: Floats, x: Floats, y: Floats, sentences: int) -> Pair:
    """Return two documents of so many sentences that differ in the first."""
    return np.array([x, *[others] * (sentences - 1)]), np.array([y, *[others] * (sentences - 1)]), math.inf
