"""Exact audits of laws that are known as finite tables: every pair of inputs and every output is looked at."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

from textveil.auditing.exact.boosted import boosted_law
from textveil.auditing.exact.choices import candidate_choice, public_response
from textveil.auditing.exact.integers import MOST_WORDS as FEW_WORDS
from textveil.auditing.exact.integers import integer_table
from textveil.auditing.exact.normalised import normalised_law
from textveil.auditing.exact.tables import MOST_WORDS, brute_force
from textveil.auditing.report import Finding, Verdict
from textveil.auditing.wrappers import inner_of
from textveil.guarantees import Guarantee
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.public_response import PublicResponse

__all__ = ["exact_finding"]


def exact_finding(mechanism: Any, claim: Guarantee) -> Finding | None:
    """Compare a claim with the exact law of a mechanism; None if the law is not known as a finite table.

    Parameters
    ----------
    mechanism : one of the library's, or anything with `vocabulary` and `transition_rows(ids)`, or with
        `transition_matrix()`, rows being inputs
    claim : what is tested
    """
    inner = inner_of(mechanism, claim)
    if inner is not None:
        return inner.finding(exact_finding(inner.mechanism, inner.claim))
    return _finding(mechanism, claim)


@singledispatch
def _finding(mechanism: Any, claim: Guarantee) -> Finding | None:
    return brute_force(mechanism, claim)


@_finding.register
def _exponential(mechanism: Exponential, claim: Guarantee) -> Finding | None:
    found = _pure(mechanism, replace(claim, delta=0.0))
    if claim.delta and (found is None or found.verdict is not Verdict.HOLDS):
        return brute_force(mechanism, claim)
    return found


def _pure(mechanism: Exponential, claim: Guarantee) -> Finding | None:
    if len(mechanism.vocabulary) <= FEW_WORDS:
        return integer_table(mechanism, claim)
    if mechanism._rows._law is not mechanism.law:
        # Words are drawn by rows of another law: those count.
        return brute_force(mechanism, claim)
    boosts = mechanism.law.row_boosts
    if boosts is None or (boosts == 1).all():
        return normalised_law(mechanism, claim)
    bounded = boosted_law(mechanism, claim) if len(mechanism.vocabulary) > MOST_WORDS else None
    return bounded or brute_force(mechanism, claim)


@_finding.register
def _nadp(mechanism: Nadp, claim: Guarantee) -> None:
    """Its rows are the law before noise."""


_finding.register(PublicResponse, public_response)
_finding.register(DeepCandidate, candidate_choice)
