"""The vectors of words, released by a mechanism for vectors: words are some of its inputs."""

from __future__ import annotations

from collections.abc import Iterable

from textveil.auditing.analytic.dispatch import analysis, analytic_finding
from textveil.auditing.analytic.search import Pair, search_pairs
from textveil.auditing.report import Finding, Verdict
from textveil.auditing.wrappers import of_vectors
from textveil.guarantees import Guarantee
from textveil.mechanisms.word_vector import WordVector
from textveil.vocabulary import Vocabulary

_MOST_SEARCHED = 12


@analysis.register
def _word_vector(mechanism: WordVector, claim: Guarantee) -> Finding | None:
    """Where the noise breaks the claim between some vectors, look for two words that show it."""
    inner = of_vectors(mechanism.mechanism, claim, "The vectors of words are public.")
    finding = analytic_finding(inner.mechanism, inner.claim)
    searched = None
    if finding is not None and finding.verdict is Verdict.VIOLATED and hasattr(mechanism.mechanism, "log_density"):
        searched = search_pairs(mechanism.mechanism.log_density, _pairs_of_words(mechanism.vocabulary), claim)
    return searched or inner.finding(finding)


def _pairs_of_words(vocabulary: Vocabulary) -> Iterable[Pair]:
    """The first words against each other: some of them are near, some far."""
    count = min(len(vocabulary), _MOST_SEARCHED)
    points = vocabulary.block(0, count)
    distances = vocabulary.space.distances(points, points)
    for i in range(count):
        for j in range(count):
            if distances[i, j] > 0:
                yield vocabulary.words[i], vocabulary.words[j], points[i], points[j], float(distances[i, j])
