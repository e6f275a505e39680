"""Numbers of the ledger: fractions, so that sums have no rounding; floats enter as what they are, or above."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from textveil.errors import InvalidInputError
from textveil.ledger.failures import LedgerError

_DIGITS = 7
# A float differs from the decimal that it is written as by at most one part in 2^53.
_ONE_PART = Fraction(1, 2**53)
# Limits beyond these make no sense, and a fraction of very many digits can't be kept.
_LEAST, _MOST, _MOST_BITS = Decimal("1e-30"), Decimal("1e30"), 4096


def exactly(value: float | Fraction) -> Fraction:
    """Return a finite float as the number that it is."""
    return Fraction(value)


def ceiling(name: str, value: float | str | Fraction, *, least: int = 0) -> Fraction:
    """Return a limit that a user wrote as a decimal, one part in 2^53 above it.

    Ten floats 0.1 are a little more than 1; with this they fit in a ceiling of 1. A fraction is kept as it is.

    Parameters
    ----------
    name : for messages
    value : the limit
    least : it must be at least this
    """
    try:
        # A decimal is compared before it is made a fraction, which may be of any length.
        written = value if isinstance(value, Fraction) else Decimal(str(value))
        fits = written >= least and (not written or _LEAST <= written <= _MOST)
        number = Fraction(written) if fits else Fraction(0)
    except (ArithmeticError, ValueError):
        fits = False
    if not fits or max(number.numerator, number.denominator).bit_length() > _MOST_BITS:
        raise InvalidInputError(
            f"{name} must be a finite number >= {least}, and 0 or between {_LEAST:e} and {_MOST:e}, with at most a "
            f"thousand digits (got {str(value)[:40]!r})"
        )
    return number if isinstance(value, Fraction) else number * (1 + _ONE_PART)


def read_back(text: str) -> Fraction:
    """Return an amount as the data base keeps it; what no ledger wrote is refused."""
    try:
        number = Fraction(text)
    except (ArithmeticError, ValueError, TypeError):
        number = Fraction(-1)
    if number < 0:
        raise LedgerError("the ledger has an amount that no ledger writes, so nothing is released; restore the file")
    return number


def shown(value: Fraction) -> str:
    """Return a loss or a spending with seven digits, rounded up but for two parts in 2^53."""
    return _printed(value * (1 - 2 * _ONE_PART), ROUND_CEILING)


def shown_left(value: Fraction, limit: Fraction) -> str:
    """Return what is left of a limit with seven digits, rounded down; four parts in 2^53 of it are nothing."""
    return _printed(value if value > 4 * _ONE_PART * limit else Fraction(0), ROUND_FLOOR)


def float_above(value: Fraction) -> float:
    """Return the least float that is not below a number, infinity if there is none."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def float_below(value: Fraction) -> float:
    """Return the largest float that is not above a number of at least 0."""
    above = float_above(value)
    return above if math.isfinite(above) and Fraction(above) == value else math.nextafter(above, 0.0)


def _printed(value: Fraction, rounding: str) -> str:
    context = Context(prec=_DIGITS, rounding=rounding)
    number = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{float(number):.{_DIGITS}g}"
