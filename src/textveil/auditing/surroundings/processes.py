"""Draw outputs in another process: one that is forked from this one, or one that begins anew."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from textveil.auditing.surroundings.subject import drawing
from textveil.mechanisms.mechanism import Mechanism

_PATIENCE_SECONDS = 60
_FRESH = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
is_function, subject, inputs = pickle.load(sys.stdin.buffer)
if is_function:
    outputs = [subject(x) for x in inputs]
else:
    from textveil.auditing.surroundings.subject import drawing
    outputs = drawing(subject)(inputs)
sys.stdout.buffer.write(pickle.dumps(outputs))
"""

Outputs = list[Any]


def in_forks(subjects: Sequence[Any], inputs: Sequence[Any]) -> list[Outputs] | None:
    """Return the outputs of each subject, drawn in a process of its own that begins as a copy of this one.

    None if this machine can't fork, or a process did not answer.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return None
    found = [_in_fork(subject, inputs) for subject in subjects]
    return None if None in found else [outputs for outputs in found if outputs is not None]


def in_fresh_processes(subject: Any, inputs: Sequence[Any], count: int = 2) -> list[Outputs] | None:
    """Return the outputs drawn in processes that know nothing of this one; None if the subject can't be sent there."""
    try:
        sent = pickle.dumps(sys.path) + pickle.dumps((not isinstance(subject, Mechanism), subject, list(inputs)))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    workers = [_begin() for _ in range(count)]
    found = []
    for worker in workers:
        try:
            answer, _ = worker.communicate(sent, timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            answer = b""
        finally:
            worker.kill()
            worker.wait()
        found.append(answer)
    # What is read is what this program wrote.
    return [pickle.loads(answer) for answer in found] if all(found) else None  # noqa: S301


def _begin() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _FRESH]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603


def _in_fork(subject: Any, inputs: Sequence[Any]) -> Outputs | None:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=_answer, args=(sender, subject, inputs), daemon=True)
    worker.start()
    sender.close()
    try:
        outputs: Outputs | None = receiver.recv() if receiver.poll(_PATIENCE_SECONDS) else None
    except EOFError:
        outputs = None
    finally:
        worker.kill()
        worker.join()
        receiver.close()
    return outputs


def _answer(sender: Connection, subject: Any, inputs: Sequence[Any]) -> None:
    with contextlib.closing(sender):
        sender.send(drawing(subject)(inputs))
