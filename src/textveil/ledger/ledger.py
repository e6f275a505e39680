"""The ledger: a budget that is reserved before data are touched, and never given back after.

Reserve (durably) -> touch (durably) -> release -> commit. Whatever fails or is killed in between, all that may have
been released counts as spent. The first two may be one step. Rules and proofs: docs/ledger.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Unit
from textveil.ledger.costs import Bill, cost_of, metric_name, needs_pieces
from textveil.ledger.database import Database
from textveil.ledger.datasets import Balance, Dataset, Protected
from textveil.ledger.entries import Entry, State
from textveil.ledger.failures import BudgetExceededError, LedgerError
from textveil.ledger.store import ALL, Store
from textveil.receipts import Receipt, digest_of

_MOST_LABEL, _MOST_JOB = 200, 64


class Released(Protocol):
    """What releases: a mechanism, a rewriter, an embedder, a work."""

    @property
    def guarantee(self) -> Guarantee:
        """What the release of one record promises."""
        ...

    def spec(self) -> dict[str, Any]:
        """Return it as plain values."""
        ...


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What a release would cost, and what would be left.

    Parameters
    ----------
    bill : the cost and how it comes about
    now, after : the balance before and after it
    allowed : whether it stays below the ceiling
    """

    bill: Bill
    now: Balance
    after: Balance
    allowed: bool

    def lines(self) -> list[str]:
        """Return lines for the preview of a run."""
        dataset, bill = self.now.dataset, self.bill
        counts = [f"{bill.rows:,} records"] if dataset.unit is Protected.PERSON else []
        counts += [f"{bill.pieces:,} {bill.called}"] if bill.pieces != 1 else []
        made = f" ({' x '.join([*counts, str(bill.one)])})" if counts else ""
        return [
            f"Cost     {bill.cost} for each {dataset.unit}{made}",
            f"Budget   {dataset}",
            f"         spent: {self.now}",
            f"         after this release: {self.after}" if self.allowed else "         which does NOT allow it",
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Ledger:
    """The budgets of data sets, in a data base that many programs may use at once.

    Parameters
    ----------
    url : sqlite:///FILE or the path of a file; or postgresql://USER:PASSWORD@HOST/NAME
    """

    def __init__(self, url: str) -> None:
        self._store = Store(Database(url))

    @property
    def place(self) -> str:
        """Where the ledger is, without user name and password."""
        return self._store.place

    def create(
        self,
        dataset: str,
        *,
        unit: str,
        epsilon: float | str | Fraction,
        delta: float | str | Fraction = 0,
        counting: str = "sum",
        metric: str = "",
        radius: float | None = None,
        offset: float | str | Fraction = 0,
        summed_delta: float | str | Fraction = 0,
    ) -> Dataset:
        """Make a data set with its ceiling, which never changes; also the ledger, if there is none.

        Parameters
        ----------
        dataset : its public name
        unit : what one protected thing is: "word", "sentence", "record" or "person"
        epsilon, delta : what all releases together may cost one such thing
        counting : "sum", "gaussian" (mu adds in squares; needs a delta) or "metric" (epsilon per unit of distance)
        metric : the name of the distance, as the preview of a release says it
        radius : things farther apart in `metric` need not be kept indistinguishable
        offset : for "metric", what may be lost on top of epsilon x distance, in nats
        summed_delta : for "gaussian", the part of delta that is for releases with a delta of their own
        """
        made = Dataset.checked(
            dataset,
            unit=unit,
            epsilon=epsilon,
            delta=delta,
            counting=counting,
            metric=metric,
            radius=radius,
            offset=offset,
            summed_delta=summed_delta,
        )
        self._store.create(made)
        return made

    def datasets(self) -> list[Dataset]:
        """Return all data sets."""
        return self._store.datasets()

    def needs_pieces(self, dataset: str, released: Released) -> bool:
        """Whether the cost of a release depends on how many words (or sentences) a record has."""
        return needs_pieces(released.guarantee, self._store.dataset(dataset))

    def preview(
        self,
        dataset: str,
        released: Released,
        *,
        pieces: int | None = None,
        rows: int | None = None,
        part: str = ALL,
    ) -> Outlook:
        """Say what a release would cost and leave; nothing is reserved. Arguments are those of `reserve`."""
        found, spent = self._store.spending(dataset)
        bill = _bill(found, released, pieces, rows)
        after = spent.with_cost(part, bill.cost)
        return Outlook(
            bill=bill,
            now=spent.worst(found, part),
            after=after.worst(found, part),
            allowed=after.allowed(found, part),
        )

    def reserve(
        self,
        dataset: str,
        released: Released,
        *,
        pieces: int | None = None,
        rows: int | None = None,
        part: str = ALL,
        job: str | None = None,
        touch: bool = False,
    ) -> Reservation:
        """Set the cost of a release aside, durably, or raise BudgetExceededError.

        Parameters
        ----------
        dataset : what is released
        released : by what: its guarantee says the cost
        pieces : the most words (or sentences) of a record, where the promise is for one of them
        rows : the most records of a person, where persons are protected
        part : a public name for a part of the data that shares no protected thing with other parts; "" for all
        job : names ONE release, which may stop and go on: asking again under the same name finds the same reservation
            and costs nothing more, until it is committed; then it can't be touched again. At most 64 characters
        touch : whether data are read right after: then it is touched in the same step, and can't be cancelled
        """
        _check_label("part", part, least=0)
        if job is not None:
            _check_label("job", job, most=_MOST_JOB)
        found = self._store.dataset(dataset)
        bill = _bill(found, released, pieces, rows)
        entry = self._store.reserve(found, part, job, bill.cost, _facts(released, bill), touch=touch)
        if entry is None:
            raise BudgetExceededError(self._refusal(dataset, bill, part))
        reservation = Reservation(self, entry.id)
        if touch and entry.state is not State.TOUCHED:
            reservation.touch()
        return reservation

    def reservation(self, entry: str) -> Reservation:
        """Return the reservation that an id names, as another program may have made it."""
        return Reservation(self, self._store.entry(entry).id)

    def find(self, dataset: str, job: str) -> Reservation | None:
        """Return the reservation of a job, None if it has none."""
        entry = self._store.entry_of(dataset, job)
        return None if entry is None else Reservation(self, entry.id)

    def remaining(self, dataset: str, *, part: str = ALL) -> Balance:
        """Return what was spent and is left; of a part, or of that of which least is left."""
        found, spent = self._store.spending(dataset)
        return spent.worst(found, part)

    def history(self, dataset: str | None = None) -> list[Entry]:
        """Return all entries, of one data set or of all, in the order of reservation."""
        return self._store.entries(dataset)

    def entry(self, entry: str) -> Entry:
        """Return the entry of an id."""
        return self._store.entry(entry)

    def check(self) -> None:
        """Add all entries up again, and raise LedgerError if what is kept as spent is something else."""
        self._store.check_sums()

    def close(self) -> None:
        """Close the connections."""
        self._store.close()

    def _refusal(self, dataset: str, bill: Bill, part: str) -> str:
        found, spent = self._store.spending(dataset)
        now = spent.worst(found, part)
        return (
            f"the budget of {dataset} does not allow it: spent are {now}; this release costs {bill.cost} for each "
            f"{found.unit}. Nothing was released; use a smaller epsilon, or fewer words or records for each"
        )


@dataclass(frozen=True)
class Reservation:
    """A cost that is set aside. It counts as spent unless it is cancelled before data are touched.

    Parameters
    ----------
    ledger : where it is
    id : of its entry
    """

    ledger: Ledger
    id: str

    @property
    def entry(self) -> Entry:
        """The entry as it is now."""
        return self.ledger.entry(self.id)

    def touch(self) -> None:
        """Write down, durably, that data are about to be read: from here on nothing is given back.

        It may be done twice, by a release that stopped and goes on; not once the release is complete.
        """
        if self.ledger._store.move(self.id, State.TOUCHED, before=[State.RESERVED]):
            return
        state = self.entry.state
        if state is not State.TOUCHED:
            raise LedgerError(
                f"the reservation {self.id} was {state}, so nothing may be released; reserve again, under another job"
            )

    def commit(self, receipt: Receipt | Mapping[str, Any] | None = None) -> None:
        """Write down that the release is complete, with the digest of its receipt.

        Parameters
        ----------
        receipt : of the release; giving the same again changes nothing. Without one it can be done only once
        """
        digest = "" if receipt is None else receipt_digest(receipt)
        if self.ledger._store.move(self.id, State.COMMITTED, before=[State.TOUCHED], receipt=digest):
            return
        entry = self.entry
        if entry.state is not State.COMMITTED:
            raise LedgerError(f"the reservation {self.id} is {entry.state}: touch it before data are read")
        if not digest or entry.receipt != digest:
            raise LedgerError(
                f"the reservation {self.id} is committed already, with another receipt or none; reserve again for "
                "another release"
            )

    def cancel(self) -> None:
        """Give the reservation up; refused once data were touched."""
        if not self.ledger._store.cancel(self.id) and self.entry.state is not State.CANCELLED:
            raise LedgerError(
                f"the reservation {self.id} is {self.entry.state}: what data may have told is spent for ever"
            )


def receipt_digest(receipt: Receipt | Mapping[str, Any]) -> str:
    """Return the digest by which a ledger knows a receipt, or its plain values."""
    return digest_of(json.loads(receipt.to_json()) if isinstance(receipt, Receipt) else receipt)


def _bill(dataset: Dataset, released: Released, pieces: int | None, rows: int | None) -> Bill:
    name = metric_name(released.guarantee, released.spec())
    return cost_of(released.guarantee, dataset, metric=name, pieces=pieces, rows=rows)


def _facts(released: Released, bill: Bill) -> Mapping[str, Any]:
    guarantee, spec = released.guarantee, released.spec()
    return {
        "mechanism": str(spec.get("mechanism", "")),
        "spec": digest_of(spec),
        "status": str(guarantee.status),
        "reason": guarantee.reason,
        "conditions": _conditions(guarantee, bill),
        "reveals": list(guarantee.reveals),
        "pieces": bill.pieces,
        "rows": bill.rows,
    }


def _conditions(guarantee: Guarantee, bill: Bill) -> list[str]:
    """Say what two things must have in common for the cost to be that of exchanging one for the other."""
    told = guarantee.relation.conditions
    if guarantee.by_words:
        return ["texts of equal length and layout", *filter(None, [told])]
    if guarantee.unit is Unit.SENTENCE and bill.pieces != 1:
        return [f"lists of equally many sentences, exchanged one by one ({told})"]
    return [told] if told else []


def _check_label(name: str, text: str, *, least: int = 1, most: int = _MOST_LABEL) -> None:
    if not least <= len(text) <= most or not text.isprintable():
        raise InvalidInputError(f"{name} must be a public name of {least} to {most} printable characters")
