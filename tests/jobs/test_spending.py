"""A run pays before it reads, once, and never too little."""

from __future__ import annotations

import io
import json
import os
import sys
from fractions import Fraction

import numpy as np
import pytest

import textveil as tv
from textveil.errors import InvalidInputError, TextveilError
from textveil.jobs import Spending, plan, verify
from textveil.jobs.receipt import FileReceipt, receipt_path
from textveil.ledger import BudgetExceededError, Ledger, LedgerError, State

ONE_WORD = 2 * 3


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(str(tmp_path / "budget.db"))
    made.create("notes", unit="record", epsilon=1000)
    made.create("people", unit="person", epsilon=1000)
    made.create("words", unit="word", epsilon=10)
    return made


@pytest.fixture
def paying(tmp_path):
    def of(dataset="notes", **more):
        return Spending(ledger=str(tmp_path / "budget.db"), dataset=dataset, **more)

    return of


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("user,text\na,w1 w2 w3\nb,w4\na,w5 w6\n")
    return path


def test_a_run_pays_for_its_longest_record(tmp_path, words, rewriter, ledger, paying):
    receipt = plan(words, tmp_path / "out.txt", rewriter, spending=paying()).run()
    (entry,) = ledger.history()
    assert entry.state is State.COMMITTED
    assert entry.cost.epsilon == 12 * ONE_WORD == ledger.remaining("notes").epsilon
    assert receipt.ledger == {"entry": entry.id, "dataset": "notes", "part": "", "cost": {"epsilon": "72"}}
    assert FileReceipt.load(receipt_path(tmp_path / "out.txt")) == receipt
    assert entry.facts["conditions"] == ["texts of equal length and layout"]


def test_a_word_is_paid_for_once_whatever_the_length(tmp_path, words, rewriter, ledger, paying):
    plan(words, tmp_path / "out.txt", rewriter, spending=paying("words")).run()
    assert ledger.remaining("words").epsilon == ONE_WORD
    with pytest.raises(BudgetExceededError, match="the budget of words does not allow it"):
        plan(words, tmp_path / "more.txt", rewriter, spending=paying("words")).run()
    assert not list(tmp_path.glob("more*"))
    assert len(ledger.history("words")) == 1


def test_a_vector_is_paid_for_at_once(tmp_path, ledger, paying):
    np.save(tmp_path / "in.npy", np.zeros((5, 8), dtype=np.float32))
    mechanism = tv.PrivUnit(epsilon=3.0, dimension=8, clip=1.0)
    plan(tmp_path / "in.npy", tmp_path / "out.npy", mechanism, spending=paying()).run()
    assert ledger.remaining("notes").epsilon == 3


def test_a_person_is_paid_for_by_the_most_records(tmp_path, table, rewriter, ledger, paying):
    person = paying("people", unit_column="user", max_rows=2)
    plan(table, tmp_path / "out.csv", rewriter, column="text", spending=person).run()
    assert ledger.remaining("people").epsilon == 2 * 3 * ONE_WORD
    one = paying("people", unit_column="user", max_rows=1)
    with pytest.raises(InvalidInputError, match="1 of 2 persons have more than 1 records"):
        plan(table, tmp_path / "more.csv", rewriter, column="text", spending=one).run()
    assert len(ledger.history("people")) == 1
    assert not list(tmp_path.glob("more*"))


def test_who_is_protected_must_be_said(tmp_path, table, rewriter, ledger, paying):
    refused = {
        "protects persons": paying("people"),
        "protects records": paying(unit_column="user", max_rows=2),
        "has no data set others": paying("others"),
    }
    for message, spent in refused.items():
        with pytest.raises(InvalidInputError, match=message):
            plan(table, tmp_path / "out.csv", rewriter, column="text", spending=spent).run()
    for wrong in ({"max_rows": 2}, {"unit_column": "user"}):
        with pytest.raises(InvalidInputError, match="belong together"):
            paying("people", **wrong)
    for wrong in ({"max_rows": 0, "unit_column": "user"}, {"max_words": -1}):
        with pytest.raises(InvalidInputError, match="must be a whole number"):
            paying("people", **wrong)
    assert not ledger.history()
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith("out")} == set()


def test_records_longer_than_what_is_paid_for_are_refused(tmp_path, words, rewriter, ledger, paying):
    job = plan(words, tmp_path / "out.txt", rewriter, spending=paying(max_words=11))
    for attempt in (job.run, job.preview):
        with pytest.raises(InvalidInputError, match="would be refused: the longest record has 12 words or sentences"):
            attempt()
    assert not list(tmp_path.glob("out*"))
    assert ledger.history() == []
    plan(words, tmp_path / "out.txt", rewriter, spending=paying(max_words=12)).run()
    assert ledger.remaining("notes").epsilon == 12 * ONE_WORD


