"""A promise in a file, with public inputs to try it on: what somebody says that a function of theirs keeps.

YAML or JSON; `TEMPLATE` has every field. Format and meaning: docs/auditing.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from textveil.auditing.claim_inputs import Pair, number, pairs_of
from textveil.errors import InvalidInputError, reason_of, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit

Choice = TypeVar("Choice", bound=StrEnum)

TEMPLATE = """\
# What a function promises, and public inputs to try it on:
#   textveil audit my_module:my_function --claim claim.yaml

unit: vector          # what is protected: word, vector, sentence, utterance, document or text
# whole: true         # of a text: that epsilon is for all of it; else it is for each word that differs
relation: metric      # metric: a loss of epsilon x distance; any: epsilon for any pair; within: for pairs up to radius
metric: euclidean     # of metric and within: euclidean, l1, hyperbolic; or a name, if each pair gives its distance
# radius: 1.0         # within: the largest distance covered; metric: where distances stop counting
epsilon: 1.0
delta: 0
reveals: []           # what the output may show anyway, such as "the number of words" or "capital letters"
batch: false          # true: the function takes a list of inputs (rows of an array, for vectors) and returns a list

# Public inputs: made for vectors of a dimension, no longer than clip ...
inputs:
  dimension: 8
  clip: 1.0

# ... or given: x, y and, where the metric is not one of the three, their distance. Put words in quotes.
# pairs:
#   - [[1.0, 0.0], [0.0, 1.0]]
#   - {x: "paris", y: "london", distance: 3.2}
"""

_RELATIONS = (Pairs.METRIC, Pairs.ANY, Pairs.WITHIN)
_METRICS = {"euclidean": "Euclidean distance", "l2": "Euclidean distance", "l1": "l1 distance"}
_METRICS["hyperbolic"] = "hyperbolic distance"
_FIELDS = ("unit", "relation", "metric", "radius", "epsilon", "delta", "reveals", "whole", "batch", "inputs", "pairs")


@dataclass(frozen=True, kw_only=True)
class ClaimFile:
    """What a file says.

    Parameters
    ----------
    claim : the promise; it is marked conditional, since nothing here proves it
    pairs : public inputs, two and two, with their distance or None
    batch : whether the function takes many inputs at once
    """

    claim: Guarantee
    pairs: tuple[Pair, ...]
    batch: bool = False

    @classmethod
    def load(cls, path: str | Path) -> ClaimFile:
        """Read a promise; whatever is wrong with the file is said in one line that names the field."""
        path = Path(path)
        try:
            return _read(_fields(path), path.name)
        except InvalidInputError as error:
            raise InvalidInputError(f"{path.name}: {error}") from None


def _fields(path: Path) -> dict[str, Any]:
    """Return the fields of a file, all of them known."""
    if path.suffix not in (".yaml", ".yml", ".json"):
        raise InvalidInputError("a claim must be a .yaml, .yml or .json file; `textveil audit --template` prints one")
    fields = _parsed(path)
    if not isinstance(fields, dict):
        raise InvalidInputError("a claim must be fields with values; `textveil audit --template` prints one")
    for name in fields:
        if name not in _FIELDS:
            near = get_close_matches(str(name), _FIELDS, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(_FIELDS)}"
            raise InvalidInputError(f"there is no field {str(name)!r}; {remedy}")
    return {name: value for name, value in fields.items() if value is not None}


def _parsed(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInputError("it is not a text in UTF-8") from None
    except OSError as error:
        raise InvalidInputError(f"it can't be read ({reason_of(error)}); give the path of a claim: {path}") from None
    if path.suffix == ".json":
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            raise InvalidInputError(f"line {error.lineno} is not JSON: {error.msg}") from None
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}" if mark else "it"
        raise InvalidInputError(f"{where} is not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError:
        raise InvalidInputError("it is not YAML; `textveil audit --template` prints one that is") from None


def _read(fields: Mapping[str, Any], name: str) -> ClaimFile:
    relation = _relation(fields)
    if "epsilon" not in fields:
        raise InvalidInputError("epsilon is missing; add for instance `epsilon: 1.0`")
    unit = _choice("unit", fields, tuple(Unit))
    whole = _switch("whole", fields)
    if whole and unit is not Unit.TEXT:
        raise InvalidInputError("whole is for unit text, whose words may count each; leave it out")
    claim = Guarantee(
        epsilon=require_positive("epsilon", number("epsilon", fields["epsilon"])),
        delta=number("delta", fields.get("delta", 0)),
        unit=unit,
        whole=whole,
        relation=relation,
        status=Status.CONDITIONAL,
        reason=f"as claimed in {name}; nothing is proved",
        reveals=_reveals(fields.get("reveals", [])),
    )
    return ClaimFile(claim=claim, pairs=tuple(pairs_of(fields, claim)), batch=_switch("batch", fields))


def _switch(name: str, fields: Mapping[str, Any]) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise InvalidInputError(f"{name} must be true or false (got {value!r})")
    return value


def _relation(fields: Mapping[str, Any]) -> Relation:
    pairs = _choice("relation", fields, _RELATIONS)
    radius = None if "radius" not in fields else require_positive("radius", number("radius", fields["radius"]))
    if pairs is Pairs.ANY:
        for name in ("metric", "radius"):
            if name in fields:
                raise InvalidInputError(f"{name} would do nothing, since relation is any; leave it out")
        return Relation(pairs=pairs)
    metric = fields.get("metric")
    if not isinstance(metric, str) or not metric.strip():
        raise InvalidInputError(f"relation {pairs} needs a metric: euclidean, l1, hyperbolic, or a name of your own")
    if pairs is Pairs.WITHIN and radius is None:
        raise InvalidInputError("relation within needs a radius, the largest distance covered: `radius: 1.0`")
    return Relation(pairs=pairs, metric=_METRICS.get(metric.strip().lower(), metric.strip()), radius=radius)


def _choice(name: str, fields: Mapping[str, Any], allowed: Sequence[Choice]) -> Choice:
    given = fields.get(name)
    for choice in allowed:
        if given == choice:
            return choice
    got = f"got {given!r}" if name in fields else "it is missing"
    raise InvalidInputError(f"{name} must be one of {', '.join(allowed)} ({got})")


def _reveals(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInputError('reveals must be a list of texts, such as ["the number of words"]')
    return tuple(value)
