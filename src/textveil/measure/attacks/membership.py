"""Was this vector among those that were released? An attack on a whole collection.

Every member's vector was released once. The attacker sees all releases, in no order, and scores a vector by how near
the nearest release comes. If no two vectors have a loss above epsilon, members are recognised at most e^epsilon times
as often as others, so no attack's advantage passes tanh(epsilon / 2). Proof: docs/comparing.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.statistics.sampled import clopper_pearson
from textveil.spaces import Euclidean

Floats = NDArray[np.float64]

_ROWS = 1024
_FEW = 0.01


@dataclass(frozen=True)
class Membership:
    """How well members are told from others.

    Parameters
    ----------
    area : the chance that a member scores higher than another vector does (the area under the ROC curve); 1/2 is chance
    advantage : share of members recognised less share of others that are taken for members, at a threshold that was
        chosen on one half of the vectors and tried on the other
    recognised : share of members above a score that 1% of the others pass
    recognised_low, recognised_high : its interval of 95%, for that score
    """

    area: float
    advantage: float
    recognised: float
    recognised_low: float
    recognised_high: float


def membership_attack(released: Floats, members: Floats, others: Floats) -> Membership:
    """Carry out the attack.

    Parameters
    ----------
    released : what came out, (n, dimension), in any order
    members : the vectors that went in
    others : vectors of the same kind that did not
    """
    if min(len(released), len(members), len(others)) < 4:
        raise InvalidInputError("membership_attack needs at least 4 releases, members and others each")
    inside, outside = _nearness(members, released), _nearness(others, released)
    threshold = float(np.sort(outside)[math.ceil((1 - _FEW) * len(outside)) - 1])
    hits = int((inside > threshold).sum())
    low, high = clopper_pearson(np.array(hits), len(inside), 0.05)
    return Membership(
        area=_area(inside, outside),
        advantage=_advantage(inside, outside),
        recognised=hits / len(inside),
        recognised_low=float(low),
        recognised_high=float(high),
    )


def advantage_bound(loss: float) -> float:
    """Return what no attack's advantage passes if the loss between any two vectors is at most this."""
    return math.tanh(loss / 2)


def _nearness(vectors: Floats, released: Floats) -> Floats:
    space = Euclidean(released.shape[1])
    rows = range(0, len(vectors), _ROWS)
    return -np.concatenate([space.distances(vectors[row : row + _ROWS], released).min(axis=1) for row in rows])


def _area(inside: Floats, outside: Floats) -> float:
    ordered = np.sort(outside)
    below = np.searchsorted(ordered, inside, side="left") + np.searchsorted(ordered, inside, side="right")
    return float(below.mean() / (2 * len(outside)))


def _advantage(inside: Floats, outside: Floats) -> float:
    thresholds = np.unique(np.concatenate([inside[::2], outside[::2]]))
    gains = _passing(inside[::2], thresholds) - _passing(outside[::2], thresholds)
    best = thresholds[[int(np.argmax(gains))]]
    return float((_passing(inside[1::2], best) - _passing(outside[1::2], best))[0])


def _passing(scores: Floats, thresholds: Floats) -> Floats:
    return np.asarray(1 - np.searchsorted(np.sort(scores), thresholds, side="left") / len(scores))
