"""One small tree of exceptions and warnings; each message says what to do.

Messages may quote public objects (parameters, sizes, limits) but never private text or vectors.
"""

from __future__ import annotations

import math


class TextveilError(Exception):
    """Anything textveil raises on purpose."""


class InvalidInputError(TextveilError, ValueError):
    """A value that can't be used; the message names it, its limit and the remedy."""


class CertificateError(TextveilError):
    """A certificate does not belong to what it should certify, or was edited."""


class MissingDependencyError(TextveilError, ImportError):
    """An optional package is needed; the message names it."""


class NotPrivateWarning(UserWarning):
    """The release is reproducible by anyone who knows the seed: for tests only."""


def require_positive(name: str, value: float) -> float:
    """Return `value` as a float if it is finite and above zero."""
    number = require_number(name, value)
    if not (number > 0 and math.isfinite(number)):
        raise InvalidInputError(f"{name} must be a finite number > 0 (got {value!r})")
    return number


def require_probability(name: str, value: float) -> float:
    """Return `value` as a float if 0 <= value < 1."""
    number = require_number(name, value)
    if not 0 <= number < 1:
        raise InvalidInputError(f"{name} must be at least 0 and below 1 (got {value!r})")
    return number


def require_count(name: str, value: int, *, least: int = 1) -> int:
    """Return `value` as an int if it is a whole number of at least `least`."""
    number = require_number(name, value)
    if not number.is_integer() or number < least:
        raise InvalidInputError(f"{name} must be a whole number >= {least} (got {value!r})")
    return int(value)


def require_number(name: str, value: float) -> float:
    """Return `value` as a float if it is one number, and no text that reads like one."""
    if isinstance(value, str | bytes | bytearray | bool) or getattr(value, "shape", ()) != ():
        raise InvalidInputError(f"{name} must be a number (got {type(value).__name__})")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{name} must be a number (got {type(value).__name__})") from None


def reason_of(error: OSError) -> str:
    """Say why the system refused, in its own words if it has any."""
    return error.strerror or type(error).__name__