def test_a_file_that_grows_after_it_was_counted_does_not_pay_too_little(tmp_path, words, rewriter, ledger, paying):
    job = plan(words, tmp_path / "out.txt", rewriter, spending=paying())
    count = Spending.count

    def counting(self, job):
        found = count(self, job)
        words.write_text(words.read_text() + " ".join(["w1"] * 50) + "\n")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spending, "count", counting)
        with pytest.raises(InvalidInputError, match="record 401 of the input: it has more words than the 12"):
            job.run()


@pytest.mark.parametrize("hidden", [False, True])
def test_persons_that_change_after_they_were_counted_stop_the_run(tmp_path, table, rewriter, ledger, paying, hidden):
    person = paying("people", unit_column="user", max_rows=2, max_words=5)
    job = plan(table, tmp_path / "out.csv", rewriter, column="text", spending=person)
    count = Spending.count

    def counting(self, job):
        found = count(self, job)
        before = table.stat()
        table.write_text(table.read_text().replace("b,", "a,") if hidden else table.read_text() + "a,w9\n")
        if hidden:
            os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spending, "count", counting)
        with pytest.raises(InvalidInputError, match="changed after the records of each person were counted"):
            job.run()
    assert not (tmp_path / "out.csv").exists()


def test_data_are_touched_on_the_record_before_the_first_is_read(tmp_path, words, rewriter, ledger, paying):
    states = []

    class Watched:
        takes = gives = None
        guarantee, purpose, spec, words = rewriter.guarantee, bytes(32), rewriter.spec, rewriter.word_counts

        def run(self, texts, source):
            states.append([str(entry.state) for entry in Ledger(ledger.place).history()])
            return texts

    plan(words, tmp_path / "out.txt", Watched(), spending=paying()).run()
    assert states[0] == ["touched"]


def test_a_stopped_run_goes_on_and_pays_once(tmp_path, words, rewriter, ledger, paying, monkeypatch):
    job = plan(words, tmp_path / "out.txt", rewriter, spending=paying(), batch_bytes=2000, checkpoint_seconds=0.0)
    fail_at(monkeypatch, "settle")
    with pytest.raises(OSError, match="stopped by the system"):
        job.run()
    assert [entry.state for entry in ledger.history()] == [State.TOUCHED]
    assert not (tmp_path / "out.txt").exists()
    monkeypatch.undo()
    with pytest.raises(InvalidInputError, match="was another: ledger was"):
        plan(words, tmp_path / "out.txt", rewriter).run()
    with pytest.raises(InvalidInputError, match="was another: ledger was"):
        plan(words, tmp_path / "out.txt", rewriter, spending=paying(part="north")).run()
    receipt = job.run()
    assert [entry.state for entry in ledger.history()] == [State.COMMITTED]
    assert verify(tmp_path / "out.txt", ledger=str(tmp_path / "budget.db")).ok
    assert ledger.remaining("notes").epsilon == 12 * ONE_WORD
    assert receipt.ledger["entry"] == ledger.history()[0].id


def fail_at(monkeypatch, name):
    def fail(*_):
        raise OSError("power cut")

    monkeypatch.setattr(f"textveil.jobs.running.{name}", fail)


def test_a_discarded_run_gets_back_only_what_it_did_not_touch(tmp_path, words, rewriter, ledger, paying, monkeypatch):
    job = plan(words, tmp_path / "out.txt", rewriter, spending=paying())
    with monkeypatch.context() as patch:
        patch.setattr("textveil.ledger.Reservation.touch", lambda self: (_ for _ in ()).throw(LedgerError("gone")))
        with pytest.raises(LedgerError, match="gone"):
            job.run()
    assert [entry.state for entry in ledger.history()] == [State.RESERVED]
    job.discard()
    assert [entry.state for entry in ledger.history()] == [State.CANCELLED]
    fail_at(monkeypatch, "settle")
    with pytest.raises(OSError, match="stopped by the system"):
        job.run()
    monkeypatch.undo()
    job.discard()
    assert [entry.state for entry in ledger.history()] == [State.CANCELLED, State.TOUCHED]


def test_without_a_ledger_that_answers_nothing_is_released(tmp_path, words, rewriter, paying):
    with pytest.raises(LedgerError, match="there is no ledger at"):
        plan(words, tmp_path / "out.txt", rewriter, spending=paying()).run()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["words.txt"]


