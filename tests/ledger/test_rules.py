"""Any order of calls, against a model of the rules that fits on a page."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from tests.ledger.conftest import costing

from textveil.ledger import BudgetExceededError, Ledger, LedgerError

CEILING = 8
PARTS = ("", "north", "south")


class Rules(RuleBasedStateMachine):
    reservations = Bundle("reservations")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.ledger = Ledger(str(Path(self.folder.name) / "budget.db"))
        self.ledger.create("notes", unit="record", epsilon=Fraction(CEILING))
        # id -> [part, cost, state]
        self.model = {}

    def spent(self, part):
        counted = [line for line in self.model.values() if line[2] != "cancelled"]
        whole = sum(cost for where, cost, _ in counted if where == "")
        return whole + (sum(cost for where, cost, _ in counted if where == part) if part else 0)

    def fits(self, part, cost):
        return all(self.spent(each) + cost <= CEILING for each in (PARTS if part == "" else (part,)))

    @rule(target=reservations, part=st.sampled_from(PARTS), cost=st.integers(1, 5))
    def reserve(self, part, cost):
        if not self.fits(part, cost):
            assert not self.ledger.preview("notes", costing(float(cost)), part=part).allowed
            with pytest.raises(BudgetExceededError):
                self.ledger.reserve("notes", costing(float(cost)), part=part)
            return None
        made = self.ledger.reserve("notes", costing(float(cost)), part=part, job=f"job {len(self.model)}")
        assert made.id not in self.model
        self.model[made.id] = [part, cost, "reserved"]
        return made

    @rule(made=reservations)
    def touch(self, made):
        if made is None:
            return
        line = self.model[made.id]
        if line[2] in ("cancelled", "committed"):
            with pytest.raises(LedgerError):
                made.touch()
            return
        made.touch()
        line[2] = "touched"

    @rule(made=reservations)
    def commit(self, made):
        if made is None:
            return
        line = self.model[made.id]
        if line[2] in ("reserved", "cancelled"):
            with pytest.raises(LedgerError):
                made.commit({"a": 1})
            return
        made.commit({"a": 1})
        line[2] = "committed"

    @rule(made=reservations)
    def cancel(self, made):
        if made is None:
            return
        line = self.model[made.id]
        if line[2] in ("touched", "committed"):
            with pytest.raises(LedgerError):
                made.cancel()
            return
        made.cancel()
        line[2] = "cancelled"

    @rule(made=consumes(reservations))
    def go_on(self, made):
        if made is None:
            return
        entry, line = made.entry, self.model[made.id]
        if line[2] == "cancelled" and not self.fits(line[0], line[1]):
            with pytest.raises(BudgetExceededError):
                self.ledger.reserve("notes", costing(float(line[1])), part=line[0], job=entry.job)
            return
        again = self.ledger.reserve("notes", costing(float(line[1])), part=line[0], job=entry.job)
        assert (again.id == made.id) is (line[2] != "cancelled")
        if line[2] == "cancelled":
            self.model[again.id] = [*line[:2], "reserved"]

    @invariant()
    def the_ledger_is_the_model(self):
        for part in PARTS[1:]:
            assert self.ledger.remaining("notes", part=part).epsilon == self.spent(part) <= CEILING
        assert self.ledger.remaining("notes").epsilon == max(self.spent(part) for part in PARTS)
        told = {entry.id: [entry.part, entry.cost.epsilon, str(entry.state)] for entry in self.ledger.history()}
        assert told == self.model

    def teardown(self):
        self.ledger.close()
        self.folder.cleanup()


TestRules = Rules.TestCase
TestRules.settings = settings(
    max_examples=10,
    stateful_step_count=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
