"""Arrays and objects that nobody can change, in copies too: what a promise was computed from must stay what it was."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array itself, closed to writing; a view of another array is copied first, since that stays open."""
    owned = array if array.flags.owndata else array.copy()
    owned.flags.writeable = False
    return owned


class SetOnce:
    """An object whose attributes stay what they were set to first."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self):
            raise AttributeError(f"{name} of {type(self).__name__} can't be changed: make another one")
        super().__setattr__(name, value)


class Immutable:
    """A dataclass that takes its arrays over and closes them; copies and pickles are made anew from its fields."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, read_only(value))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
