"""How a ledger says no. Nothing is released after any of these."""

from __future__ import annotations

from textveil.errors import InvalidInputError, TextveilError


class LedgerError(TextveilError):
    """The ledger can't be reached, read or written; what was not written down counts as not allowed."""


class BudgetExceededError(InvalidInputError):
    """A release would bring a data set above its ceiling; nothing was reserved."""
