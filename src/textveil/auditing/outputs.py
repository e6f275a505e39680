"""Outputs of what is audited: how they are drawn, and how they become numbers or names."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    both = [(subject(first), subject(second)) for _ in range(count)]
    return [one for one, _ in both], [other for _, other in both]


def repeated(value: Any, count: int) -> Any:
    """Return an input so many times: a vector as the rows of an array, anything else in a list."""
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return np.tile(value, (count, 1))
    return [value] * count


def as_outputs(first: Sequence[Any], second: Sequence[Any]) -> tuple[Outputs, Outputs]:
    """Return outputs of two inputs as numbers, where all are numbers of one shape, and by name."""
    items = [item.index if isinstance(item, Chosen) else item for item in (*first, *second)]
    numbers = _numbers(items)
    if numbers is None:
        whole = Outputs(None, [item if isinstance(item, str | bytes) else repr(item) for item in items])
    else:
        names = [row.tobytes() for row in numbers]
        whole = Outputs(np.nan_to_num(numbers, nan=_FAR, posinf=_FAR, neginf=-_FAR), names)
    return whole.part(slice(len(first))), whole.part(slice(len(first), None))


def plain(value: Any) -> Any:
    """Return an input as a witness holds it: lists and numbers instead of arrays."""
    return value.tolist() if hasattr(value, "tolist") else value


def as_vector(value: Any, dimension: int) -> Floats | None:
    """Return an input as a vector of so many numbers, if it is one."""
    numbers = _numbers([value])
    return numbers[0] if numbers is not None and numbers.shape[1] == dimension else None


def _numbers(items: list[Any]) -> Floats | None:
    if any(isinstance(item, str | bytes) for item in items):
        return None
    try:
        table = np.asarray([np.asarray(item) for item in items])
    except ValueError:
        return None
    if table.dtype.kind not in "fiub" or math.prod(table.shape[1:]) == 0:
        return None
    return table.reshape(len(table), -1).astype(np.float64)
