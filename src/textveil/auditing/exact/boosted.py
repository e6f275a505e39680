"""The loss of a covering law, P[x|x] = c(x) / Z(x), P[y|x] = t(x) c(y) exp(-rate d(x,y)) / Z(x), for many words (T15).

All triples of two inputs and an output are looked at or bounded, as when the law was made; sums of rows are computed
again, so that nothing rests on the certificate. It takes as much memory as making the law did.
"""

from __future__ import annotations

import numpy as np

from textveil.auditing.promises import conclude, exceeds, undecided
from textveil.auditing.report import Finding, Method
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import rounding_slack
from textveil.mechanisms.exponential.tight import _Geometry
from textveil.mechanisms.exponential.triples import cell_order, margins

_NAME = "the covering law of every pair of words"
# Rows whose boost costs less than this share of epsilon need no look at triples.
_SPARE = 5e-10
# What float64 sums of two rows may be off by, in nats.
_SUMS = 2.0**-36


def boosted_law(mechanism: Exponential, claim: Guarantee) -> Finding | None:
    """Bound the loss of a law with row boosts over all triples; the bound is not reached, so it never accuses."""
    law, vocabulary = mechanism.law, mechanism.vocabulary
    same_radius = claim.relation.radius == (law.radius if np.isfinite(law.radius) else None)
    if law.row_boosts is None or claim.relation.pairs is not Pairs.METRIC or not same_radius:
        return None
    points, first, inverse, counts = np.unique(
        vocabulary.block(0, len(vocabulary)), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    weights, boosts = law.weights[first], law.row_boosts[first]
    places = inverse.reshape(-1)
    if not ((weights[places] == law.weights) & (boosts[places] == law.row_boosts)).all():
        return undecided(name=_NAME, method=Method.EXACT, because="Two words at one point have different laws.")
    order = cell_order(points)
    c, t = (weights * counts)[order], boosts[order]
    geometry = _Geometry(vocabulary.space, points[order], law.radius, rounding_slack(vocabulary) + _SUMS)
    normalisers = np.log(c + t * geometry.sums(law.rate, c))
    table, spare = geometry.table(), _SPARE * claim.epsilon
    found = margins(geometry.space, geometry.points, table, law.rate, c, t, radius=law.radius, spare=spare)
    boosted = max(0.0, float(found.max()))
    bound = law.rate + boosted + geometry.slope(normalisers)
    because = (
        f"Over all triples of {len(points):,} points the boosts of rows add at most {boosted:.3g} "
        f"for a unit of distance to the rate {law.rate:.7g}, and the sums of rows and rounding the rest."
    )
    if exceeds(bound, claim.epsilon):
        told = f"{because} That bounds epsilon by {bound:.7g}, which proves nothing about {claim.epsilon:.7g}."
        return undecided(name=_NAME, method=Method.EXACT, because=told, bound=bound)
    return conclude(claim, name=_NAME, method=Method.EXACT, bound=bound, because=because)
