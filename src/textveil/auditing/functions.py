"""Somebody else's function, as an audit calls it: found by its name, one input a call, its errors told in one line."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textveil.auditing.values import key_of, told
from textveil.errors import InvalidInputError
from textveil.mechanisms.mechanism import Mechanism

# How many outputs of an input are asked for at once.
_BATCH = 64


def function_of(name: str) -> Any:
    """Return what `module:function` names; modules are looked for in the working folder, too."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise InvalidInputError(f"a function is named module:function (got {name!r})")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:
        raise InvalidInputError(f"{module} can't be imported: {told(error)}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise InvalidInputError(f"there is no {part} in {module}; a function is named module:function")
        found = getattr(found, part)
    if not callable(found) and not isinstance(found, Mechanism):
        raise InvalidInputError(f"{name} is not a function")
    return found


class Called:
    """A function of one input, made of any function.

    Parameters
    ----------
    function : takes an input, or many at once
    name : what it is called in reports
    batch : whether it takes many: a list, or for vectors the rows of an array
    step : is told of every call
    """

    def __init__(
        self, function: Callable[[Any], Any], name: str, *, batch: bool = False, step: Callable[[], None] | None = None
    ) -> None:
        self.__name__ = name
        self._function, self._batch, self._step = function, batch, step
        self._waiting: dict[Any, list[Any]] = {}
        self._process = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what belongs to this process: who is told of calls, and outputs that were not handed out."""
        return self.__dict__ | {"_step": None, "_waiting": {}}

    def __call__(self, value: Any) -> Any:
        """Return an output of an input."""
        if self._step is not None:
            self._step()
        if not self._batch:
            return self._answer(value)
        if self._process != os.getpid():
            # Workers that were forked must not hand out the same outputs.
            self._process, self._waiting = os.getpid(), {}
        key = type(value), key_of(value)
        if not self._waiting.get(key):
            self._waiting[key] = self._answers(value)
        return self._waiting[key].pop()

    def _answers(self, value: Any) -> list[Any]:
        """Return outputs of one input; that they are of one batch must not show."""
        rows: Sequence[Any] | np.ndarray[Any, Any] = [value] * _BATCH
        if isinstance(value, np.ndarray):
            rows = np.tile(value, (_BATCH, *[1] * value.ndim))
        answers = self._answer(rows)
        try:
            listed = list(answers)
        except TypeError:
            listed = []
        if len(listed) != _BATCH or isinstance(answers, str):
            raise InvalidInputError(f"{self.__name__} must return {_BATCH} outputs for a batch of {_BATCH} inputs")
        return listed

    def _answer(self, value: Any) -> Any:
        try:
            return self._function(value)
        except Exception as error:
            raise InvalidInputError(f"{self.__name__} raised {told(error)}") from error
