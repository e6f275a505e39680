"""Whether a claim can be compared with what is known of a law, and whether that law is known to be the one sampled.

A law is known for the mechanism's own unit, distance and condition. Of a claim in other terms nothing that is computed
says anything. A class from outside the library may inherit a law and sample another: what it declares is no proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import getattr_static
from types import FunctionType

from textveil.auditing.metrics import norm_of, rounding_of
from textveil.auditing.report import Finding, Verdict
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.mechanisms.mechanism import Mechanism

_OTHER = "the claim counts another {what} than the mechanism's law is known in; only outputs can be compared"
_STRANGER = "the law that it declares is not known to be the one it samples, since not all of it is the library's own"
_BEFORE_ROUNDING = "the claim counts distances before vectors are rounded, or rounded otherwise than they are"
_UNSAID = "the claim does not say all that is revealed"
_NARROWER = "the claim is about fewer inputs, and these need not be among them"


@dataclass(frozen=True)
class Comparison:
    """What may be said of a claim once it was compared with a law.

    Parameters
    ----------
    refused : why nothing may be said
    not_holds, not_violated : why just that may not be said
    """

    refused: str = ""
    not_holds: str = ""
    not_violated: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether what is computed may say anything."""
        return not (self.refused or self.not_holds or self.not_violated)

    def finding(self, found: Finding) -> Finding:
        """Say no more than may be said."""
        why = {Verdict.HOLDS: self.not_holds, Verdict.VIOLATED: self.not_violated}.get(found.verdict)
        if not why:
            return found
        told = f"{found.explanation} But {why}."
        return replace(found, verdict=Verdict.NOT_CERTIFIABLE, explanation=told)


def comparison(mechanism: Mechanism, claim: Guarantee) -> Comparison:
    """Compare the terms of a claim with those of a mechanism's own promise."""
    own = mechanism.guarantee
    if not is_ours(mechanism):
        return Comparison(refused=_refusal(mechanism, own, claim), not_holds=_STRANGER, not_violated=_STRANGER)
    if claim == own:
        return Comparison()
    given, known = claim.relation, own.relation
    by_distance = given.pairs in (Pairs.METRIC, Pairs.WITHIN)
    not_holds = ""
    if by_distance and rounding_of(given.metric) != rounding_of(known.metric):
        not_holds = _BEFORE_ROUNDING
    elif claim.unit not in (Unit.WORD, Unit.VECTOR) and not set(own.reveals) <= set(claim.reveals):
        not_holds = _UNSAID
    narrower = _NARROWER if given.condition != known.condition else ""
    return Comparison(_refusal(mechanism, own, claim), not_holds, narrower)


def _refusal(mechanism: Mechanism, own: Guarantee, claim: Guarantee) -> str:
    given, known = claim.relation, own.relation
    if (claim.unit, claim.whole) != (own.unit, own.whole):
        return _OTHER.format(what="unit")
    if known.condition not in ("", given.condition):
        return _OTHER.format(what="condition")
    if given.pairs is Pairs.EDGES and (known.pairs, known.metric) != (given.pairs, given.metric):
        return _OTHER.format(what="graph")
    if given.pairs in (Pairs.METRIC, Pairs.WITHIN) and not _same_distance(mechanism, known.metric, given.metric):
        return _OTHER.format(what="distance")
    return ""


def _same_distance(mechanism: Mechanism, known: str, given: str) -> bool:
    """Whether both names are of one distance; of vectors, what is computed knows several by name."""
    if given == known:
        return True
    space = getattr(getattr(mechanism, "vocabulary", None), "space", None)
    norms = {norm_of(known), norm_of(space.metric if space else "")}
    return bool(norm_of(given)) and (mechanism.guarantee.unit is Unit.VECTOR or norm_of(given) in norms)


def is_ours(mechanism: Mechanism) -> bool:
    """Whether a mechanism, and all that it is made around, is of the library's own classes, with no method replaced."""
    kind, values = type(mechanism), vars(mechanism)
    if not kind.__module__.startswith("textveil."):
        return False
    if any(isinstance(getattr_static(kind, name, None), FunctionType) for name in values):
        return False
    return all(is_ours(value) for value in values.values() if isinstance(value, Mechanism))
