"""Files released apart from each other, by an engine that stays in this process."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from textveil.errors import InvalidInputError
from textveil.jobs import RunInterrupted, Spending, plan
from textveil.ledger import Ledger


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
    for name, lines in (("a", 40), ("b", 300), ("c", 0), ("d", 120)):
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


def test_a_task_holds_neither_the_key_nor_the_ledger(released, tmp_path):
    tasks = []
    ledger = Ledger(str(tmp_path / "budget.db"))
    ledger.create("notes", unit="record", epsilon=1000)
    spending = Spending(ledger=str(tmp_path / "budget.db"), dataset="notes")
    released("out", engine=Here(changed=lambda task: tasks.append(task) or task), spending=spending)
    sent = pickle.dumps(tasks[0])
    assert (tmp_path / "key").read_bytes() not in sent
    assert b"budget.db" not in sent
    assert tasks[0].limit.words == 2
