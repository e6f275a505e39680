"""A budget is reserved before data are touched, and never given back after: in SQLite and in PostgreSQL."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.ledger.conftest import Plain, costing

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.guarantees import Status, Unit, local_privacy
from textveil.ledger import BudgetExceededError, Ledger, LedgerError, State
from textveil.ledger.entries import as_csv, as_json


def made(ledger, **more):
    ledger.create("notes", **{"unit": "record", "epsilon": 1, **more})
    return ledger


def spent(ledger, part=""):
    return ledger.remaining("notes", part=part).epsilon


def test_a_release_is_reserved_touched_and_committed(ledger):
    made(ledger)
    reservation = ledger.reserve("notes", costing(0.25))
    assert reservation.entry.state is State.RESERVED
    assert spent(ledger) == Fraction(1, 4)
    reservation.touch()
    assert reservation.entry.state is State.TOUCHED
    reservation.commit({"statement": "public"})
    entry = reservation.entry
    assert entry.state is State.COMMITTED
    assert entry.reserved <= entry.touched <= entry.closed
    assert len(entry.receipt) == 64
    assert str(ledger.remaining("notes")) == "epsilon 0.25 of 1 (left 0.75)"
    assert [each.id for each in ledger.history("notes")] == [reservation.id]


def test_what_is_read_at_once_is_reserved_and_touched_in_one_step(ledger):
    made(ledger)
    later = ledger.reserve("notes", costing(0.25))
    assert (later.entry.state, later.entry.touched) == (State.RESERVED, "")
    later.cancel()
    at_once = ledger.reserve("notes", costing(0.25), touch=True)
    assert at_once.entry.state is State.TOUCHED
    assert at_once.entry.reserved <= at_once.entry.touched
    with pytest.raises(LedgerError, match="spent for ever"):
        at_once.cancel()
    at_once.commit()
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.8), touch=True)
    assert spent(ledger) == Fraction(1, 4)


def test_a_job_that_goes_on_is_touched_if_it_asks_for_it(ledger):
    made(ledger)
    first = ledger.reserve("notes", costing(0.25), job="a")
    assert ledger.reserve("notes", costing(0.25), job="a", touch=True) == first
    assert first.entry.state is State.TOUCHED
    cancelled = ledger.reserve("notes", costing(0.25), job="b")
    cancelled.cancel()
    assert ledger.reserve("notes", costing(0.25), job="b", touch=True).entry.state is State.TOUCHED
    first.commit()
    with pytest.raises(LedgerError, match="was committed, so nothing may be released"):
        ledger.reserve("notes", costing(0.25), job="a", touch=True)
    with pytest.raises(LedgerError, match="was committed, so nothing may be released"):
        ledger.reserve("notes", costing(0.25), job="a").touch()
    assert (first.entry.state, spent(ledger)) == (State.COMMITTED, Fraction(1, 2))


def test_the_ceiling_is_never_passed(ledger):
    made(ledger)
    for _ in range(10):
        ledger.reserve("notes", costing(0.1))
    with pytest.raises(
        BudgetExceededError, match=r"spent are epsilon 1 of 1 \(left 0\); this release costs epsilon 1e-09"
    ):
        ledger.reserve("notes", costing(1e-9))
    assert len(ledger.history()) == 10
    with pytest.raises(ValueError, match="Nothing was released"):
        ledger.reserve("notes", costing(0.5))


def test_delta_has_a_ceiling_of_its_own(ledger):
    made(ledger, delta=1e-6)
    ledger.reserve("notes", costing(0.1, delta=6e-7))
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.1, delta=6e-7))
    ledger.reserve("notes", costing(0.1, delta=4e-7))
    assert ledger.remaining("notes").delta_left < Fraction(1, 10**20)


def test_only_what_was_not_touched_can_be_cancelled(ledger):
    made(ledger)
    first, second = ledger.reserve("notes", costing(0.5)), ledger.reserve("notes", costing(0.5))
    first.cancel()
    first.cancel()
    assert spent(ledger) == Fraction(1, 2)
    with pytest.raises(LedgerError, match="was cancelled, so nothing may be released"):
        first.touch()
    second.touch()
    with pytest.raises(LedgerError, match="spent for ever"):
        second.cancel()
    second.commit()
    with pytest.raises(LedgerError, match="spent for ever"):
        second.cancel()
    assert spent(ledger) == Fraction(1, 2)


def test_what_was_not_touched_can_not_be_committed_and_a_receipt_stays(ledger):
    reservation = made(ledger).reserve("notes", costing(0.5))
    with pytest.raises(LedgerError, match="touch it before data are read"):
        reservation.commit()
    reservation.touch()
    reservation.commit({"a": 1})
    reservation.commit({"a": 1})
    assert reservation.entry.state is State.COMMITTED
    for other in ({"a": 2}, None):
        with pytest.raises(LedgerError, match="another receipt"):
            reservation.commit(other)


def test_without_a_receipt_nobody_can_tell_a_release_from_another_so_it_is_committed_once(ledger):
    reservation = made(ledger).reserve("notes", costing(0.5), touch=True)
    reservation.commit()
    with pytest.raises(LedgerError, match="is committed already"):
        reservation.commit()


def test_a_job_that_goes_on_finds_its_own_reservation(ledger):
    made(ledger)
    first = ledger.reserve("notes", costing(0.75), job="run")
    first.touch()
    again = ledger.reserve("notes", costing(0.75), job="run")
    assert again.id == first.id == ledger.find("notes", "run").id
    assert spent(ledger) == Fraction(3, 4)
    assert again.entry.state is State.TOUCHED
    other_mechanism = replace(costing(0.75), plain={"mechanism": "Plain", "dimension": 2})
    wrong = ({"released": costing(0.5)}, {"released": costing(0.75), "part": "north"}, {"released": other_mechanism})
    for other in wrong:
        with pytest.raises(LedgerError, match="for another mechanism, cost or part"):
            ledger.reserve("notes", job="run", **other)
    assert ledger.find("notes", "other") is None


def test_a_cancelled_job_reserves_again_if_there_is_room(ledger):
    made(ledger)
    first = ledger.reserve("notes", costing(0.75), job="run")
    first.cancel()
    assert spent(ledger) == 0
    again = ledger.reserve("notes", costing(0.75), job="run")
    assert spent(ledger) == Fraction(3, 4)
    with pytest.raises(LedgerError, match="was cancelled, so nothing may be released"):
        first.touch()
    assert [entry.state for entry in ledger.history()] == [State.CANCELLED, State.RESERVED]
    assert ledger.find("notes", "run") == again
    again.touch()
    ledger.reserve("notes", costing(0.25), job="late").cancel()
    ledger.reserve("notes", costing(0.25))
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.25), job="late")


def test_disjoint_parts_share_only_what_was_spent_on_all(ledger):
    made(ledger)
    ledger.reserve("notes", costing(0.5), part="north")
    ledger.reserve("notes", costing(0.25), part="south")
    assert spent(ledger) == spent(ledger, "north") == Fraction(1, 2)
    ledger.reserve("notes", costing(0.5))
    assert (spent(ledger), spent(ledger, "south"), spent(ledger, "east")) == (1, Fraction(3, 4), Fraction(1, 2))
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.25), part="north")
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.25))
    ledger.reserve("notes", costing(0.25), part="south")


def test_gaussian_noise_adds_in_squares(ledger):
    gaussian = tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=4, precision="exact")
    metric = gaussian.guarantee.relation.metric
    made(ledger, epsilon=2.13, delta=1e-6, counting="gaussian", metric=metric, radius=1.0)
    for _ in range(4):
        ledger.reserve("notes", gaussian)
    balance = ledger.remaining("notes")
    assert balance.bound == "gaussian"
    assert 2.122 < float(balance.epsilon) < 2.1235
    assert float(balance.delta) == pytest.approx(1e-6)
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", gaussian)


def test_where_squares_are_counted_deltas_have_a_share_of_their_own(ledger):
    made(ledger, epsilon=3, delta=1e-6, counting="gaussian", summed_delta=1e-7)
    ledger.reserve("notes", costing(1.0))
    ledger.reserve("notes", costing(0.5, delta=1e-7))
    balance = ledger.remaining("notes")
    assert (balance.bound, balance.epsilon, balance.delta) == ("sum", Fraction(3, 2), Fraction(1e-7))
    with pytest.raises(BudgetExceededError):
        ledger.reserve("notes", costing(0.5, delta=1e-9))
    ledger.reserve("notes", costing(0.5))


def test_a_preview_reserves_nothing(ledger):
    made(ledger)
    ledger.reserve("notes", costing(0.5))
    outlook = ledger.preview("notes", costing(0.25))
    assert outlook.allowed
    assert (outlook.now.epsilon, outlook.after.epsilon_left) == (
        Fraction(1, 2),
        outlook.now.epsilon_left - Fraction(1, 4),
    )
    assert not ledger.preview("notes", costing(0.75)).allowed
    assert "does NOT allow it" in str(ledger.preview("notes", costing(0.75)))
    assert spent(ledger) == Fraction(1, 2)


def test_a_ceiling_is_mandatory_and_never_changes(ledger):
    with pytest.raises(TypeError, match="epsilon"):
        ledger.create("notes", unit="record")
    with pytest.raises(InvalidInputError, match="the ceiling, must be > 0"):
        ledger.create("notes", unit="record", epsilon=0)
    made(ledger)
    with pytest.raises(InvalidInputError, match="a ceiling never changes"):
        made(ledger, epsilon=100)
    assert ledger.remaining("notes").dataset.epsilon < Fraction(11, 10)


def test_history_is_exported_exactly(ledger):
    made(ledger)
    conditional = local_privacy(0.1, unit=Unit.VECTOR, status=Status.CONDITIONAL, reason="ideal arithmetic")
    ledger.reserve("notes", Plain(replace(conditional, reveals=("length", "case"))), part="north").touch()
    (entry,) = json.loads(as_json(ledger.history()))
    assert Fraction(entry["epsilon"]) == Fraction(0.1)
    assert (entry["state"], entry["part"], entry["status"]) == ("touched", "north", "conditional")
    assert entry["reason"] == "ideal arithmetic"
    lines = as_csv(ledger.history()).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("id,number,dataset,part")
    assert "length; case" in lines[1]


def test_other_programs_see_the_same_ledger(ledger, url):
    reservation = made(ledger).reserve("notes", costing(0.5))
    other = Ledger(url)
    other.reservation(reservation.id).touch()
    assert reservation.entry.state is State.TOUCHED
    assert [each.name for each in other.datasets()] == ["notes"]
    with pytest.raises(InvalidInputError, match="has no entry nothing"):
        other.reservation("nothing")
    with pytest.raises(InvalidInputError, match="has no data set others"):
        other.reserve("others", costing(0.5))
    other.close()


def test_reading_makes_no_ledger(tmp_path):
    for path in (tmp_path / "absent.db", tmp_path / "no" / "folder.db"):
        with pytest.raises(LedgerError, match="there is no ledger at"):
            Ledger(str(path)).reserve("notes", costing(0.5))
    (tmp_path / "empty.db").touch()
    with pytest.raises(LedgerError, match="there is no ledger at"):
        Ledger(str(tmp_path / "empty.db")).datasets()
    (tmp_path / "other.db").write_text("something else, and longer than the head of a data base is" * 20)
    with pytest.raises(LedgerError, match="nothing is released"):
        Ledger(str(tmp_path / "other.db")).reserve("notes", costing(0.5))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.db", "other.db"]
    with pytest.raises(InvalidInputError, match="there is no folder"):
        made(Ledger(str(tmp_path / "no" / "folder.db")))


@pytest.mark.parametrize(
    "url", ["mysql://me:secret@host/db", "sqlite://", "sqlite:///:memory:", "postgresql://h:port/db", "://"]
)
def test_an_unfit_url_is_refused_without_being_quoted(url):
    with pytest.raises(InvalidInputError, match="ledger") as caught:
        Ledger(url)
    assert "secret" not in str(caught.value)


def test_neither_user_nor_password_is_ever_said(caplog, capsys, tmp_path):
    caplog.set_level(logging.DEBUG)
    ledger = Ledger(f"postgresql://anna:secret@/db?host={tmp_path}&password=hidden")
    with pytest.raises(LedgerError) as caught:
        ledger.reserve("notes", costing(0.5))
    told = [str(caught.value), repr(caught.value), ledger.place, repr(ledger), caplog.text, *capsys.readouterr()]
    assert not any(word in text for word in ("anna", "secret", "hidden") for text in told)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_file_is_its_owners_alone(tmp_path):
    made(Ledger(str(tmp_path / "budget.db")))
    assert (tmp_path / "budget.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_deleted_or_replaced_pays_for_nothing(tmp_path):
    path = tmp_path / "budget.db"
    ledger = made(Ledger(str(path)))
    ledger.reserve("notes", costing(0.25), touch=True)
    shutil.copy(path, tmp_path / "copy.db")
    (tmp_path / "copy.db").replace(path)
    for use in (lambda: ledger.reserve("notes", costing(0.25), touch=True), ledger.datasets):
        with pytest.raises(LedgerError, match="moved, deleted or replaced"):
            use()
    path.unlink()
    with pytest.raises(LedgerError, match="moved, deleted or replaced"):
        ledger.reserve("notes", costing(0.25), touch=True)
    ledger.close()


def test_what_is_written_while_the_file_is_replaced_is_refused(tmp_path):
    path = tmp_path / "budget.db"
    ledger = made(Ledger(str(path)))

    def write():
        with ledger._store._database.writing():
            path.rename(tmp_path / "away.db")

    with pytest.raises(LedgerError, match="moved, deleted or replaced"):
        write()
    ledger.close()


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = Ledger("budget.db")
    monkeypatch.chdir(tmp_path / "other")
    made(ledger).reserve("notes", costing(0.25))
    assert (tmp_path / "budget.db").exists()
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE textveil_ledger SET version = 0", "tables of version 0, which this textveil can't upgrade"),
        ("UPDATE spent SET epsilon = '1/0'", "an amount that no ledger writes"),
        ("UPDATE spent SET epsilon = '-1000'", "an amount that no ledger writes"),
        ("UPDATE dataset SET epsilon = 'much'", "an amount that no ledger writes"),
    ],
)
def test_a_file_that_no_ledger_wrote_is_refused(tmp_path, statement, message):
    path = tmp_path / "budget.db"
    first = made(Ledger(str(path)))
    first.reserve("notes", costing(0.25))
    first.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(LedgerError, match=message):
        Ledger(str(path)).reserve("notes", costing(0.25))


@pytest.mark.parametrize("statement", ["DELETE FROM spent", "UPDATE spent SET epsilon = '1/8' WHERE part = 'north'"])
def test_sums_that_are_not_those_of_the_entries_are_found(tmp_path, statement):
    path = tmp_path / "budget.db"
    ledger = made(Ledger(str(path)))
    ledger.check()
    ledger.reserve("notes", costing(0.25), touch=True)
    for part in ("north", "south"):
        ledger.reserve("notes", costing(0.25), part=part)
    ledger.reserve("notes", costing(0.25), part="east").cancel()
    ledger.check()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    with pytest.raises(LedgerError, match="are not those of its entries"):
        ledger.check()
    ledger.close()


def test_public_names_are_short_and_printable(ledger):
    made(ledger)
    ledger.reserve("notes", costing(0.1), job="x" * 64)
    with pytest.raises(InvalidInputError, match="job must be a public name of 1 to 64"):
        ledger.reserve("notes", costing(0.1), job="x" * 65)
    for part in ("a\nb", "x" * 201):
        with pytest.raises(InvalidInputError, match="part must be a public name"):
            ledger.reserve("notes", costing(0.1), part=part)
    with pytest.raises(InvalidInputError, match="dataset must be a name"):
        ledger.create("", unit="record", epsilon=1)
    with pytest.raises(InvalidInputError, match="dataset must be letters"):
        ledger.create("tickets/2026?x", unit="record", epsilon=1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unit": "row"}, "unit must be one of"),
        ({"counting": "renyi"}, "counting must be one of"),
        ({"delta": 1}, "below 1"),
        ({"counting": "metric"}, "needs metric="),
        ({"counting": "gaussian"}, "needs a delta"),
        ({"counting": "gaussian", "delta": 1e-6, "summed_delta": 1e-6}, "needs a delta"),
        ({"metric": "distance"}, "belong together"),
        ({"radius": 1.0}, "belong together"),
        ({"radius": float("nan"), "metric": "distance"}, "radius must be"),
        ({"offset": 1}, "offset is for"),
        ({"summed_delta": 1e-9, "delta": 1e-6}, "summed_delta is for"),
    ],
)
def test_a_ceiling_that_makes_no_sense_is_refused(tmp_path, wrong, message):
    with pytest.raises(InvalidInputError, match=message):
        made(Ledger(str(tmp_path / "budget.db")), **wrong)
    assert not (tmp_path / "budget.db").exists()
