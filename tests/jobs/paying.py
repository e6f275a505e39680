"""Run paid jobs in children that are killed -9, and see after each that the ledger tells no less than what left.

Called by test_paying.py: paying.py named FOLDER, or paying.py random FOLDER KILLS SEED.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.jobs.crashing import DONE, complete, in_child, rewriter, say, write_lines

from textveil.jobs import Spending, plan, running, verify
from textveil.ledger import Ledger, Reservation, State

KILLED = -signal.SIGKILL


class Budget:
    """A ledger as the parent sees it: opened anew each time, since a fork must not share a connection."""

    def __init__(self, path):
        self.path = path
        ledger = Ledger(str(path))
        ledger.create("notes", unit="record", epsilon=10**9)
        ledger.close()

    def entries(self):
        ledger = Ledger(str(self.path))
        found = ledger.history()
        assert ledger.remaining("notes").epsilon == sum(entry.cost.epsilon for entry in found)
        ledger.close()
        return found


def left(target):
    """Whether anything that the mechanism made is on the disk."""
    partial = target.with_name(target.name + ".partial") / "output"
    return target.exists() or (partial.exists() and partial.stat().st_size > 0)


def check(budget, target, jobs):
    """See that each job has paid at most once, and the last one if anything of it left."""
    entries = budget.entries()
    assert len(entries) <= jobs, "a job has paid twice"
    if left(target):
        assert len(entries) == jobs, "something left that was not reserved"
        assert entries[-1].state in (State.TOUCHED, State.COMMITTED), "something left that was not touched"
    if target.exists():
        assert entries[-1].state is State.COMMITTED, "an output is public that was not committed"


def finish(job, budget, target, jobs):
    """Go on until the job is done, and see that it has paid exactly once."""
    if not complete(target):
        status = in_child(job.run)
        assert status == DONE or complete(target), status
    entries = budget.entries()
    assert len(entries) == jobs
    assert {entry.state for entry in entries} == {State.COMMITTED}
    assert verify(target, ledger=str(budget.path)).ok


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def after(owner, name):
    """Let a function do its work, and die."""
    work = getattr(owner, name)

    def done(*given, **named):
        work(*given, **named)
        die()

    setattr(owner, name, done)


def at_second_batch(_):
    append, calls = running.open_sink, []

    def opened(*given, **named):
        sink = append(*given, **named)
        write = sink.append

        def counted(piece):
            calls.append(piece)
            write(piece)
            if len(calls) == 2:
                die()

        sink.append = counted
        return sink

    running.open_sink = opened


MOMENTS = {
    "before it is reserved": lambda _: setattr(Ledger, "reserve", die),
    "after it is reserved": lambda _: setattr(Reservation, "touch", die),
    "after data are touched": lambda _: after(Reservation, "touch"),
    "while it is released": at_second_batch,
    "before it is committed": lambda _: setattr(running, "settle", die),
    "after it is committed": lambda _: after(running, "settle"),
    "after the output is public": lambda _: after(running, "commit"),
}


def paid_job(folder, target, budget):
    spending = Spending(ledger=str(budget.path), dataset="notes")
    options = {"batch_bytes": 16 << 10, "checkpoint_seconds": 0.0}
    return plan(folder / "in.txt", target, WORK, spending=spending, **options)


WORK = rewriter()


def named(folder):
    write_lines(folder / "in.txt", 64 << 10)
    budget = Budget(folder / "budget.db")
    for number, (moment, arrange) in enumerate(MOMENTS.items(), start=1):
        target = folder / f"out{number}.txt"
        job = paid_job(folder, target, budget)
        status = in_child(lambda arrange=arrange, job=job: (arrange(job), job.run()))
        assert status == KILLED, (moment, status)
        check(budget, target, number)
        finish(job, budget, target, number)
        say(f"killed {moment}: paid once")


def at_random(folder, kills, seed):
    chance = random.Random(seed)  # noqa: S311 - moments
    write_lines(folder / "in.txt", 256 << 10)
    budget, killed, jobs, lasting = Budget(folder / "budget.db"), 0, 0, None
    while killed < kills:
        jobs += 1
        target = folder / f"out{jobs}.txt"
        job = paid_job(folder, target, budget)
        if lasting is None:
            started = time.monotonic()
            finish(job, budget, target, jobs)
            lasting = time.monotonic() - started
            continue
        for _ in range(chance.randrange(1, 4)):
            if complete(target):
                break
            killed += in_child(job.run, lifetime=chance.uniform(0, lasting)) == KILLED
            check(budget, target, jobs)
        finish(job, budget, target, jobs)
        target.unlink()
    say(f"{killed} kills in {jobs} jobs: each paid once")


if __name__ == "__main__":
    if sys.argv[1] == "named":
        named(Path(sys.argv[2]))
    else:
        at_random(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
