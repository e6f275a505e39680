"""Mechanisms around others: what is done before and after the inner one is public, so that its promise is kept.

The converse need not be so: what an inner mechanism shows may be hidden by what follows, or need inputs that never
reach it. Only where everything passes through is its violation one of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

from textveil.auditing.report import Finding, Verdict
from textveil.encoders import DocumentEmbedder, TextEmbedder
from textveil.encoders.rewritten_words import RewrittenWords
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.mechanisms.adept import Adept
from textveil.mechanisms.directions import Directions
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.nadp.repaired import Word
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.sentence_responses import SentenceResponses
from textveil.text import TextRewriter

_HIDDEN = "That is so for the noise inside; what is done before and after it may hide that, or not."


@dataclass(frozen=True)
class Inner:
    """What a mechanism is made around.

    Parameters
    ----------
    mechanism : the inner one
    claim : what is claimed, in terms of the inner one
    because : why the promise of the inner one is that of the whole
    shows : whether every input of the inner one can be had, and its output is released
    """

    mechanism: Mechanism
    claim: Guarantee
    because: str
    shows: bool = False

    def finding(self, found: Finding | None) -> Finding | None:
        """Say of the whole what was found about the inner one."""
        if found is None:
            return None
        if found.verdict is Verdict.VIOLATED and not self.shows:
            return hidden(found)
        return replace(found, explanation=f"{found.explanation} {self.because}")


def hidden(found: Finding) -> Finding:
    """Accuse nobody of what a public function, before or after, may hide."""
    if found.verdict is not Verdict.VIOLATED:
        return found
    told = f"{found.explanation} {_HIDDEN}"
    return replace(found, verdict=Verdict.NOT_CERTIFIABLE, explanation=told, witness=None)


@singledispatch
def inner_of(mechanism: Any, claim: Guarantee) -> Inner | None:
    """Return what a mechanism is made around, and what its claim says about that; None if it stands alone."""
    return None


def of_vectors(outer: Mechanism, mechanism: Mechanism, claim: Guarantee, because: str) -> Inner:
    """Return an inner mechanism for vectors, with what is claimed of the outer one.

    The claim keeps its distance, unless that is the outer one's own: the inner one's, with a word about the vectors.
    """
    relation, own = claim.relation, mechanism.guarantee.relation.metric
    if relation.metric == outer.guarantee.relation.metric and relation.metric.startswith(own):
        relation = replace(relation, metric=own)
    return Inner(mechanism, replace(claim, unit=Unit.VECTOR, relation=relation), because)


@inner_of.register
def _nearest_word(mechanism: NearestWord, claim: Guarantee) -> Inner:
    return of_vectors(
        mechanism, mechanism.mechanism, claim, "The nearest word is a public function of the noisy vector."
    )


@inner_of.register
def _nadp(mechanism: Nadp, claim: Guarantee) -> Inner | None:
    if not isinstance(mechanism._variant, Word):
        return None
    return Inner(mechanism._variant.exponential, claim, "The vector of the word drawn is public.", shows=True)


@inner_of.register
def _directions(mechanism: Directions, claim: Guarantee) -> Inner | None:
    # By any other distance than its own nothing follows: two near vectors may have opposite directions.
    if claim.relation.pairs is not Pairs.ANY and claim.relation.metric != mechanism.guarantee.relation.metric:
        return None
    return of_vectors(mechanism, mechanism.mechanism, claim, "Directions are taken before anything is released.")


@inner_of.register
def _text_embedder(mechanism: TextEmbedder, claim: Guarantee) -> Inner:
    return of_vectors(mechanism, mechanism.mechanism, claim, "The encoder is a public function of each text.")


@inner_of.register
def _adept(mechanism: Adept, claim: Guarantee) -> Inner | None:
    if claim.relation.pairs is not Pairs.ANY:
        return None
    noise = mechanism.mechanism
    because = "The codec is public, and what it writes is a function of the noisy vector."
    own = noise.guarantee.relation
    if own.pairs is Pairs.ANY:
        return of_vectors(mechanism, noise, claim, because)
    within = Relation(pairs=Pairs.WITHIN, metric=own.metric, radius=2 * mechanism.clip)
    return Inner(noise, replace(claim, unit=Unit.VECTOR, relation=within), because)


@inner_of.register
def _rewritten_words(mechanism: RewrittenWords, claim: Guarantee) -> Inner:
    return Inner(mechanism.rewriter, claim, "The encoder is a public function of the rewritten text.")


@inner_of.register
def _document_embedder(mechanism: DocumentEmbedder, claim: Guarantee) -> Inner:
    return Inner(mechanism.mechanism, claim, "The encoder is a public function of each sentence.")


@inner_of.register
def _sentence_responses(mechanism: SentenceResponses, claim: Guarantee) -> Inner:
    vectors = replace(claim, unit=Unit.VECTOR)
    return Inner(mechanism.response, vectors, "Each sentence has a draw of its own.", shows=True)


@inner_of.register
def _text_rewriter(mechanism: TextRewriter, claim: Guarantee) -> Inner | None:
    if not claim.by_words or claim.positions is not None or not _says_what_is_left_out(mechanism, claim):
        return None
    words = replace(claim, unit=Unit.WORD)
    each = "distinct word of a text" if mechanism.consistent else "word"
    return Inner(mechanism.mechanism, words, f"Each {each} has a draw of its own, so that losses add.", shows=True)


def _says_what_is_left_out(mechanism: TextRewriter, claim: Guarantee) -> bool:
    """Whether every word is protected alone, or the claim has what is not so: words left out, words that recur."""
    own = mechanism.guarantee.relation
    return set(mechanism.left_out) <= set(claim.reveals) and own.condition in ("", claim.relation.condition)
