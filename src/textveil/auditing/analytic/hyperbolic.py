"""Noise in the Poincaré ball (T12, SPEC 3): proved in ideal arithmetic, and refuted as published."""

from __future__ import annotations

import math

import numpy as np

from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.metrics import norm_of
from textveil.auditing.promises import conclude
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.spaces.hyperbolic import Polar, distance

_NAME = "the density by hyperbolic distance"
_FLOATS = "this is ideal arithmetic, but points are drawn and released in floats, and no bound of that is known"
_NORM = 0.9


@analysis.register
def _hyperbolic(mechanism: HyperbolicLaplace, claim: Guarantee) -> Finding | None:
    if claim.relation.pairs is not Pairs.METRIC or norm_of(claim.relation.metric) != "hyperbolic":
        return None
    if mechanism.variant == "published":
        return _published(mechanism, claim)
    if mechanism.variant == "lebesgue":
        bound = mechanism.rate + min(mechanism.rate, float(mechanism.dimension))
        because = (
            f"The density falls at the rate {mechanism.rate:.7g}, and ln Z changes by at most min(rate, dimension) "
            "for a unit of distance (docs/mechanisms/hyperbolic.md, claim 5)."
        )
    else:
        bound = mechanism.radius_law.epsilon
        because = (
            f"The density falls at the rate {bound:.7g} and its normaliser is the same everywhere, as the rate is "
            f"above dimension - 1 = {mechanism.dimension - 1}."
        )
    if claim.relation.radius is not None:
        bound = math.inf
    return conclude(
        claim,
        name=_NAME,
        method=Method.ANALYTIC,
        bound=bound,
        because=because,
        witness=_opposite(mechanism, claim, "outputs at the first point", bound=bound),
        caveat=_FLOATS,
    )


def _published(mechanism: HyperbolicLaplace, claim: Guarantee) -> Finding:
    because = (
        "Noise of norm below 1 is added to coordinates: an output farther than 1 from an input can't come from it, and "
        "does come from others. Supports differ, so the loss is infinite."
    )
    return conclude(
        claim,
        name="which outputs are possible",
        method=Method.ANALYTIC,
        bound=math.inf,
        because=because,
        witness=_opposite(mechanism, claim, "outputs farther than 1 (in coordinates) from the second point"),
    )


def _opposite(mechanism: HyperbolicLaplace, claim: Guarantee, event: str, *, bound: float = math.inf) -> Witness:
    first = _NORM * np.eye(1, mechanism.dimension)
    apart = float(distance(Polar.of_ball(first), Polar.of_ball(-first))[0])
    return Witness(
        pair=(first[0].tolist(), (0.0 - first[0]).tolist()),
        event=event,
        distance=apart,
        loss=bound * apart,
        claimed=claim.loss(apart),
    )
