"""Outputs of what is audited: how they are drawn, and how they become numbers or names."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.values import Refusal, answer, as_array, plain
from textveil.errors import InvalidInputError
from textveil.mechanisms.candidates import Chosen
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource, SourceKind

Floats = NDArray[np.float64]
Subject = Mechanism | Callable[[Any], Any]

# Numbers beyond are as good as infinite, and their squares are not.
_FAR = 1e150


class Outputs(NamedTuple):
    """Outputs of one input: a row of numbers each, if they are numbers, and a name each, equal for equal outputs."""

    numbers: Floats | None
    names: Sequence[Hashable]

    def part(self, rows: slice) -> Outputs:
        """Return some of the outputs."""
        return Outputs(None if self.numbers is None else self.numbers[rows], self.names[rows])

    def __len__(self) -> int:
        return len(self.names)


def draw(subject: Subject, first: Any, second: Any, count: int, source: RandomSource | None) -> tuple[Any, Any]:
    """Draw `count` outputs of each of two inputs; a function is called for one and the other in turn.

    That a function raises is an output like others.

    Parameters
    ----------
    subject : a mechanism, which draws them all at once, or a function of one input
    first, second : the inputs
    count : how many
    source : where a mechanism's noise comes from
    """
    if isinstance(subject, Mechanism):
        if source is not None and source.kind is SourceKind.KEYED:
            raise InvalidInputError("an audit needs fresh noise, and a keyed source repeats its own: leave source out")
        return tuple(subject.release(repeated(value, count), source=source) for value in (first, second))
    both = [(answer(subject, first), answer(subject, second)) for _ in range(count)]
    return [one for one, _ in both], [other for _, other in both]


def repeated(value: Any, count: int) -> Any:
    """Return an input so many times: a vector as the rows of an array, anything else in a list."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return np.tile(value, (count, 1))
    return [value] * count


def as_outputs(
    first: Sequence[Any], second: Sequence[Any], learned: tuple[Sequence[Any], Sequence[Any]] | None = None
) -> tuple[Outputs, Outputs]:
    """Return outputs of two inputs as numbers, where all are numbers of one shape, and by name.

    Parameters
    ----------
    first, second : the outputs
    learned : those by which it is decided whether all are numbers, so that outputs that are only counted have no say in
        what is counted; among numbers any other output is as one that is out of reach
    """
    items = [_item(output) for output in (*first, *second)]
    told = items if learned is None else [_item(output) for part in learned for output in part]
    shape = _shape([item for item in told if not isinstance(item, Refusal)])
    if shape is None:
        whole = Outputs(None, [name_of(item) for item in items])
    else:
        numbers = np.stack([_row(item, shape) for item in items]) if items else np.empty((0, math.prod(shape)))
        names = [row.tobytes() for row in numbers]
        whole = Outputs(np.nan_to_num(numbers, nan=_FAR, posinf=_FAR, neginf=-_FAR), names)
    return whole.part(slice(len(first))), whole.part(slice(len(first), None))


def name_of(value: Any) -> str | bytes:
    """Return a name that is equal for equal values: a text is its own."""
    return value if isinstance(value, str | bytes) else repr(plain(value))


def as_vector(value: Any, dimension: int) -> Floats | None:
    """Return an input as a vector of so many numbers, if it is one."""
    item = _item(value)
    shape = _shape([item])
    return _row(item, shape) if shape is not None and math.prod(shape) == dimension else None


def _item(output: Any) -> Any:
    """Return an output as an array if it consists of numbers, or else as it is."""
    if isinstance(output, Chosen):
        return np.asarray(output.index)
    if isinstance(output, str | bytes | Refusal):
        return output
    try:
        array = as_array(output)
    except ValueError:
        return output
    return array if array.dtype.kind in "fiub" else output


def _shape(items: list[Any]) -> tuple[int, ...] | None:
    """Return the shape that all of these arrays have; None if some are no numbers, or there are none."""
    shapes = {item.shape if isinstance(item, np.ndarray) else None for item in items}
    shape = shapes.pop() if len(shapes) == 1 else None
    return shape if shape is None or math.prod(shape) else None


def _row(item: Any, shape: tuple[int, ...]) -> Floats:
    if isinstance(item, np.ndarray) and item.shape == shape and item.dtype.kind in "fiub":
        return item.reshape(-1).astype(np.float64)
    return np.full(math.prod(shape), np.nan)
