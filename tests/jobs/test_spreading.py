"""Files released apart from each other, by an engine that stays in this process."""

from __future__ import annotations

import gzip
import os
import pickle
from dataclasses import replace

import pytest

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.jobs import RunInterrupted, RunStoppedError, Spending, plan, spending, verify
from textveil.jobs.journal import Journal
from textveil.ledger import Ledger

LINES = {"a": 40, "b": 300, "c": 0, "d": 120}


class Here:
    """Does the last first; `most` of all, and then it is interrupted. `changed` is done to tasks on their way."""

    def __init__(self, most=10**9, changed=lambda task: task):
        self.most = most
        self.changed = changed
        self.asked = []

    def over(self, task, numbers, *, secret):
        self.asked = list(numbers)
        for number in reversed(self.asked):
            if self.most == 0:
                raise KeyboardInterrupt
            self.most -= 1
            yield number, self.changed(task)(number, secret)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, lines in LINES.items():
        content = "".join(f"w{7 * line % 620} w{line}\n" for line in range(lines))
        (folder / f"{name}.txt").write_text(content)
    return folder


@pytest.fixture
def released(tmp_path, folder, rewriter):
    def release(name, **options):
        target = tmp_path / name
        receipt = plan(folder, target, rewriter, key_file=tmp_path / "key", batch_bytes=500, **options).run()
        return {path.name: path.read_bytes() for path in target.iterdir()}, replace(receipt, created="")

    return release


@pytest.fixture
def paying(tmp_path):
    Ledger(str(tmp_path / "budget.db")).create("notes", unit="record", epsilon=1000)
    return lambda **more: Spending(ledger=str(tmp_path / "budget.db"), dataset="notes", **more)


def test_the_largest_files_are_begun_first_and_the_order_does_not_matter(released):
    engine = Here()
    assert released("out", engine=engine) == released("local")
    assert engine.asked == [1, 3, 0, 2]


def test_what_is_done_is_not_done_again_by_whatever_engine(released, tmp_path):
    for second in (Here(), None):
        with pytest.raises(RunInterrupted, match="give the same command again"):
            released(f"out-{second is None}", engine=Here(most=2))
        assert released(f"out-{second is None}", engine=second) == released(f"local-{second is None}")
        assert second is None or second.asked == [1, 3]


def test_attempts_that_were_given_up_are_no_part_of_the_output(released, tmp_path):
    def twice(task):
        def both(number, key):
            task(number, key)
            return task(number, key)

        return both

    assert released("out", engine=Here(changed=twice)) == released("local")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in",
        "key",
        "local",
        "local.receipt.json",
        "out",
        "out.receipt.json",
    ]


def test_a_worker_with_another_model_is_refused(released, tmp_path):
    with pytest.raises(InvalidInputError, match="another model than is here"):
        released("out", engine=Here(changed=lambda task: replace(task, mechanism="0" * 64)))
    assert not (tmp_path / "out").exists()


def test_a_single_file_is_released_too(tmp_path, folder, rewriter):
    for target, engine in (("one.txt", None), ("two.txt", Here())):
        plan(folder / "b.txt", tmp_path / target, rewriter, key_file=tmp_path / "key", engine=engine).run()
    assert (tmp_path / "one.txt").read_bytes() == (tmp_path / "two.txt").read_bytes()


def test_a_run_that_began_in_a_file_goes_on_elsewhere(released, folder, rewriter, tmp_path, monkeypatch):
    written = []

    def interrupted(self, mark):
        written.append(mark)
        if len(written) == 3:
            raise KeyboardInterrupt
        return kept(self, mark)

    kept = Journal.reached
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "reached", interrupted)
        with pytest.raises(RunInterrupted):
            released("out", checkpoint_seconds=0.0)
    assert released("out", engine=Here()) == released("local")


def test_a_record_that_grew_after_it_was_counted_is_refused_by_the_worker(released, paying, monkeypatch):
    monkeypatch.setattr(spending, "_most_words", lambda job: 1)
    with pytest.raises(InvalidInputError, match="more words than the 1 that are paid for"):
        released("out", engine=Here(), spending=paying(max_words=1))


