"""The vectors of words, released by a mechanism for vectors: words are some of its inputs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from textveil.auditing.analytic.dispatch import analysis, analytic_finding
from textveil.auditing.analytic.search import Pair, search_pairs
from textveil.auditing.pairs import distance_between
from textveil.auditing.report import Finding, Verdict
from textveil.auditing.wrappers import of_vectors
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.mechanisms.word_vector import WordVector
from textveil.vocabulary import Vocabulary

_MOST_SEARCHED = 12


@analysis.register
def _word_vector(mechanism: WordVector, claim: Guarantee) -> Finding | None:
    """Where the noise breaks the claim between some vectors, look for two words that show it."""
    inner = of_vectors(mechanism, mechanism.mechanism, claim, "The vectors of words are public.")
    finding = analytic_finding(inner.mechanism, inner.claim)
    searched = None
    if finding is not None and finding.verdict is Verdict.VIOLATED and hasattr(mechanism.mechanism, "log_density"):
        with suppress(InvalidInputError):
            searched = search_pairs(
                mechanism.mechanism.log_density, _pairs_of_words(mechanism.vocabulary, claim), claim
            )
    return searched or inner.finding(finding)


def _pairs_of_words(vocabulary: Vocabulary, claim: Guarantee) -> Iterable[Pair]:
    """The first words against each other: some of them are near, some far, by the distance of the claim."""
    points = vocabulary.block(0, _MOST_SEARCHED)
    for word, point in zip(vocabulary.words, points, strict=False):
        for other, place in zip(vocabulary.words, points, strict=False):
            if (point != place).any():
                yield word, other, point, place, distance_between(claim, point, place)
