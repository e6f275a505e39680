"""What an epsilon means for vectors, seen on public ones: how far they lie apart, what is lost there, what is left.

Only public vectors are looked at, and the noise comes from a public key: nothing private is released or measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.guarantees import Pairs
from textveil.mechanisms.directions import Directions
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.vectors import VectorMechanism, checked_vectors
from textveil.randomness import RandomSource

Vectors = NDArray[np.float64]

_SHARES = (0.1, 0.5, 0.9)
_PAIRS = 4000
_RELEASED = 200
# Two primes that step through a table in two orders, so that pairs don't follow how its rows are sorted.
_STEPS = (7919, 104_729)


@dataclass(frozen=True, kw_only=True)
class VectorScale:
    """What a mechanism does to public vectors. `str()` says it in lines.

    Parameters
    ----------
    what : which vectors
    distances : between two of them, in the metric of the promise: at 10%, 50% and 90% of the pairs
    losses : at these distances, in nats; inf where nothing is promised
    within : the share of pairs that the promise is about, where that is not all
    error : root mean square error of a release, over the root mean square length
    cosine : between a vector and its release, on average
    """

    what: str
    distances: tuple[float, ...]
    losses: tuple[float, ...]
    within: float | None
    error: float
    cosine: float

    def __str__(self) -> str:
        far, lost = (", ".join(f"{value:,.3g}" for value in values) for values in (self.distances, self.losses))
        lines = [f"Scale    two {self.what} lie {far} apart (10%, 50%, 90% of pairs)"]
        if self.within is not None:
            lines.append(f"         the promise is about {self.within:.1%} of such pairs")
        else:
            lines.append(
                f"         and lose {lost.replace('inf', 'more than is promised')} nats there (1 hides well, 10 little)"
            )
        lines.append(
            f"Error    a release is off by {self.error:,.2g} x the length of such a vector; its mean cosine with"
        )
        lines.append(f"         it is {self.cosine:.2f} (1 keeps the direction, 0 nothing of it)")
        return "\n".join(lines)


def vector_scale(mechanism: VectorMechanism, public: Vectors, *, what: str = "public vectors") -> VectorScale:
    """Measure what a mechanism does to public vectors.

    Parameters
    ----------
    mechanism : releases vectors
    public : (n, dimension), fixed independently of anything private
    what : what they are called
    """
    points = checked_vectors(public, mechanism.dimension)
    if isinstance(mechanism, Directions):
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        points = points[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
    if len(points) < 2:
        raise InvalidInputError("public must have at least two different rows to show a scale")
    first = np.arange(_PAIRS) * _STEPS[0] % len(points)
    second = (first + 1 + np.arange(_PAIRS) * _STEPS[1] % (len(points) - 1)) % len(points)
    apart = (points[first] - points[second]) @ _metric(mechanism)
    far = np.linalg.norm(apart, axis=1)
    far = far[far > 0]
    if not len(far):
        raise InvalidInputError("public must have at least two different rows to show a scale")
    distances = tuple(float(value) for value in np.quantile(far, _SHARES))
    promise = mechanism.guarantee
    relation, reach = promise.relation, promise.relation.radius or math.inf
    rows = points[first[:_RELEASED]]
    error, cosine = _kept(mechanism, rows)
    return VectorScale(
        what=what,
        distances=distances,
        losses=tuple(promise.loss(distance) for distance in distances),
        within=float((far <= reach).mean()) if relation.pairs is Pairs.WITHIN else None,
        error=error,
        cosine=cosine,
    )


def _metric(mechanism: VectorMechanism) -> Vectors:
    return mechanism._whitening if isinstance(mechanism, Mahalanobis) else np.eye(mechanism.dimension)


def _kept(mechanism: VectorMechanism, rows: Vectors) -> tuple[float, float]:
    released = mechanism.release(rows, source=RandomSource.keyed(bytes(16)))
    truth = mechanism.chosen.apply(rows) if isinstance(mechanism, PrivEmb) else rows
    lengths = np.linalg.norm(truth, axis=1)
    error = math.sqrt(np.square(released - truth).sum() / np.square(lengths).sum())
    product = lengths * np.linalg.norm(released, axis=1)
    cosines = np.divide((released * truth).sum(axis=1), product, out=np.zeros_like(product), where=product > 0)
    return error, float(cosines.mean())
