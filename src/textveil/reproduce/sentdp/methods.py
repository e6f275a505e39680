"""The ways to release a document that Figure 4 compares, each with the classifier that reads what it releases.

As in the paper, classifiers learn from public documents without noise, and what may be chosen (the number of
projections, say) is chosen for each epsilon on public validation documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from textveil.encoders.encoder import Encoder
from textveil.encoders.rewritten_words import RewrittenWords
from textveil.learn.clusters import cluster
from textveil.learn.recoder import Recipe, train
from textveil.mechanisms.candidates import Candidates
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.document_means import AveragedPrivUnit, GaussianMean, TruncatedMean
from textveil.mechanisms.documents import sums
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.public_response import PublicResponse
from textveil.randomness import RandomSource
from textveil.reproduce.sentdp.classify import Classifier
from textveil.reproduce.sentdp.documents import DataSet, Part, Vectors
from textveil.text import TextRewriter
from textveil.vocabulary import Vocabulary

DELTA = 1e-5
PUBLISHED = "DeepCandidate, the paper's"
OURS = "DeepCandidate, ours"
SHUFFLED = f"{OURS}, shuffled labels"
RESPONSES = "PublicResponse for each sentence"
UNITS = "AveragedPrivUnit"
NORMAL = f"GaussianMean, δ = {DELTA:g}"
TRUNCATED, OPTIMAL = "TruncatedMean, the paper's", "TruncatedMean, optimal"
WORDS = "words, then encoding"
# Candidates of the published configuration, and the sentences that each must have.
_CANDIDATES, _SENTENCES = 5000, 8
_PROJECTIONS = (10, 30, 100)
_CENTRES = (10, 20, 50, 200)
# Centres to answer with, and how many of them count as near.
_ANSWERS = ((10, 5), (20, 2), (50, 2), (50, 6), (200, 2))
# The box holds three quarters of the public documents in each coordinate.
_BOX = (0.125, 0.875)
# What counts of the inner products of public sentences with centres.
_CLIP = (0.5, 0.99)

Release = Callable[[Any, float, Part, RandomSource], Vectors]


@dataclass(frozen=True)
class Method:
    """A way to release documents.

    Parameters
    ----------
    promise : what it promises, for the tables
    classifier : reads what is released
    release : (what was chosen, epsilon, documents, source) -> one vector a document
    choices : what may be chosen on validation documents
    most_documents : so many test documents are released, where that is slow
    """

    promise: str
    classifier: Classifier
    release: Release
    choices: Sequence[Any] = (None,)
    most_documents: int | None = None


def methods(
    data: DataSet, encoder: Encoder, *, recipe: Recipe, words: Vocabulary, word_documents: int
) -> dict[str, Method]:
    """Return all methods for a data set.

    Parameters
    ----------
    data : its train documents are public
    encoder : of the sentences
    recipe : of the published configuration's recoder
    words : public, of what rewrites word by word
    word_documents : test documents that are rewritten word by word, which is slow
    """
    means = data.train.means
    clean = Classifier(means, data.train.labels)
    d = data.train.vectors.shape[1]
    box = _box(means)
    return {
        OURS: _inner_products(data.train, clean),
        RESPONSES: _responses(data.train, clean),
        PUBLISHED: _published(data.train, recipe, encoder),
        UNITS: Method("ε a sentence", clean, partial(_released, lambda e: _privunit(e, d))),
        NORMAL: Method("(ε, δ) a sentence", clean, partial(_released, lambda e: _gaussian(e, d))),
        TRUNCATED: _truncated(data.train, box, "published"),
        OPTIMAL: _truncated(data.train, box, "optimal"),
        WORDS: Method(
            "ε a unit of distance, each word", clean, _Rewriting(encoder, words), most_documents=word_documents
        ),
    }


def _published(train_part: Part, recipe: Recipe, encoder: Encoder) -> Method:
    """Depth among recoded sentences, by the exponential mechanism; candidates are long public documents."""
    recoder = train(train_part.vectors.astype(np.float64), train_part.offsets, recipe, encoder=encoder.digest)
    recoded = train_part.moved(recoder.recode(train_part.vectors))
    means = recoded.means
    candidates = Candidates(means[recoded.counts >= _SENTENCES][:_CANDIDATES])

    def release(projections: int, epsilon: float, part: Part, source: RandomSource) -> Vectors:
        mechanism = DeepCandidate(candidates, epsilon=epsilon, projections=projections, variant="published")
        return _vectors(mechanism.release(part.moved(recoder.recode(part.vectors)).documents, source=source))

    return Method("ε a sentence", Classifier(means, recoded.labels), release, _PROJECTIONS)


@dataclass(frozen=True)
class _Centres:
    """Centres of public documents, and the way to each from the mean of all sentences, at unit length."""

    points: Vectors
    middle: Vectors
    ways: Candidates

    @classmethod
    def of(cls, part: Part, count: int) -> _Centres:
        points = cluster(part.means.astype(np.float64), count).centres
        middle = part.vectors.mean(axis=0, dtype=np.float64)
        ways = points - middle
        return cls(points, middle, Candidates(ways / np.linalg.norm(ways, axis=1, keepdims=True)))


def _inner_products(public: Part, clean: Classifier) -> Method:
    """Inner products of centred sentences with the ways to a few centres, by permute-and-flip; no recoder."""
    centres = {count: _Centres.of(public, count) for count in _CENTRES if count < len(public)}
    clips = {count: np.quantile(_products(one, public), _CLIP).tolist() for count, one in centres.items()}

    def release(count: int, epsilon: float, part: Part, source: RandomSource) -> Vectors:
        one = centres[count]
        mechanism = DeepCandidate(one.ways, epsilon=epsilon, utility="inner-product", clip=tuple(clips[count]))
        chosen = mechanism.release(part.moved(part.vectors - one.middle).documents, source=source)
        return one.points[[each.index for each in chosen]]

    return Method("ε a sentence", clean, release, tuple(centres))


def _products(centres: _Centres, public: Part) -> Vectors:
    return np.asarray((public.vectors[::10] - centres.middle) @ centres.ways.vectors.T)


def _responses(public: Part, clean: Classifier) -> Method:
    """One centre for each sentence, and their mean without what chance adds to it."""
    counts = {count for count, _ in _ANSWERS if count < len(public)}
    centres = {count: _Centres.of(public, count) for count in counts}

    def release(choice: tuple[int, int], epsilon: float, part: Part, source: RandomSource) -> Vectors:
        (count, near), one = choice, centres[choice[0]]
        mechanism = PublicResponse(one.ways, epsilon=epsilon, nearest=near)
        answers = mechanism.release_indices(part.vectors - one.middle, source=source)
        means = sums(one.points[answers], part.offsets) / part.counts[:, None]
        excess = near * np.expm1(epsilon)
        chance = excess / (count + excess)
        return np.asarray((means - (1 - chance) * one.points.mean(axis=0)) / chance)

    choices = [choice for choice in _ANSWERS if choice[0] in counts]
    return Method("ε a sentence", clean, release, choices)


def _box(means: Vectors) -> Vectors:
    """Return two corners; MiniLM has a coordinate that is always 0, whose side becomes a thousandth of the others'."""
    low, high = np.quantile(means, _BOX, axis=0)
    least = 1e-3 * np.mean(high - low)
    return np.stack([low, np.maximum(high, low + least)])


