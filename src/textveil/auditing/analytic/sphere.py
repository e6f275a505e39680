"""PrivUnit: the loss is that of a point on the cap against one off it, recomputed from the coin that is flipped."""

from __future__ import annotations

import math

import numpy as np

from textveil.auditing.analytic.dispatch import analysis
from textveil.auditing.promises import conclude
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.document_means import AveragedPrivUnit
from textveil.mechanisms.privunit import PrivUnit
from textveil.noise.cap import Cap
from textveil.noise.unit import Rejection, asymmetry

_WHOLE = 2.0**64
_FLOATS = 'this is ideal arithmetic, but sampler="beta" draws in floats without a known bound; "rejection" has one'


@analysis.register
def _priv_unit(mechanism: PrivUnit, claim: Guarantee) -> Finding | None:
    if claim.relation.pairs is not Pairs.ANY:
        return None
    bound, because, caveat = _loss(mechanism)
    clip = mechanism.clip
    first = clip * np.eye(1, mechanism.dimension)[0]
    witness = Witness(
        pair=(first.tolist(), (0.0 - first).tolist()),
        event="outputs on the cap around the first vector",
        distance=2 * clip,
        loss=bound,
        claimed=claim.loss(2 * clip),
    )
    return conclude(
        claim,
        name="the cap and the rest of the sphere",
        method=Method.ANALYTIC,
        bound=bound,
        because=because,
        witness=witness,
        caveat=caveat,
    )


@analysis.register
def _averaged(mechanism: AveragedPrivUnit, claim: Guarantee) -> Finding | None:
    """An exchange of one sentence changes one of the releases that are averaged, which is post-processing."""
    return _priv_unit(mechanism.each, claim)


def _loss(mechanism: PrivUnit) -> tuple[float, str, str]:
    """Return the loss of the sampler, where it comes from, and what is not certified."""
    cap, drawer = mechanism.cap, mechanism._drawer
    q = mass(cap)
    where = f"The cap begins at {cap.gamma:.7g} and has the mass {q:.7g}"
    if isinstance(drawer, Rejection):
        coin = drawer.coin / _WHOLE
        # Proposals lie on the cap with a probability that moves with the input by no more than this.
        uneven = asymmetry(cap)
        least, most = (coin + (1 - coin) * (q + sign * uneven) for sign in (-1, 1))
        bound = -math.log(coin) + math.log(most / least)
        return bound, f"{where}; elsewhere proposals are kept with probability {coin:.7g}.", ""
    p = drawer._on_cap / _WHOLE
    bound = math.log(p) + math.log1p(-q) - math.log1p(-p) - math.log(q)
    return bound, f"{where}; the vector is drawn on it with probability {p:.7g}.", _FLOATS


def mass(cap: Cap) -> float:
    """Return the mass of a cap of the sphere again, from where it begins."""
    from scipy.special import betainc

    return float(betainc(cap.shape, cap.shape, cap.gap / 2))
