"""What a ledger writes and reads: each change is one transaction, and writers of a data set wait for each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from textveil.errors import InvalidInputError
from textveil.ledger import schema
from textveil.ledger.database import Database
from textveil.ledger.datasets import Balance, Dataset
from textveil.ledger.entries import Entry, State
from textveil.ledger.failures import LedgerError
from textveil.ledger.schema import datasets, entries, spent
from textveil.ledger.tallies import Tally
from textveil.randomness import fresh_key

ALL = ""


@dataclass(frozen=True)
class Spent:
    """The sums of what counts, by part; `ALL` holds what was spent on the whole."""

    by_part: Mapping[str, Tally]

    def of(self, part: str) -> Tally:
        """Return what a thing of this part has lost: by releases of its part and of the whole."""
        whole = self.by_part.get(ALL, Tally())
        return whole if part == ALL else whole + self.by_part.get(part, Tally())

    def with_cost(self, part: str, cost: Tally) -> Spent:
        """Return the sums after one more release."""
        return Spent({**self.by_part, part: self.by_part.get(part, Tally()) + cost})

    def allowed(self, dataset: Dataset, part: str) -> bool:
        """Whether all things of a part, or of the whole, are below the ceiling."""
        return all(dataset.allows(each) for each in self._sums(part))

    def worst(self, dataset: Dataset, part: str) -> Balance:
        """Return the balance of a part; of the whole, that of the part of which least is left."""
        return max((dataset.balance(each) for each in self._sums(part)), key=lambda each: each.share)

    def _sums(self, part: str) -> list[Tally]:
        return [self.of(each) for each in ({part} if part != ALL else {ALL, *self.by_part})]


class Store:
    """A ledger's tables.

    Parameters
    ----------
    database : where they are
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_checked = False

    @property
    def place(self) -> str:
        """Where the ledger is."""
        return self._database.place

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def create(self, dataset: Dataset) -> None:
        """Write a data set down, and make the tables if there are none."""
        self._database.prepare()
        with self._database.writing() as connection:
            self._database.alone(connection)
            version = schema.version_of(connection)
            if version is None:
                schema.make(connection)
            else:
                schema.upgrade(connection, version)
            if connection.execute(select(datasets.c.id).where(datasets.c.name == dataset.name)).first():
                raise InvalidInputError(
                    f"the ledger has a data set {dataset.name} already, and a ceiling never changes; give another name"
                )
            connection.execute(insert(datasets).values(**dataset.as_text(), created=_now()))
        self._is_checked = True

    def datasets(self) -> list[Dataset]:
        """Return all data sets."""
        self._check()
        with self._database.reading() as connection:
            rows = connection.execute(select(datasets).order_by(datasets.c.id))
            return [Dataset.from_text(row._mapping) for row in rows]

    def dataset(self, name: str) -> Dataset:
        """Return a data set."""
        self._check()
        with self._database.reading() as connection:
            return self._found(connection, name)[1]

    def spending(self, name: str) -> tuple[Dataset, Spent]:
        """Return a data set and what was spent of it."""
        self._check()
        with self._database.reading() as connection:
            number, dataset = self._found(connection, name)
            return dataset, _spent(connection, number)

    def reserve(
        self, dataset: Dataset, part: str, job: str | None, cost: Tally, facts: Mapping[str, Any], *, touch: bool
    ) -> Entry | None:
        """Add an entry if the ceiling allows it, and return it; the job's own if it has one, None if refused.

        A new entry is touched in the same transaction, if so asked; the job's own one is left as it is. One that was
        cancelled stays so: it gives its name up to a new entry.
        """
        self._check()
        with self._database.writing() as connection:
            number, now = self._found(connection, dataset.name, lock=True)
            old = None if job is None else _entry_of(connection, number, job)
            if old is not None and old.state is not State.CANCELLED:
                _check_same(old, part, cost, facts)
                return old
            sums = _spent(connection, number)
            after = sums.with_cost(part, cost)
            if not after.allowed(now, part):
                return None
            _write_sum(connection, number, part, after, is_new=part not in sums.by_part)
            if old is not None:
                connection.execute(update(entries).where(entries.c.id == old.id).values(job=old.id))
            identity = fresh_key().hex()[:24]
            values = {"id": identity, "number": _next(connection, number), "dataset": number, "part": part}
            values |= {"job": job or identity, "facts": json.dumps(facts), **cost.as_text(), "reserved": _now()}
            values |= {"state": str(State.TOUCHED), "touched": _now()} if touch else {"state": str(State.RESERVED)}
            connection.execute(insert(entries).values(**values))
            return _entry(connection, identity)

    def move(self, identity: str, state: State, *, before: Sequence[State], receipt: str = "") -> bool:
        """Bring an entry from one of some states into another; False if it is in none of them."""
        self._check()
        times = {"touched": _now()} if state is State.TOUCHED else {"closed": _now(), "receipt": receipt}
        with self._database.writing() as connection:
            moved = connection.execute(
                update(entries)
                .where(entries.c.id == identity, entries.c.state.in_([str(each) for each in before]))
                .values(state=str(state), **times)
            )
            return moved.rowcount == 1

    def cancel(self, identity: str) -> bool:
        """Take back an entry whose data were not touched; False if they were."""
        entry = self.entry(identity)
        with self._database.writing() as connection:
            number, _ = self._found(connection, entry.dataset, lock=True)
            cancelled = connection.execute(
                update(entries)
                .where(entries.c.id == identity, entries.c.state == str(State.RESERVED))
                .values(state=str(State.CANCELLED), closed=_now())
            )
            if cancelled.rowcount != 1:
                return False
            sums = _spent(connection, number)
            _write_sum(connection, number, entry.part, sums.with_cost(entry.part, entry.cost.times(-1)), is_new=False)
            return True

    def entry(self, identity: str) -> Entry:
        """Return an entry."""
        self._check()
        with self._database.reading() as connection:
            found = _entry(connection, identity)
        if found is None:
            raise InvalidInputError(
                f"the ledger at {self.place} has no entry {identity}; see `textveil ledger history`"
            )
        return found

    def entry_of(self, dataset: str, job: str) -> Entry | None:
        """Return the entry of a job, None if it has none."""
        self._check()
        with self._database.reading() as connection:
            return _entry_of(connection, self._found(connection, dataset)[0], job)

    def entries(self, dataset: str | None) -> list[Entry]:
        """Return the entries of a data set or of all, in order."""
        self._check()
        with self._database.reading() as connection:
            chosen = _ENTRIES.order_by(datasets.c.id, entries.c.number)
            if dataset is not None:
                chosen = chosen.where(datasets.c.id == self._found(connection, dataset)[0])
            return [_read(row) for row in connection.execute(chosen)]

    def check_sums(self) -> None:
        """Refuse a ledger whose sums are not those of its entries."""
        self._check()
        with self._database.reading() as connection:
            sums = {row.id: _spent(connection, row.id).by_part for row in connection.execute(select(datasets.c.id))}
            added: dict[tuple[int, str], Tally] = {}
            for row in connection.execute(select(entries).where(entries.c.state != str(State.CANCELLED))):
                place = row.dataset, row.part
                added[place] = added.get(place, Tally()) + Tally.from_text(row._mapping)
        kept = {(number, part): each for number, parts in sums.items() for part, each in parts.items()}
        if any(kept.get(place, Tally()) != added.get(place, Tally()) for place in {*kept, *added}):
            raise LedgerError(f"the sums of the ledger at {self.place} are not those of its entries; restore the file")

    def _found(self, connection: Connection, name: str, *, lock: bool = False) -> tuple[int, Dataset]:
        """Return a data set and its number; with a lock no one else can change it until the transaction ends."""
        chosen = select(datasets).where(datasets.c.name == name)
        row = connection.execute(chosen.with_for_update() if lock else chosen).first()
        if row is None:
            raise InvalidInputError(
                f"the ledger at {self.place} has no data set {name}; make it with `textveil ledger init`"
            )
        return int(row.id), Dataset.from_text(row._mapping)

    def _check(self) -> None:
        """See, once, that there are tables of this version; older ones are upgraded."""
        if self._is_checked:
            return
        if not self._database.exists:
            raise LedgerError(self._absent())
        with self._database.reading() as connection:
            version = schema.version_of(connection)
        if version is None:
            raise LedgerError(self._absent())
        if version != schema.VERSION:
            with self._database.writing() as connection:
                self._database.alone(connection)
                schema.upgrade(connection, schema.version_of(connection) or version)
        self._is_checked = True

    def _absent(self) -> str:
        return f"there is no ledger at {self.place}; make one with `textveil ledger init`"