def test_a_store_gets_the_same_files_and_the_receipt_last(released, folder, tmp_path, rewriter, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (folder / "deeper").mkdir()
    (folder / "deeper" / "e.txt.gz").write_bytes(gzip.compress(b"w1 w2\nw3\n"))
    local = tmp_path / "local"
    receipt = plan(folder, local, rewriter, key_file=tmp_path / "key").run()
    source, target, options = f"file://{folder}", f"file://{tmp_path}/store/out", {"key_file": tmp_path / "key"}
    with pytest.raises(RunInterrupted, match=r"what is done stays in out\.partial"):
        plan(source, target, rewriter, engine=Here(most=2), **options).run()
    out = tmp_path / "store" / "out"
    assert len(list(out.iterdir())) == 2
    assert not out.with_name("out.receipt.json").exists()
    engine = Here()
    done = plan(source, target, rewriter, engine=engine, **options).run()
    assert len(engine.asked) == 3
    assert replace(done, created="") == replace(receipt, created="")
    for path in local.rglob("*.*"):
        assert (out / path.relative_to(local)).read_bytes() == path.read_bytes()
    assert verify(out).ok
    assert not (tmp_path / "out.partial").exists()
    with pytest.raises(InvalidInputError, match="exists, or its receipt does"):
        plan(source, target, rewriter, engine=Here(), **options).run()


def test_what_is_in_a_store_is_not_forgotten_when_the_input_has_a_fault(folder, tmp_path, rewriter, monkeypatch):
    class Faulty:
        """A worker has put its file, and another tells of a fault before the first has answered."""

        def over(self, task, numbers, *, secret):
            task(0, secret)
            raise InvalidInputError("record 3 of the input: no text")
            yield

    monkeypatch.chdir(tmp_path)
    target = f"file://{tmp_path}/store/out"
    with pytest.raises(InvalidInputError, match=r"no text. What was done until there is in file:.*--discard.*another"):
        plan(folder, target, rewriter, engine=Faulty()).run()
    assert [path.name for path in (tmp_path / "store" / "out").iterdir()] == ["a.txt"]
    assert (tmp_path / "out.partial" / "key").exists()
    done = plan(folder, target, rewriter, engine=Here()).run()
    assert len(done.files) == 4
    assert verify(tmp_path / "store" / "out").ok


def test_a_run_into_a_store_that_was_refused_before_anything_was_done_leaves_nothing(
    folder, tmp_path, rewriter, monkeypatch
):
    class Refusing:
        def over(self, task, numbers, *, secret):
            raise InvalidInputError("leave address= out")
            yield

    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match=r"leave address= out$"):
        plan(folder, f"file://{tmp_path}/store/out", rewriter, engine=Refusing()).run()
    assert not (tmp_path / "out.partial").exists()


