"""One line of a ledger: what was reserved, and what became of it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from textveil.ledger.exact import float_above
from textveil.ledger.tallies import Tally


class State(StrEnum):
    """What became of a reservation. All but CANCELLED count as spent.

    RESERVED: data have not been touched yet. TOUCHED: they may have been, so it is spent for ever. COMMITTED: the
    release has its receipt. CANCELLED: given up before data were touched.
    """

    RESERVED = "reserved"
    TOUCHED = "touched"
    COMMITTED = "committed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of a ledger.

    Parameters
    ----------
    id : by which a receipt names it
    number : from 1, in the order of reservation
    dataset : the name of the data set
    part : the public name of the disjoint part that was released, "" for all
    job : by which a run that goes on finds its own reservation
    state : what became of it
    cost : for one protected thing
    facts : the mechanism, the status of its guarantee, its conditions, what it reveals
    reserved, touched, closed : when, in UTC; "" for not yet
    receipt : the digest of the receipt, "" if there is none
    """

    id: str
    number: int
    dataset: str
    part: str
    job: str
    state: State
    cost: Tally
    facts: Mapping[str, Any] = field(default_factory=dict)
    reserved: str
    touched: str = ""
    closed: str = ""
    receipt: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain values: amounts as exact fractions, and rounded up as decimals."""
        values = {name: value for name, value in vars(self).items() if name not in ("cost", "facts")}
        decimal = {"epsilon_decimal": float_above(self.cost.epsilon), "delta_decimal": float_above(self.cost.delta)}
        return {**values, "state": str(self.state), **self.cost.as_text(), **decimal, **self.facts}

    def __str__(self) -> str:
        where = f", part {self.part}" if self.part else ""
        what = self.facts.get("mechanism", "?")
        return f"{self.number:>4}  {self.reserved}  {self.state:<9}  {what}{where}: {self.cost}"


def as_json(entries: Sequence[Entry]) -> str:
    """Return entries as JSON text."""
    return json.dumps([entry.as_dict() for entry in entries], indent=2, ensure_ascii=False)


def as_csv(entries: Sequence[Entry]) -> str:
    """Return entries as csv with a header; lists are joined by semicolons."""
    rows = [entry.as_dict() for entry in entries]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "; ".join(value) if isinstance(value, list) else value for name, value in row.items()})
    return text.getvalue()
