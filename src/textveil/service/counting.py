"""Payment from a ledger. Whatever the ledger can't do is refused: without a reservation nothing is released."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from textveil.ledger import Balance, BudgetExceededError, Dataset, Ledger, LedgerError, Protected, Reservation
from textveil.ledger.exact import float_above, float_below
from textveil.service.errors import Code, Refusal
from textveil.service.spending import Entry, Purchase


class Counted:
    """A ledger as the service uses it.

    Parameters
    ----------
    url : of the ledger
    """

    counted = True

    def __init__(self, url: str) -> None:
        self._ledger = Ledger(url)
        self._known: dict[str, Dataset] = {}
        self._ledger.check()
        self._kept_open = _kept_open(self._ledger.place)

    def reserve(self, purchase: Purchase, *, touch: bool) -> Entry:
        """Reserve the cost, durably, or refuse; with `touch` also write down that data are about to be used."""
        dataset = self._dataset(purchase.dataset)
        with _told():
            made = self._ledger.reserve(dataset.name, purchase.released, **_arguments(purchase, dataset), touch=touch)
        return _Reserved(made)

    def preview(self, purchase: Purchase) -> dict[str, Any]:
        """Return whether it would be allowed, its cost and what would remain; nothing is reserved."""
        dataset = self._dataset(purchase.dataset)
        with _told():
            outlook = self._ledger.preview(dataset.name, purchase.released, **_arguments(purchase, dataset))
        return {
            "allowed": outlook.allowed,
            "cost": outlook.bill.cost.as_text() | _decimals(outlook.bill.cost.epsilon, outlook.bill.cost.delta),
            "remaining": _left(outlook.after) if outlook.allowed else _left(outlook.now),
            "statement": str(outlook),
        }

    def datasets(self) -> list[str]:
        """Return the names of all data sets."""
        with _told():
            return [each.name for each in self._ledger.datasets()]

    def facts(self, dataset: str) -> dict[str, Any]:
        """Return a data set's ceiling, what is spent and what remains."""
        found = self._dataset(dataset)
        with _told():
            balance = self._ledger.remaining(dataset)
        exact = {"epsilon": str(balance.epsilon), "delta": str(balance.delta), "offset": str(balance.offset)}
        return {
            "unit": str(found.unit),
            "counting": str(found.counting),
            "ceiling": {**found.as_text(), **_decimals(found.epsilon, found.delta)},
            "spent": {**exact, **_decimals(balance.epsilon, balance.delta)},
            "remaining": _left(balance),
            "share": balance.share,
            "statement": f"{found}; {balance}",
        }

    def history(self, dataset: str) -> list[dict[str, Any]]:
        """Return what was spent from a data set."""
        with _told():
            return [entry.as_dict() for entry in self._ledger.history(dataset)]

    def close(self) -> None:
        """Close all connections."""
        if self._kept_open is not None:
            self._kept_open.close()
        self._ledger.close()

    def answers(self) -> bool:
        """Whether the ledger can be reached."""
        try:
            self._ledger.datasets()
        except LedgerError:
            return False
        return True

    def _dataset(self, name: str | None) -> Dataset:
        if name not in self._known:
            # Ceilings never change, so what is known stays true.
            with _told():
                self._known = {each.name: each for each in self._ledger.datasets()}
        if name is None or name not in self._known:
            raise Refusal(Code.UNKNOWN_DATASET)
        return self._known[name]


class _Reserved:
    def __init__(self, made: Reservation) -> None:
        self._made = made
        self.id = made.id

    def touch(self) -> None:
        """Write down that private data are about to be used."""
        with _told():
            self._made.touch()

    def commit(self, receipt: Mapping[str, Any]) -> None:
        """Write down what was released, by its receipt as plain values."""
        with _told():
            self._made.commit(receipt)

    def cancel(self) -> None:
        """Give back what was not touched."""
        with _told():
            self._made.cancel()


def _kept_open(place: str) -> sqlite3.Connection | None:
    """Keep an idle connection to a file: SQLite tidies up whenever the last one closes, and that takes long."""
    if "://" in place:
        return None
    connection = sqlite3.connect(f"file:{quote(place)}?mode=rw", uri=True, check_same_thread=False)
    connection.execute("SELECT name FROM sqlite_master").fetchall()
    return connection


def _arguments(purchase: Purchase, dataset: Dataset) -> dict[str, Any]:
    rows = purchase.rows if dataset.unit is Protected.PERSON else None
    return {"pieces": purchase.pieces, "rows": rows, "part": purchase.part or ""}


def _left(balance: Balance) -> dict[str, Any]:
    exact = {"epsilon": str(balance.epsilon_left), "delta": str(balance.delta_left)}
    below = {f"{name}_decimal": float_below(Fraction(amount)) for name, amount in exact.items()}
    return {**exact, **below}


def _decimals(epsilon: Fraction, delta: Fraction) -> dict[str, float]:
    """Return amounts rounded up, beside those that are exact."""
    return {"epsilon_decimal": float_above(epsilon), "delta_decimal": float_above(delta)}


@contextmanager
def _told() -> Iterator[None]:
    """Say what the ledger said; where it is, is nobody's business."""
    try:
        yield
    except BudgetExceededError as error:
        raise Refusal(Code.OVER_BUDGET, str(error)) from None
    except LedgerError:
        raise Refusal(Code.NO_LEDGER) from None