@pytest.mark.parametrize("step", ["reserve", "touch"])
def test_a_ledger_that_fails_stops_the_run_before_anything_is_read(
    tmp_path, words, rewriter, ledger, paying, monkeypatch, step
):
    owner = "textveil.ledger.Ledger" if step == "reserve" else "textveil.ledger.Reservation"
    monkeypatch.setattr(f"{owner}.{step}", lambda *_, **__: (_ for _ in ()).throw(LedgerError("no answer")))
    monkeypatch.setattr(tv.TextRewriter, "rewrite", lambda *_: pytest.fail("data were read"))
    with pytest.raises(TextveilError, match="no answer"):
        plan(words, tmp_path / "out.txt", rewriter, spending=paying()).run()
    assert not (tmp_path / "out.txt").exists()
    assert not (tmp_path / "out.txt.partial" / "output").exists()


def test_a_stream_pays_too(tmp_path, words, rewriter, ledger, paying, monkeypatch, capfdbinary):
    plan(words, "-", rewriter, spending=paying(), receipt=tmp_path / "receipt.json").run()
    assert len(capfdbinary.readouterr().out.splitlines()) == 400
    (entry,) = ledger.history()
    assert entry.state is State.COMMITTED
    assert json.loads((tmp_path / "receipt.json").read_text())["ledger"]["entry"] == entry.id
    with pytest.raises(InvalidInputError, match="give a file or folder as input"):
        plan(words, "-", rewriter, spending=paying("people", unit_column="user", max_rows=2)).run()


def test_standard_input_needs_to_know_its_words(tmp_path, rewriter, ledger, paying, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"w1 w2\n")))
    with pytest.raises(InvalidInputError, match="standard input can be read only once"):
        plan("-", tmp_path / "out.txt", rewriter, format="txt", spending=paying()).run()
    plan("-", tmp_path / "out.txt", rewriter, format="txt", spending=paying(max_words=4)).run()
    assert ledger.remaining("notes").epsilon == 4 * ONE_WORD


def test_a_preview_says_what_a_run_costs_and_leaves(tmp_path, table, rewriter, ledger, paying):
    person = paying("people", unit_column="user", max_rows=2)
    told = str(plan(table, tmp_path / "out.csv", rewriter, column="text", spending=person).preview())
    assert "Cost     epsilon 36 for each person (2 records x 3 words x epsilon 6)" in told
    assert "after this release: epsilon 36 of 1000 (left 964)" in told
    assert not ledger.history()


def test_parts_that_share_nothing_are_paid_for_apart(tmp_path, words, rewriter, ledger, paying):
    for part in ("north", "south"):
        plan(words, tmp_path / f"{part}.txt", rewriter, spending=paying(part=part)).run()
    assert ledger.remaining("notes").epsilon == 12 * ONE_WORD
    plan(words, tmp_path / "all.txt", rewriter, spending=paying()).run()
    assert ledger.remaining("notes").epsilon == 2 * 12 * ONE_WORD


def test_verify_asks_the_ledger(tmp_path, words, rewriter, ledger, paying):
    target, url = tmp_path / "out.txt", str(tmp_path / "budget.db")
    plan(words, target, rewriter, spending=paying()).run()
    assert "has it as entry 1 of notes: epsilon 72" in str(verify(target, ledger=url))
    plan(words, tmp_path / "free.txt", rewriter).run()
    assert "no budget paid for the release" in str(verify(tmp_path / "free.txt", ledger=url))
    path = receipt_path(target)
    plain = json.loads(path.read_text())
    for change in ({"created": "2020-01-01T00:00:00+00:00"}, {"ledger": {"entry": "forged"}}):
        path.write_text(json.dumps({**plain, **change}))
        assert not verify(target, ledger=url).ok
        assert verify(target).ok


def test_receipts_and_journals_name_no_ledger_url(tmp_path, words, rewriter, ledger, paying, monkeypatch):
    fail_at(monkeypatch, "settle")
    with pytest.raises(OSError, match="stopped by the system"):
        plan(words, tmp_path / "out.txt", rewriter, spending=paying()).run()
    for path in (tmp_path / "out.txt.partial").iterdir():
        if path.name != "key" and path.is_file():
            assert b"budget.db" not in path.read_bytes()


def test_exact_costs_are_fractions(tmp_path, words, clustered, ledger, paying):
    tenth = tv.TextRewriter(tv.Exponential(clustered, epsilon=0.1, radius=0.7))
    plan(words, tmp_path / "out.txt", tenth, spending=paying()).run()
    assert ledger.remaining("notes").epsilon == 12 * Fraction(0.1) * Fraction(0.7)