_ENTRIES = select(entries, datasets.c.name.label("dataset_name")).join(datasets, entries.c.dataset == datasets.c.id)


def _entry(connection: Connection, identity: str) -> Entry | None:
    row = connection.execute(_ENTRIES.where(entries.c.id == identity)).first()
    return None if row is None else _read(row)


def _entry_of(connection: Connection, dataset: int, job: str) -> Entry | None:
    row = connection.execute(_ENTRIES.where(entries.c.dataset == dataset, entries.c.job == job)).first()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> Entry:
    values = row._mapping
    plain = {name: values[name] for name in ("id", "number", "part", "job", "reserved", "touched", "closed", "receipt")}
    return Entry(
        **plain,
        dataset=values["dataset_name"],
        state=State(values["state"]),
        cost=Tally.from_text(values),
        facts=json.loads(values["facts"]),
    )


def _spent(connection: Connection, dataset: int) -> Spent:
    rows = connection.execute(select(spent).where(spent.c.dataset == dataset))
    return Spent({row.part: Tally.from_text(row._mapping) for row in rows})


def _write_sum(connection: Connection, dataset: int, part: str, sums: Spent, *, is_new: bool) -> None:
    amounts = sums.by_part[part].as_text()
    if is_new:
        connection.execute(insert(spent).values(dataset=dataset, part=part, **amounts))
    else:
        connection.execute(update(spent).where(spent.c.dataset == dataset, spent.c.part == part).values(**amounts))


def _next(connection: Connection, dataset: int) -> int:
    last = connection.execute(select(func.max(entries.c.number)).where(entries.c.dataset == dataset)).scalar()
    return (last or 0) + 1


def _check_same(old: Entry, part: str, cost: Tally, facts: Mapping[str, Any]) -> None:
    if (old.part, old.cost, old.facts.get("spec")) != (part, cost, facts.get("spec")):
        raise LedgerError(
            f"the job has the reservation {old.id} already, for another mechanism, cost or part; discard the "
            "unfinished run and begin again"
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
