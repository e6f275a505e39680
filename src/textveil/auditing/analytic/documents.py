"""Means of sentence vectors: how far the exchange of one sentence moves the sum, against the noise of the sum."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from textveil.auditing.analytic.additive import along_axis
from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.analytic.noise import Domain, gaussian_noise, judge
from textveil.auditing.promises import conclude
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.mechanisms.document_means import GaussianMean, TruncatedMean


def _is_about_a_sentence(claim: Guarantee) -> bool:
    return claim.unit is Unit.SENTENCE and claim.relation.pairs is Pairs.ANY


@analysis.register
def _gaussian_mean(mechanism: GaussianMean, claim: Guarantee) -> Finding | None:
    if not _is_about_a_sentence(claim):
        return None
    clip, axis = mechanism.clip, along_axis(mechanism.dimension)
    # Two sentences shortened to the clip, and rounded towards zero, differ by at most twice the clip.
    return judge(gaussian_noise(mechanism.noise), claim, Domain(lambda _: axis(2 * clip), diameter=2 * clip))


@analysis.register
def _truncated_mean(mechanism: TruncatedMean, claim: Guarantee) -> Finding | None:
    if not _is_about_a_sentence(claim):
        return None
    low, high = mechanism._corners
    widths = [int(width) for width in high - low]
    loss = sum((Fraction(width, int(scale)) for width, scale in zip(widths, mechanism.scales, strict=True)), Fraction())
    bound = float(loss)
    witness = Witness(
        pair=(mechanism.lower.tolist(), mechanism.upper.tolist()),
        event="sums at or below that of the first sentence, in every coordinate",
        distance=float(np.linalg.norm(mechanism.upper - mechanism.lower)),
        loss=bound,
        claimed=claim.loss(1.0),
    )
    return conclude(
        claim,
        name="the sides of the box against the noise of the sum",
        method=Method.ANALYTIC,
        bound=math.nextafter(bound, math.inf),
        because="The sum over all coordinates of side / scale, both in whole steps, was computed as a fraction.",
        witness=witness,
    )