def test_what_a_killed_worker_was_putting_into_a_local_store_is_no_part_of_the_release(
    folder, tmp_path, rewriter, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "store" / "out"
    with pytest.raises(RunInterrupted):
        plan(folder, f"file://{out}", rewriter, engine=Here(most=2)).run()
    (out / f".{'0' * 16}.new").write_bytes(b"half")
    plan(folder, f"file://{out}", rewriter, engine=Here()).run()
    assert verify(out).ok
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("fault", ["shorter", "absent"])
def test_a_receipt_is_given_only_for_files_that_are_in_the_store(folder, tmp_path, rewriter, monkeypatch, fault):
    monkeypatch.chdir(tmp_path)
    target = f"file://{tmp_path}/store/out"
    with pytest.raises(RunInterrupted):
        plan(folder, target, rewriter, engine=Here(most=2)).run()
    path = max((tmp_path / "store" / "out").iterdir(), key=lambda path: path.stat().st_size)
    path.write_bytes(path.read_bytes()[:4]) if fault == "shorter" else path.unlink()
    with pytest.raises(InvalidInputError, match=rf"{path.name} was changed since it was written"):
        plan(folder, target, rewriter, engine=Here()).run()
    assert not (tmp_path / "store" / "out.receipt.json").exists()


@pytest.mark.parametrize("moment", ["before", "meanwhile"])
@pytest.mark.parametrize("into", ["here", "store"])
def test_a_file_that_changes_is_released_no_more(folder, tmp_path, rewriter, monkeypatch, moment, into):
    monkeypatch.chdir(tmp_path)

    class Editing(Here):
        def over(self, task, numbers, *, secret):
            if moment == "before":
                (folder / "b.txt").write_text("w9\n")
            yield from super().over(task, numbers, secret=secret)

    class Slow(tv.TextRewriter):
        def rewrite(self, texts, *given, **options):
            if moment == "meanwhile" and len(texts) == LINES["b"]:
                (folder / "b.txt").write_text("w9\n")
            return super().rewrite(texts, *given, **options)

    target = tmp_path / "out" if into == "here" else f"file://{tmp_path}/store/out"
    with pytest.raises(InvalidInputError, match=r"b.txt changed since the run began"):
        plan(folder, target, Slow(rewriter.mechanism), engine=Editing()).run()
    assert not list(tmp_path.rglob("out/b.txt"))
    assert not list(tmp_path.rglob("*.receipt.json"))


def test_persons_who_change_are_released_into_no_store(tmp_path, rewriter, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Ledger(str(tmp_path / "budget.db")).create("people", unit="person", epsilon=1000)
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.csv"
    path.write_text("user,text\na,w1\nb,w2\nc,w3\n")
    paid = Spending(ledger=str(tmp_path / "budget.db"), dataset="people", unit_column="user", max_rows=1)

    class Editing(Here):
        def over(self, task, numbers, *, secret):
            before = path.stat()
            path.write_text("user,text\na,w1\na,w2\na,w3\n")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            yield from super().over(task, numbers, secret=secret)

    options = {"column": "text", "header": True, "engine": Editing(), "spending": paid}
    with pytest.raises(InvalidInputError, match=r"a.csv changed since the run began"):
        plan(tmp_path / "in", f"file://{tmp_path}/store/out", rewriter, **options).run()
    assert not (tmp_path / "store").exists()


def test_a_task_holds_neither_the_key_nor_the_ledger(released, paying, tmp_path):
    tasks = []
    released("out", engine=Here(changed=lambda task: tasks.append(task) or task), spending=paying())
    sent = pickle.dumps(tasks[0])
    assert (tmp_path / "key").read_bytes() not in sent
    assert b"budget.db" not in sent
    assert tasks[0].limit.words == 2


def test_a_local_url_is_the_place_that_it_names(folder, rewriter, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(folder)
    for source, target in (
        (folder, f"file://{folder}/out"),
        (f"file://{folder}", folder / "out"),
        (folder, f"file://{tmp_path}/link/out"),
        (f"file://{tmp_path}/other/../in", folder / "out"),
    ):
        with pytest.raises(InvalidInputError, match="inside the input folder"):
            plan(source, target, rewriter, engine=Here())
    with pytest.raises(InvalidInputError, match="is the input"):
        plan(folder, f"file://{folder}/", rewriter, engine=Here())


def test_a_run_into_another_endpoint_is_another_run(folder, rewriter):
    def noted(target):
        return plan(folder, target, rewriter, engine=Here()).fingerprint["output"]

    first, second, plain = (f"s3://bucket/out{query}" for query in ("?endpoint_override=a", "?endpoint_override=b", ""))
    assert len({noted(first), noted(second), noted(plain)}) == 3
    assert noted(first) == noted(first)
    assert "endpoint_override" not in noted(first)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda name, file: (name, replace(file, name="../stolen.txt")),
        lambda name, file: (name, replace(file, name="b.txt" if file.name != "b.txt" else "a.txt")),
        lambda name, file: (f"../{name}", file),
        lambda name, file: ("../journal", file),
        lambda name, file: ("..", file),
    ],
)
def test_a_worker_that_answers_with_another_file_moves_nothing(released, tmp_path, wrong):
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(InvalidInputError, match="another file than it was asked for"):
        released("out", engine=Here(changed=lambda task: lambda number, key: wrong(*task(number, key))))
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "key") == before


def test_a_file_that_is_not_whole_here_stops_the_run_which_goes_on(released):
    def shorter(task):
        def one(number, key):
            name, file = task(number, key)
            return name, replace(file, size=file.size + 1)

        return one

    with pytest.raises(RunStoppedError, match=r"not as large as a worker wrote it.*give the same command again"):
        released("out", engine=Here(changed=shorter))
    assert released("out", engine=Here()) == released("local")
