"""Whatever a function returns, as an audit compares it: arrays, keys that are equal for equal values, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.mechanisms.candidates import Chosen


class Refusal:
    """What comes out where a function raises: that it does tells something about the input, as any output may.

    Parameters
    ----------
    error : what was raised
    """

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __repr__(self) -> str:
        return "refused"

    def __reduce__(self) -> Any:
        """Leave the error behind, which need not be one that can be sent to another process."""
        return Refusal, (InvalidInputError(told(self.error)),)


def answer(function: Any, value: Any) -> Any:
    """Return what a function gives for an input, or its refusal."""
    try:
        return function(value)
    except Exception as error:  # noqa: BLE001
        return Refusal(error)


def require_answers(outputs: Any) -> None:
    """Raise what a function raised if it never gave an output."""
    refused = [output for output in outputs if isinstance(output, Refusal)]
    if refused and len(refused) == len(outputs):
        error = refused[0].error
        raise InvalidInputError(f"the function gave no output for any input: {told(error)}") from error


def told(error: Exception) -> str:
    """Return an error in one line; our own without its name."""
    first = str(error).strip().partition("\n")[0]
    if isinstance(error, InvalidInputError):
        return first
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def as_array(value: Any) -> Any:
    """Return a value as an array, be it a list's or torch's, of whatever type and with gradients or without."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    try:
        return np.asarray(value)
    except TypeError:
        # NumPy has no bfloat16.
        return np.asarray(value.float())


def key_of(value: Any) -> Any:
    """Return something that is equal for values that are the same to the last bit."""
    if isinstance(value, Chosen):
        return value.index
    if isinstance(value, list | tuple):
        return tuple(key_of(item) for item in value)
    if isinstance(value, str | bytes | int):
        return value
    if isinstance(value, float) or hasattr(value, "__array__"):
        array = as_array(value)
        if array.dtype.kind in "fiub":
            return array.dtype.str, array.shape, array.tobytes()
    return repr(value)


def plain(value: Any) -> Any:
    """Return an input as a witness holds it: lists and numbers instead of arrays."""
    return value.tolist() if hasattr(value, "tolist") else value
