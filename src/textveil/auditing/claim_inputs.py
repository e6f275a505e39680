"""The public inputs that a claim is tried on: given in its file, or made for vectors of a dimension."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.metrics import norm_of
from textveil.auditing.pairs import distance_between
from textveil.errors import InvalidInputError, require_count, require_number, require_positive
from textveil.guarantees import Guarantee, Pairs

Floats = NDArray[np.float64]
Pair = tuple[Any, Any, float | None]
Refusal = Callable[[str], NoReturn]

# Losses that pairs of a metric promise are made for: one or two nats are the easiest to test.
_LOSSES = (2.0, 0.5)
# Rounding must not carry a pair beyond a radius.
_WITHIN = 1 - 1e-12


def pairs_of(fields: Mapping[str, Any], claim: Guarantee) -> list[Pair]:
    """Return the pairs that the fields of a file give or describe, with their distances."""
    if ("inputs" in fields) == ("pairs" in fields):
        raise InvalidInputError("give public inputs to try: either `pairs:` or `inputs:` with a dimension, not both")
    if "inputs" in fields:
        return _made(fields["inputs"], claim)
    if not isinstance(fields["pairs"], list) or not fields["pairs"]:
        raise InvalidInputError("pairs must be a list of pairs, each [x, y] or {x: ..., y: ..., distance: ...}")
    return [_pair(item, at, claim) for at, item in enumerate(fields["pairs"], start=1)]


def number(name: str, value: Any) -> float:
    """Return a number. YAML takes 1e-5 for a text, and a number is meant."""
    if isinstance(value, bool):
        raise InvalidInputError(f"{name} must be a number (got {str(value).lower()})")
    try:
        return float(value) if isinstance(value, str) else require_number(name, value)
    except ValueError:
        raise InvalidInputError(f"{name} must be a number (got {value!r})") from None


def _pair(item: Any, at: int, claim: Guarantee) -> Pair:
    def wrong(why: str) -> NoReturn:
        raise InvalidInputError(f"pair {at}: {why}")

    x, y, *rest = _parts(item, wrong)
    x, y = _input(x, wrong), _input(y, wrong)
    if np.array_equal(x, y):
        wrong("x and y are the same, so that nothing can differ")
    if not rest:
        try:
            return x, y, distance_between(claim, x, y)
        except InvalidInputError:
            wrong(f"how far apart x and y are in {claim.relation.metric!r} is not known: add their distance")
    distance = number(f"pair {at}: the distance", rest[0])
    if not 0 <= distance < math.inf:
        wrong(f"the distance must be a finite number >= 0 (got {distance!r})")
    return x, y, distance


def _parts(item: Any, wrong: Refusal) -> list[Any]:
    """Return x, y and perhaps a distance."""
    if isinstance(item, dict):
        if not {"x", "y"} <= set(item) <= {"x", "y", "distance"}:
            wrong("it must have x and y, and may have a distance")
        item = [item[name] for name in ("x", "y", "distance") if name in item]
    if not isinstance(item, list) or not 2 <= len(item) <= 3:
        wrong("it must be [x, y], [x, y, distance] or {x: ..., y: ..., distance: ...}")
    if any(isinstance(part, bool) or part is None for part in item):
        wrong("YAML reads yes, no, on, off and null as other things than words: put words in quotes")
    return list(item)


def _input(value: Any, wrong: Refusal) -> Any:
    """Return an input as the function gets it: numbers in a list are an array."""
    if not isinstance(value, list) or (value and all(isinstance(item, str) for item in value)):
        return value
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        wrong("a list must hold numbers, rows of numbers of one length, or words")
    if not array.size or not np.isfinite(array).all():
        wrong("a vector must have numbers, all of them finite")
    return array


def _made(inputs: Any, claim: Guarantee) -> list[Pair]:
    """Return opposite vectors, along an axis and along the diagonal, as far apart as tells the most."""
    if not isinstance(inputs, dict) or "dimension" not in inputs or not set(inputs) <= {"dimension", "clip"}:
        raise InvalidInputError(
            "inputs must have a dimension, and may have a clip: `inputs: {dimension: 8, clip: 1.0}`"
        )
    dimension = require_count("the dimension of inputs", inputs["dimension"])
    clip = math.inf
    if "clip" in inputs:
        clip = require_positive("the clip of inputs", number("the clip of inputs", inputs["clip"]))
    if claim.relation.pairs is Pairs.ANY and math.isinf(clip):
        raise InvalidInputError("inputs needs a clip, the largest length of a vector, since relation is any")
    axis, diagonal = np.eye(1, dimension)[0], np.full(dimension, 1 / math.sqrt(dimension))
    ways = (axis, diagonal) if dimension > 1 else (axis,)
    halves = [length * way for way in ways for length in _lengths(way, claim, clip)]
    return [(half, 0.0 - half, distance_between(claim, half, 0.0 - half)) for half in halves]


def _lengths(way: Floats, claim: Guarantee, clip: float) -> list[float]:
    """Return how long two opposite vectors of this direction should be, in the plain sense."""
    relation = claim.relation
    if relation.pairs is Pairs.ANY:
        return [clip]
    metric = relation.pairs is Pairs.METRIC
    apart = [loss / claim.epsilon for loss in _LOSSES] if metric else [_WITHIN * (relation.radius or 0.0)]
    if norm_of(relation.metric) == "hyperbolic":
        lengths = [math.tanh(far / 4) for far in apart]
    else:
        lengths = [far / distance_between(claim, way, -way) for far in apart]
    return list(dict.fromkeys(min(length, clip) for length in lengths))
