"""Words around a word, in the plane: how far each is is kept exactly, in which direction as well as two dimensions can.

The word is moved to the middle (in the Poincaré ball by an isometry). Then each word is a vector as long as it is far;
its direction is projected onto a plane. In two dimensions nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.spaces import Euclidean, Poincare
from textveil.spaces.hyperbolic import Polar, way
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]

# A word this near to the centre of the ball has no direction towards it.
_AT_CENTRE = 1e-6


@dataclass(frozen=True)
class View:
    """Distances of all words from one, the angle under which each is seen, and how far away the ball's centre is.

    Parameters
    ----------
    distances, angles : one a word; the angle pi/2 points up
    centre : distance of the centre of the Poincaré ball, which lies upwards; None in other spaces and at the centre
    exact : whether the angles are exact too
    """

    distances: Floats
    angles: Floats
    centre: float | None
    exact: bool


def view_from(vocabulary: Vocabulary, word: int, weights: Floats) -> View:
    """Look at all words from one of them.

    Parameters
    ----------
    vocabulary : in Euclidean space or in the Poincaré ball
    word : its number
    weights : how much each word counts for the choice of the plane
    """
    points = vocabulary.block(0, len(vocabulary))
    own, centre = points[word : word + 1], None
    if isinstance(vocabulary.space, Poincare):
        base = Polar.of_ball(own)
        vectors = way(_repeated(base, len(points)), Polar.of_ball(points))
        centre = float(base.radius[0])
        up = way(base, Polar.of_ball(np.zeros_like(own)))[0] if centre > _AT_CENTRE else None
    elif isinstance(vocabulary.space, Euclidean):
        vectors, up = points - own, None
    else:
        raise InvalidInputError(
            f"no picture of words by {vocabulary.space.metric}: it takes a Euclidean or hyperbolic vocabulary"
        )
    across, upwards = _plane(vectors, weights, up)
    return View(
        distances=distances_to_all(vocabulary, np.array([word]))[0],
        angles=np.arctan2(vectors @ upwards, vectors @ across),
        centre=centre if up is not None else None,
        exact=vocabulary.dimension <= 2,
    )


def _repeated(point: Polar, count: int) -> Polar:
    return Polar(np.repeat(point.radius, count), np.repeat(point.direction, count, axis=0))


def _plane(vectors: Floats, weights: Floats, up: Floats | None) -> tuple[Floats, Floats]:
    """Return two unit vectors: `up` if there is one, and what shows most of the weighted directions besides."""
    lengths = np.linalg.norm(vectors, axis=1)
    directions = vectors / np.where(lengths > 0, lengths, 1.0)[:, None]
    shares = weights / weights.sum()
    around = directions - shares @ directions
    spread = (around * shares[:, None]).T @ around
    if up is not None:
        up = up / np.linalg.norm(up)
        flat = np.eye(len(up)) - np.outer(up, up)
        spread = flat @ spread @ flat
    strengths, axes = np.linalg.eigh(spread)
    leading = axes[:, np.argsort(-strengths, kind="stable")]
    if up is None:
        second = leading[:, 1] if leading.shape[1] > 1 else np.zeros(1)
        return _pointing(leading[:, 0]), _pointing(second)
    if len(up) == 1:
        return np.zeros(1), up
    if len(up) == 2:
        return np.array([up[1], -up[0]]), up
    return _pointing(leading[:, 0]), up


def _pointing(axis: Floats) -> Floats:
    """Turn an axis so that its largest entry is positive: pictures do not depend on the sign that LAPACK picks."""
    largest = axis[np.argmax(np.abs(axis))]
    return axis if largest >= 0 else -axis
