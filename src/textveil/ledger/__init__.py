"""The budget: what was released of which data, what it cost, and what is left; reserve, commit, never refund."""

from textveil.ledger.datasets import Balance, Counting, Dataset, Protected
from textveil.ledger.entries import Entry, State
from textveil.ledger.failures import BudgetExceededError, LedgerError
from textveil.ledger.ledger import Ledger, Reservation

__all__ = [
    "Balance",
    "BudgetExceededError",
    "Counting",
    "Dataset",
    "Entry",
    "Ledger",
    "LedgerError",
    "Protected",
    "Reservation",
    "State",
]