def _truncated(public: Part, box: Vectors, variant: str) -> Method:
    inside = public.moved(np.clip(public.vectors, *box))
    made = partial(_released, lambda e: TruncatedMean(lower=box[0], upper=box[1], epsilon=e, variant=variant))
    return Method("ε a sentence", Classifier(inside.means, public.labels), made)


def _privunit(epsilon: float, dimension: int) -> AveragedPrivUnit:
    return AveragedPrivUnit(epsilon=epsilon, dimension=dimension, sampler="beta")


def _gaussian(epsilon: float, dimension: int) -> GaussianMean:
    return GaussianMean(epsilon=epsilon, delta=DELTA, dimension=dimension)


def _released(made: Callable[[float], Any], choice: None, epsilon: float, part: Part, source: RandomSource) -> Vectors:
    return np.array(made(epsilon).release(part.documents, source=source))


class _Rewriting:
    """Each word by Laplace noise and the nearest word (Feyisetan et al. 2020), then the encoder."""

    def __init__(self, encoder: Encoder, vocabulary: Vocabulary) -> None:
        self._encoder, self._vocabulary = encoder, vocabulary

    def __call__(self, choice: None, epsilon: float, part: Part, source: RandomSource) -> Vectors:
        noise = Laplace(epsilon=epsilon, dimension=self._vocabulary.dimension)
        rewriter = TextRewriter(NearestWord(self._vocabulary, noise))
        texts = [sentence for document in part.texts for sentence in document]
        vectors = RewrittenWords(rewriter, encoder=self._encoder).release(texts, source=source)
        return part.moved(np.asarray(vectors)).means


def _vectors(chosen: Sequence[Any]) -> Vectors:
    return np.array([one.vector for one in chosen])
