"""How the service pays: reserve and touch, release, commit; or, if the operator said so, not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from textveil.mechanisms.mechanism import Mechanism

NOT_COUNTED = "No ledger is kept: nothing was counted, and repeated releases add up unseen."


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """What is to be paid for.

    Parameters
    ----------
    released : by what: its guarantee says the cost
    pieces : words or sentences of the longest record, at most
    rows : records that one person has, at most, where persons are protected
    dataset, part : from whose budget
    """

    released: Mechanism
    pieces: int
    rows: int
    dataset: str | None
    part: str | None


class Entry(Protocol):
    """A reservation: what was touched is never given back."""

    @property
    def id(self) -> str | None:
        """Its name in the ledger."""
        ...

    def touch(self) -> None:
        """Write down that private data are about to be used: from here on it counts for ever."""
        ...

    def commit(self, receipt: Mapping[str, Any]) -> None:
        """Write down what was released, by its receipt as plain values."""
        ...

    def cancel(self) -> None:
        """Give back what was not touched."""
        ...


class Spending(Protocol):
    """Where releases are paid."""

    @property
    def counted(self) -> bool:
        """Whether anything is counted."""
        ...

    def reserve(self, purchase: Purchase, *, touch: bool) -> Entry:
        """Reserve the cost, durably, or refuse; with `touch` also write down that data are about to be used."""
        ...

    def preview(self, purchase: Purchase) -> dict[str, Any]:
        """Return whether it would be allowed, its cost and what would remain; nothing is reserved."""
        ...

    def datasets(self) -> list[str]:
        """Return the names of all data sets."""
        ...

    def facts(self, dataset: str) -> dict[str, Any]:
        """Return a data set's ceiling, what is spent and what remains."""
        ...

    def history(self, dataset: str) -> list[dict[str, Any]]:
        """Return what was spent from a data set."""
        ...

    def answers(self) -> bool:
        """Whether the ledger can be reached."""
        ...


class Uncounted:
    """No ledger: every receipt says so."""

    counted = False

    def reserve(self, purchase: Purchase, *, touch: bool) -> Entry:
        """Reserve nothing."""
        return _NoEntry()

    def preview(self, purchase: Purchase) -> dict[str, Any]:
        """Allow everything."""
        return {"allowed": True, "cost": None, "remaining": None, "statement": NOT_COUNTED}

    def datasets(self) -> list[str]:
        """Return none."""
        return []

    def facts(self, dataset: str) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def history(self, dataset: str) -> list[dict[str, Any]]:
        """Return nothing."""
        return []

    def answers(self) -> bool:
        """Always."""
        return True


class _NoEntry:
    id = None

    def touch(self) -> None:
        """Write nothing."""

    def commit(self, receipt: Mapping[str, Any]) -> None:
        """Write nothing."""

    def cancel(self) -> None:
        """Give nothing back."""
