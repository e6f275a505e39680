"""Additive noise against a claim: its loss per unit of distance, what escapes it, and what sampling adds.

Everything is recomputed from what the sampler uses (a scale, a table of integers), nothing from the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from textveil.auditing.promises import TOLERANCE, conclude, epsilon_for, exceeds, farthest, radius_of
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.laplace import Laplace
from textveil.noise.gaussian_curve import gaussian_delta
from textveil.noise.laplace_curve import laplace_delta
from textveil.noise.lattice import float_slack
from textveil.noise.spherical import SphericalLaplace

Curve = Callable[[float, float], float]
Spread = Callable[[float], tuple[Any, Any]]

_NO_SLACK = "this is ideal arithmetic, but noise is sampled in floating point, and the claim has no slack for that"
_TABLE_ENDS = "the exact sampler's table ends, and what lies beyond has more probability than the delta of the claim"
_SOME_DISTANCES = "only some distances were looked at"
_ROUNDED = "inputs are rounded, and the claim counts less for that"
_HALVINGS = 100
# Distances, in units of what the noise makes of a loss of 1, where delta of an unbounded claim is looked at.
_LOSSES_LOOKED_AT = np.geomspace(1e-2, 1e4, 61)


@dataclass(frozen=True)
class Noise:
    """What a sampler adds.

    Parameters
    ----------
    rate : the largest loss per unit of distance; inf where only a delta bounds it
    delta : of the ideal law, given an epsilon and a distance; None if it is not known
    escape : what an exact table leaves out, given a distance
    slack : total variation distance of a float sampler from the ideal law
    rounding : how far rounding moves two inputs apart, in the distance of the noise
    what : the noise in words
    mu : for Gaussian noise, how telling a unit of distance is
    """

    rate: float
    delta: Curve | None
    what: str
    escape: Callable[[float], float] = lambda _distance: 0.0
    slack: float = 0.0
    rounding: float = 0.0
    mu: float | None = None


@dataclass(frozen=True)
class Domain:
    """Where inputs lie, as the noise sees it.

    Parameters
    ----------
    stretch : the noise's distance of two inputs, at most, for a unit of the claim's distance
    diameter : the noise's distance of any two inputs, at most
    pair : gives two inputs at a distance of the claim that are stretched the most; inf for the most distant ones
    """

    pair: Spread
    stretch: float = 1.0
    diameter: float = math.inf


def judge(noise: Noise, claim: Guarantee, domain: Domain, *, caveat: str = "") -> Finding:
    """Compare a claim with noise that is added to inputs of a domain."""
    reach, apart = _worst_distances(noise, claim, domain)
    bound, escaped = _needed(noise, claim, domain, reach, apart), None
    if exceeds(bound, claim.epsilon) and claim.delta and noise.delta is not None:
        if claim.relation.pairs is Pairs.METRIC:
            reach, escaped = _most_escaping(noise.delta, noise.rate, claim, domain)
            caveat = caveat or _SOME_DISTANCES
        else:
            escaped = noise.delta(claim.epsilon, apart)
            bound = least_epsilon(noise.delta, apart, claim.delta)
    return conclude(
        claim,
        name="the loss of the noise",
        method=Method.ANALYTIC,
        bound=bound,
        because=f"{noise.what}: {_reason(claim, domain, noise)}.",
        witness=_witness(claim, domain, reach, bound),
        escaped=escaped,
        mu=None
        if noise.mu is None
        else noise.mu * (domain.diameter if claim.relation.pairs is Pairs.ANY else domain.stretch),
        caveat=caveat or _caveat(noise, claim, apart, escaped),
    )


def _worst_distances(noise: Noise, claim: Guarantee, domain: Domain) -> tuple[float, float]:
    """Return the largest distance of inputs that are covered, as claimed and as the noise sees it."""
    if claim.relation.pairs not in (Pairs.METRIC, Pairs.WITHIN):
        return math.inf, domain.diameter
    reach = min(farthest(claim), domain.diameter / domain.stretch)
    # A METRIC claim counts rounding for itself.
    return reach, domain.stretch * reach + (0.0 if claim.relation.pairs is Pairs.METRIC else noise.rounding)


def _needed(noise: Noise, claim: Guarantee, domain: Domain, reach: float, apart: float) -> float:
    """Return the epsilon that the most distant inputs need: all others need less."""
    if claim.relation.pairs is not Pairs.METRIC:
        return noise.rate * apart
    if math.isinf(reach) and math.isinf(radius_of(claim)):
        # The loss grows in proportion: an offset and rounding are nothing against it in the end.
        return noise.rate * domain.stretch
    return epsilon_for(claim, noise.rate * apart, reach)


def least_epsilon(curve: Curve, distance: float, delta: float) -> float:
    """Return the least epsilon for which this delta is enough at a distance."""
    low, high = 0.0, 1.0
    while curve(high, distance) > delta:
        low, high = high, 2 * high
        if high > 1e6:
            return math.inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if curve(middle, distance) > delta else (low, middle)
    return high


def _most_escaping(curve: Curve, rate: float, claim: Guarantee, domain: Domain) -> tuple[float, float]:
    """Return the distance with the largest delta among some, and that delta."""
    unit = claim.epsilon if math.isinf(rate) else rate * domain.stretch
    distances = [float(loss) / unit for loss in _LOSSES_LOOKED_AT if loss / unit <= farthest(claim)]
    deltas = [curve(claim.loss(distance), min(domain.stretch * distance, domain.diameter)) for distance in distances]
    best = int(np.argmax(deltas))
    return distances[best], deltas[best]


def _caveat(noise: Noise, claim: Guarantee, apart: float, escaped: float | None) -> str:
    if exceeds(noise.slack, claim.slack):
        return _NO_SLACK
    left = noise.escape(apart)
    if left and exceeds(left + (escaped or 0.0), claim.delta):
        return _TABLE_ENDS
    if claim.relation.pairs is Pairs.METRIC and exceeds(
        noise.rate * noise.rounding, claim.epsilon * claim.relation.rounding
    ):
        return _ROUNDED
    return ""


def _reason(claim: Guarantee, domain: Domain, noise: Noise) -> str:
    if claim.relation.pairs is Pairs.METRIC:
        stretch = f", of which a unit of the claim's is at most {domain.stretch:.7g}" if domain.stretch != 1 else ""
        return f"the largest loss is {noise.rate:.7g} for a unit of distance{stretch}"
    if math.isfinite(domain.diameter):
        return f"no two inputs are farther apart than {domain.diameter:.7g}"
    if claim.relation.pairs is Pairs.WITHIN:
        return f"inputs are at most {farthest(claim):.7g} apart"
    return "inputs may be any distance apart"


def _witness(claim: Guarantee, domain: Domain, reach: float, bound: float) -> Witness:
    distance = 1.0 if math.isinf(reach) and claim.relation.pairs is Pairs.METRIC else reach
    first, second = domain.pair(distance)
    apart = distance if math.isfinite(distance) else float(np.linalg.norm(np.subtract(first, second)))
    loss = bound
    if claim.relation.pairs is Pairs.METRIC:
        loss = bound * (claim.relation.rounding + min(apart, radius_of(claim))) + claim.offset
    return Witness(
        pair=(first, second),
        event="outputs at the first input, or beyond it as seen from the second",
        distance=apart,
        loss=loss,
        claimed=claim.loss(apart),
    )


def laplace_noise(mechanism: Laplace) -> Noise:
    """Return the noise that Laplace draws."""
    scale, dimension = mechanism.scale, mechanism.dimension

    def delta(epsilon: float, distance: float) -> float:
        if math.isinf(distance):
            return 1.0
        return laplace_delta(max(epsilon, 1e-300), dimension=dimension, scale=scale / distance)

    what = f"l2-Laplace noise of scale {scale:.7g} in {dimension} dimensions"
    if mechanism.precision == "exact":
        return tabled(mechanism._table, mechanism.lattice.step, what, delta, scale)
    deviation = math.sqrt(dimension + 1) * scale
    return Noise(1 / scale, delta, what, slack=float_slack(dimension, deviation, mechanism.lattice.step))


def tabled(table: SphericalLaplace, step: float, what: str, delta: Curve | None, scale: float) -> Noise:
    """Return noise that is drawn from a table of integers, whose slope is at most that of the scale."""
    slope = table.slope / step
    rate = 1 / scale if slope * scale <= 1 + TOLERANCE else slope
    return Noise(rate, delta, what, escape=lambda distance: table.escape(distance / step))


def gaussian_noise(mechanism: Gaussian) -> Noise:
    """Return the noise that Gaussian draws."""
    sigma = mechanism._deviation
    exact = mechanism.precision == "exact"
    slack = 0.0 if exact else float_slack(mechanism.dimension, sigma, mechanism.lattice.step)
    return Noise(
        math.inf,
        lambda epsilon, distance: gaussian_delta(epsilon, distance / sigma),
        f"Gaussian noise of deviation {sigma:.7g}",
        slack=slack,
        mu=1 / sigma if exact else None,
    )
