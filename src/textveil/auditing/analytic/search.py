"""A search for a violation in a density that is known by its values alone. It can accuse, and certifies nothing.

Outputs are tried where a log-ratio is usually largest: at the inputs, on the ray through both, along axes, and in
random public directions from either.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.metrics import norm_of
from textveil.auditing.promises import TOLERANCE, conclude, epsilon_for, exceeds, undecided
from textveil.auditing.report import Finding, Method, Witness
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs
from textveil.noise.transforms import normals
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Pair = tuple[Any, Any, Floats, Floats, float]

_NAME = "a search for outputs with a large log-ratio"
_DISTANCES = (0.1, 1.0, 10.0)
_STEPS = np.concatenate([[0.0], np.geomspace(0.01, 100.0, 41)])
_MOST_AXES = 16
_DIRECTIONS = 16


def density_search(mechanism: Any, claim: Guarantee) -> Finding | None:
    """Look for a pair of vectors and an output that break a claim without delta."""
    dimension = getattr(mechanism, "dimension", None)
    if claim.delta or not hasattr(mechanism, "log_density") or not isinstance(dimension, int):
        return None
    try:
        return search_pairs(mechanism.log_density, _pairs(dimension, claim), claim)
    except InvalidInputError:
        return None


def search_pairs(
    log_density: Callable[[Floats, Floats], Floats], pairs: Iterable[Pair], claim: Guarantee
) -> Finding | None:
    """Look for an output that breaks the claim between some pairs: their names, their vectors, their distance."""
    best, witness = -1.0, None
    for name, other_name, first, second, distance in pairs:
        claimed = claim.loss(distance)
        if not math.isfinite(claimed):
            continue
        outputs = _outputs(first, second)
        with np.errstate(invalid="ignore"):
            losses = log_density(outputs, np.broadcast_to(first, outputs.shape)) - log_density(
                outputs, np.broadcast_to(second, outputs.shape)
            )
        losses = np.where(np.isnan(losses), -np.inf, losses)
        place = int(np.argmax(losses))
        needed = epsilon_for(claim, float(losses[place]), distance)
        if needed > best:
            event = f"outputs near {np.round(outputs[place][:4], 4).tolist()}{' ...' if len(first) > 4 else ''}"
            loss = float(losses[place])
            best = needed
            witness = Witness(pair=(name, other_name), event=event, distance=distance, loss=loss, claimed=claimed)
    if witness is None:
        return None
    if not exceeds(best, claim.epsilon):
        told = f"The largest epsilon that was found is {best:.7g}; a search finds what it finds, and proves nothing."
        return undecided(name=_NAME, method=Method.ANALYTIC, because=told, bound=best, witness=witness)
    because = "The densities of an output from two inputs were compared."
    return conclude(claim, name=_NAME, method=Method.ANALYTIC, bound=best, because=because, witness=witness)


def _pairs(dimension: int, claim: Guarantee) -> Iterable[Pair]:
    axis, diagonal = np.eye(1, dimension)[0], np.full(dimension, 1 / math.sqrt(dimension))
    norm = norm_of(claim.relation.metric)
    if claim.relation.pairs is not Pairs.ANY and norm not in ("Euclidean", "l1"):
        return
    for length in _DISTANCES:
        for unit in (axis, diagonal) if dimension > 1 else (axis,):
            first, second = unit * length / 2, -unit * length / 2
            distance = float(np.linalg.norm(first - second, ord=1 if norm == "l1" else 2)) * (1 + TOLERANCE)
            yield first.tolist(), (second + 0.0).tolist(), first, second, distance


def _outputs(first: Floats, second: Floats) -> Floats:
    dimension = len(first)
    size = float(np.linalg.norm(first - second))
    axes = np.eye(min(dimension, _MOST_AXES), dimension)
    key = hashlib.sha256(b"textveil audit directions").digest()
    streams = RandomSource.keyed(key).streams(b"%d" % dimension, np.arange(_DIRECTIONS))
    random = normals(streams, dimension)
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    ray = (first - second)[None] / size
    directions = np.concatenate([ray, -ray, axes, -axes, random])
    moves = (size * _STEPS[:, None, None] * directions).reshape(-1, dimension)
    return np.concatenate([first + moves, second + moves, (first + second)[None] / 2])
