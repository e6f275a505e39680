"""Run a job in children that are killed, again and again, until it is done. Called by test_crashing.py.

Children are forked from a process in which everything is loaded and compiled, so that they are killed in the run and
not in its imports.

    crashing.py moments FOLDER KILLS SEED txt|txt.gz|npy    kill -9 at random moments, of a run over texts or vectors
    crashing.py steps FOLDER STRIDE    die before each (every second, ...) call that changes the disk
"""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

import textveil as tv
from textveil.jobs import plan

DONE, DIED = 0, 9
CALLS = ("fsync", "rename", "replace", "unlink", "rmdir", "mkdir", "open")


def rewriter():
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(20, 8))
    vectors = centres[rng.integers(20, size=300)] + 0.6 * rng.normal(size=(300, 8))
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(300)], vectors, unknown="w0")
    return tv.TextRewriter(tv.Exponential(vocabulary, epsilon=2.0, radius=3.0))


def write_lines(path, size):
    rng = np.random.default_rng(1)
    lines, written = [], 0
    while written < size:
        line = " ".join(f"w{k}" for k in rng.integers(320, size=rng.integers(0, 30))) + "\n"
        lines.append(line)
        written += len(line)
    path.write_text("".join(lines))


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def in_child(action, lifetime=None):
    """Run in a child; return its exit status, -9 if it was killed after its lifetime."""
    child = os.fork()
    if child == 0:
        try:
            action()
            os._exit(DONE)
        except BaseException as error:  # noqa: BLE001 - a child must not go on as its parent
            say(f"{type(error).__name__}: {error}")
            os._exit(1)
    if lifetime is not None:
        time.sleep(lifetime)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def complete(target):
    """Whether a run has nothing left to do (it may have been killed when it was about to say so)."""
    partial = target.with_name(target.name + ".partial")
    return target.exists() and target.with_name(target.name + ".receipt.json").exists() and not partial.exists()


def check(target, expected):
    assert target.read_bytes() == expected, "the output differs from that of a run that was not killed"
    left = {path.name for path in target.parent.glob(target.name + "*")}
    assert left == {target.name, target.name + ".receipt.json"}, left


def work_on(path):
    """Write an input and return what releases it."""
    if path.suffix != ".npy":
        write_lines(path, 3 << 20)
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(path.read_bytes()))
        return rewriter()
    np.save(path, np.random.default_rng(1).normal(size=(40_000, 24)).astype(np.float32))
    return tv.Laplace(epsilon=2.0, dimension=24, precision="exact")


def random_moments(folder, kills, seed, kind):
    chance, source, whole = random.Random(seed), folder / f"in.{kind}", folder / f"whole.{kind}"  # noqa: S311 - moments
    work = work_on(source)
    options = {"key_file": folder / "key", "batch_bytes": 16 << 10, "checkpoint_seconds": 0.0}
    started = time.monotonic()
    plan(source, whole, work, **options).run()
    lasting, expected = time.monotonic() - started, whole.read_bytes()
    total, killed, runs = len(expected), 0, 0
    say(f"a run that is not killed takes {lasting:.2f} s")
    while killed < kills:
        target = folder / f"out{runs}.{kind}"
        runs += 1
        job = plan(source, target, work, **options)
        while not complete(target):
            status = in_child(job.run, lifetime=chance.uniform(0, lasting / 4) if killed < kills else None)
            assert status in (DONE, -signal.SIGKILL) or complete(target), status
            if status != -signal.SIGKILL:
                break
            killed += 1
            say(f"kill {killed}: {progress_of(target)} of {total} bytes")
        check(target, expected)
        target.unlink()
    say(f"{killed} kills in {runs} runs, every output the same")


def progress_of(target):
    partial = target.with_name(target.name + ".partial")
    if target.exists():
        return "committing, all"
    size = (partial / "output").stat().st_size if (partial / "output").exists() else 0
    journal = partial / "journal"
    lines = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    told = [json.loads(line)["size"] for line in lines if b'"size"' in line and b'"position"' in line]
    return f"journal at {told[-1] if told else 0}, output at {size}"


def each_step(folder, stride):
    work = rewriter()
    write_lines(folder / "in.txt", 20 << 10)
    folder_of_files = folder / "shards"
    folder_of_files.mkdir()
    write_lines(folder_of_files / "a.txt", 10 << 10)
    (folder_of_files / "b.txt.gz").write_bytes(gzip.compress((folder_of_files / "a.txt").read_bytes()))
    former = folder / "former"
    former.mkdir()
    write_lines(former / "old.txt", 100)
    options = {"batch_bytes": 8 << 10, "checkpoint_seconds": 0.0, "threads": 1}
    for source, overwrite in ((folder / "in.txt", False), (folder_of_files, True)):
        steps = 0
        while True:
            target = folder / f"out{steps}{source.suffix}"
            receipt, old = target.with_name(target.name + ".receipt.json"), None
            if overwrite:
                plan(former, target, work, **options).run()
                old = receipt.read_text()
            job = plan(source, target, work, key_file=folder / "key", overwrite=overwrite, **options)
            status = in_child(lambda job=job, steps=steps: die_before(steps, job.run))
            if status == DONE:
                break
            assert status == DIED, status
            if in_child(job.run) != DONE:
                # Only the lock was left: the run was complete, so it is refused as a second one.
                assert complete(target)
            assert content_of(target) == whole(folder, source, work, options), f"step {steps}"
            assert not target.with_name(target.name + ".partial").exists()
            assert receipt.read_text() != old
            steps += stride
        say(f"died before one in {stride} of {steps} steps of {source.name}, every output the same")
        assert steps > 25


WHOLE: dict[Path, list[bytes]] = {}


def whole(folder, source, work, options):
    if source not in WHOLE:
        target = folder / f"whole-{source.name}"
        plan(source, target, work, key_file=folder / "key", **options).run()
        WHOLE[source] = content_of(target)
    return WHOLE[source]


def content_of(target):
    return [path.read_bytes() for path in ([target] if target.is_file() else sorted(target.iterdir()))]


def die_before(steps, action):
    left = [steps]

    def counted(call):
        def step(*given, **named):
            if left[0] == 0:
                os._exit(DIED)
            left[0] -= 1
            return call(*given, **named)

        return step

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    action()


if __name__ == "__main__":
    if sys.argv[1] == "moments":
        random_moments(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    else:
        each_step(Path(sys.argv[2]), int(sys.argv[3]))
