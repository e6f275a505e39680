"""What a run over files pays: from which budget, and how it finds its cost before anything is released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from textveil.errors import InvalidInputError, require_count
from textveil.jobs.persons import Persons, person_names
from textveil.jobs.traits import traits_of
from textveil.progress import progress
from textveil.randomness import fresh_key

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from textveil.files.stored import Facts
    from textveil.jobs.planning import Job
    from textveil.jobs.receipt import FileReceipt
    from textveil.ledger import Ledger
    from textveil.ledger.ledger import Outlook, Reservation

LONGEST_REVEAL = "how many sentences the longest record has, by its price"
_COUNTED = "the number of sentences"


@dataclass(frozen=True, kw_only=True)
class Spending:
    """Whose budget pays for a run.

    Parameters
    ----------
    ledger : its URL
    dataset : which budget
    part : a public name for data that share no protected thing with other parts; "" for all
    max_words : the most words (or sentences) of a record; longer ones are refused. By default those of the longest
    unit_column : the column that names the person of each record, where persons are protected
    max_rows : the most records that one person has; more are refused
    """

    ledger: str
    dataset: str
    part: str = ""
    max_words: int | None = None
    unit_column: str | int | None = None
    max_rows: int | None = None

    def __post_init__(self) -> None:
        if (self.unit_column is None) != (self.max_rows is None):
            raise InvalidInputError(
                "unit_column= (--unit-column) and max_rows= (--max-rows) belong together: who, and how many records"
            )
        if self.max_words is not None:
            require_count("max_words", self.max_words, least=0)
        if self.max_rows is not None:
            require_count("max_rows", self.max_rows)

    def open(self) -> Ledger:
        """Return the ledger."""
        from textveil.ledger import Ledger

        return Ledger(self.ledger)

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What must be the same for a run to be gone on with; the ledger's own place may change."""
        return {name: value for name, value in vars(self).items() if name != "ledger"}

    def preview(self, job: Job) -> Outlook:
        """Say what the run would cost and leave; it reads the files if it must count."""
        return self.open().preview(self.dataset, job.work, pieces=self.count(job), rows=self.max_rows, part=self.part)

    def reveals(self, job: Job) -> tuple[str, ...]:
        """What the price tells that the release itself hides; `max_words` makes it public beforehand."""
        hidden = traits_of(job.work).documents and _COUNTED not in job.work.guarantee.reveals
        return (LONGEST_REVEAL,) if hidden and self.max_words is None else ()

    def begin(self, job: Job) -> dict[str, Any]:
        """Return what a new run notes in its journal: its name, the words paid for, what its files are known by."""
        seen = None if self.unit_column is None else _inodes(job)
        return {"words": self.count(job), "job": fresh_key().hex()[:32], "inodes": seen}

    def pay(self, job: Job, told: dict[str, Any]) -> Payment:
        """Reserve the cost of a run, or find what it has reserved before, and write down that data are touched.

        Parameters
        ----------
        job : the run
        told : what `begin` noted
        """
        words, name = told["words"], told["job"]
        reservation = self.open().reserve(
            self.dataset, job.work, pieces=words, rows=self.max_rows, part=self.part, job=name
        )
        reservation.touch()
        return Payment(spending=self, reservation=reservation, words=words)

    def give_up(self, told: dict[str, Any] | None) -> None:
        """Cancel what an unfinished run has reserved, unless it has touched data."""
        name = None if told is None else told.get("job")
        reservation = None if name is None else self.open().find(self.dataset, name)
        if reservation is not None and reservation.entry.state == "reserved":
            reservation.cancel()

    def count(self, job: Job) -> int | None:
        """Return the most words of a record; refuse the run if a record has more, or if a person has too many records.

        None if a record is released at once, or if the loss does not depend on how many words there are.
        """
        adds = self.open().needs_pieces(self.dataset, job.work)
        if self.unit_column is not None:
            self._count_persons(job)
        if self.max_words is None and not adds:
            return None
        if job.source is None:
            if self.max_words is not None:
                return self.max_words
            raise InvalidInputError(
                "standard input can be read only once, so its words can't be counted first: say how many a record has "
                "at most with max_words= (--max-words)"
            )
        most = _most_words(job)
        if self.max_words is not None and most > self.max_words:
            raise InvalidInputError(
                f"the run would be refused: the longest record has {most:,} words or sentences, max_words= "
                f"(--max-words) says {self.max_words:,}. Nothing was reserved; shorten it, or pay for more"
            )
        return most if self.max_words is None else self.max_words

    def _count_persons(self, job: Job) -> None:
        if job.source is None or job.target is None:
            raise InvalidInputError(
                "the records of each person are counted before anything is released: give a file or folder as input, "
                "and one as output"
            )
        persons = Persons()
        with progress("Counting persons", job.bytes) as step:
            for shard in job.shards.files:
                for names, done in person_names(shard, job.selection, self.unit_column):
                    persons.add(names)
                    step(done)
        persons.refuse_more_than(self.max_rows or 1)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What a run has paid for, as whoever reads its records must know it.

    Parameters
    ----------
    words : the most words of a record that are paid for, None if any number is
    """

    words: int | None

    def check(self, job: Job, items: Any) -> None:
        """Refuse a batch, before it is released, if a record has more words than are paid for."""
        if self.words is not None and _longest(job.work.words(items)) > self.words:
            raise InvalidInputError(
                f"it has more words than the {self.words:,} that are paid for, and what was reserved stays spent; "
                "shorten it, or pay for more with max_words= (--max-words)"
            )


@dataclass(frozen=True, kw_only=True)
class Payment(Limit):
    """A run's reservation, touched: its records may be read.

    Parameters
    ----------
    spending : whose budget pays
    reservation : in the ledger
    """

    spending: Spending
    reservation: Reservation

    def reveals(self, job: Job) -> tuple[str, ...]:
        """What the price in the receipt tells."""
        return () if self.words is None else self.spending.reveals(job)

    def check_files(self, job: Job, told: dict[str, Any]) -> None:
        """Refuse the run if its files are not those whose persons were counted, as its journal tells of them."""
        if self.spending.unit_column is None:
            return
        if job.files_now() != told["files"] or _inodes(job) != told.get("inodes"):
            raise InvalidInputError("the input changed after the records of each person were counted")

    def facts(self) -> dict[str, Any]:
        """Return what the receipt says of it."""
        entry, spending = self.reservation.entry, self.spending
        cost = {name: amount for name, amount in entry.cost.as_text().items() if amount != "0"}
        return {"entry": entry.id, "dataset": spending.dataset, "part": spending.part, "cost": cost}


def settle(job: Job, receipt: FileReceipt) -> None:
    """Write into the ledger that a release is complete; it may be done twice."""
    if job.spending is not None and receipt.ledger is not None:
        job.spending.open().reservation(receipt.ledger["entry"]).commit(receipt)


def inode(facts: os.stat_result | Facts) -> list[int]:
    """Return what changes with each change of a file, also if its size and time are set back; stores don't tell."""
    return [getattr(facts, "st_ino", 0), getattr(facts, "st_ctime_ns", 0)]


def _inodes(job: Job) -> list[list[int]]:
    return [inode(shard.path.stat()) for shard in job.shards.files if shard.path is not None]


def _most_words(job: Job) -> int:
    most = 0
    with progress("Counting words", job.bytes) as step:
        for shard in job.shards.files:
            done = 0
            for batch in job.open(shard).batches():
                most = max(most, _longest(job.work.words(batch.items)))
                step(batch.done - done)
                done = batch.done
    return most


def _longest(words: NDArray[np.int64] | None) -> int:
    return 0 if words is None or not len(words) else int(words.max())
