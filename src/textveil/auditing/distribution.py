"""Does a sampler follow the law that its promise was proved for? The most telling test where that law is known.

"Violated" is said where outputs lie nearer to the input than the law has them. Any other difference, such as too much
noise, is no breach by itself; but then nothing that was computed from the law counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from textveil.auditing.pairs import pairs_for
from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.auditing.returned import returned_finding
from textveil.auditing.sampler_checks import Check
from textveil.auditing.samplers import sampler_checks
from textveil.auditing.values import plain
from textveil.auditing.wrappers import hidden, inner_of
from textveil.guarantees import Guarantee, Pairs, Relation
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.word_vector import WordVector, WordVectorMechanism
from textveil.randomness import RandomSource

_SAMPLES = 1_000


def distribution_findings(
    mechanism: Mechanism,
    *,
    alpha: float,
    claim: Guarantee | None = None,
    samples: int | None = None,
    source: RandomSource | None = None,
) -> list[Finding]:
    """Test the sampler of a mechanism: a finding a public input, none where the law is not known.

    Parameters
    ----------
    mechanism : whose law, or that of what it is made around, is known
    claim : what is tested, if that is not the mechanism's own promise: then too little noise for the law accuses only
        where it shows more than was claimed
    alpha : the chance that a sampler that follows its law is accused of anything
    samples : how many outputs to draw in all; by default 1,000
    source : where the noise comes from
    """
    inner = mechanism.mechanism if isinstance(mechanism, WordVector) else None
    around = inner_of(mechanism, mechanism.guarantee)
    if inner is not None or around is not None:
        wrapped: Mechanism = inner or around.mechanism  # type: ignore[union-attr]
        inside = distribution_findings(
            wrapped,
            alpha=alpha,
            claim=None if claim == mechanism.guarantee else claim,
            samples=samples,
            source=source,
        )
        return inside if _releases_what_it_draws(wrapped) else [hidden(finding) for finding in inside]
    findings = []
    own = mechanism.guarantee
    claim = claim or own
    if isinstance(mechanism, WordVectorMechanism):
        alpha /= 2
        if claim.relation in (own.relation, Relation(pairs=Pairs.ANY)):
            findings.append(returned_finding(mechanism, claim, alpha=alpha, source=source))
    inputs = list(_inputs(mechanism))
    for value in inputs:
        count = max(1, (samples or _SAMPLES) // len(inputs))
        checks = list(sampler_checks(mechanism, value, count, source))
        if checks:
            findings.append(_finding(mechanism, claim, value, checks, alpha / len(inputs)))
    return findings


def _releases_what_it_draws(mechanism: Mechanism) -> bool:
    """Whether a release is the library's but for the draw, which is all that a mechanism around asks of it."""
    besides = ("release", "release_with_receipt", "release_ids", "release_indices", "_check", "_wrap")
    return not any(
        name in vars(mechanism) or not getattr(type(mechanism), name).__module__.startswith("textveil.")
        for name in besides
        if hasattr(mechanism, name)
    )


def _inputs(mechanism: Mechanism) -> Iterator[Any]:
    """Return the two inputs of the first pair: a sampler must not treat one otherwise than the other."""
    for x, y, _ in pairs_for(mechanism)[:1]:
        yield x
        yield y


def _finding(mechanism: Mechanism, claim: Guarantee, value: Any, checks: list[Check], alpha: float) -> Finding:
    level = alpha / (2 * len(checks))
    nearer = min(checks, key=lambda check: check.nearer)
    other = min(checks, key=lambda check: check.other)
    too_near = nearer.nearer <= level
    bound = _bound(mechanism, checks[0], level) if too_near else math.nan
    violated = too_near and _breaks(claim, mechanism.guarantee, bound)
    differs = too_near or other.other <= level
    if violated:
        told = (
            f"By {nearer.name} outputs lie nearer to the input than the law has them that the promise was proved for "
            f"(p-value {nearer.nearer:.2g}): there is too little noise."
        )
    elif too_near:
        told = (
            f"By {nearer.name} outputs lie nearer to the input than the mechanism's law has them (p-value "
            f"{nearer.nearer:.2g}); whether that breaks the claim, which is not the mechanism's own, was not shown."
        )
    elif differs:
        told = (
            f"The sampler differs from its law by {other.name} (p-value {other.other:.2g}), not towards the input: "
            "that need not cost privacy, but the promise is not proved for what is sampled."
        )
    else:
        told = f"Outputs agree with the law in {len(checks)} tests; that does not certify the sampler."
    return Finding(
        name="the sampler against its law",
        method=Method.DISTRIBUTION,
        verdict=Verdict.VIOLATED if violated else Verdict.NOT_CERTIFIABLE,
        explanation=told,
        bound=bound,
        witness=Witness(pair=(plain(value), plain(value)), event=nearer.name) if violated else None,
        samples=checks[0].samples,
        alpha=alpha,
        contradicts=differs and not violated,
    )


def _breaks(claim: Guarantee, own: Guarantee, bound: float) -> bool:
    """Whether less noise than the law has breaks a claim: one that the law was made for, or that allows less loss."""
    in_same_terms = claim.relation == own.relation and claim.delta <= own.delta
    return claim == own or (in_same_terms and bound > claim.epsilon)


def _bound(mechanism: Mechanism, check: Check, level: float) -> float:
    """Return the epsilon that l2-Laplace noise with so small norms must have; no private noise has smaller ones."""
    from scipy.special import gammaincinv

    if not isinstance(mechanism, Laplace) or mechanism.guarantee.relation.pairs is not Pairs.METRIC:
        return math.nan
    return float(gammaincinv(check.shape, level)) / check.total if check.total else math.inf
