"""What a worker tells of a failure: never what an arbitrary exception says."""

from __future__ import annotations

import errno
import pickle

import pytest

from textveil.engines.outcomes import WorkerError, outcome_of
from textveil.errors import InvalidInputError

PRIVATE = "Maria has diabetes"


class PanicError(BaseException):
    """What a library in Rust raises."""


def failing(error):
    def work():
        raise error

    return pickle.dumps(outcome_of(work))


def test_what_a_work_gives_passes():
    assert outcome_of(lambda: (3, "four")).result() == (3, "four")


def test_what_textveil_says_of_an_input_passes():
    with pytest.raises(InvalidInputError, match="line 7 is no JSON"):
        pickle.loads(failing(InvalidInputError("line 7 is no JSON"))).result()  # noqa: S301 - our own


def test_a_full_disk_is_a_full_disk_here_too():
    sent = failing(OSError(errno.ENOSPC, "No space left on device", f"/data/{PRIVATE}"))
    with pytest.raises(OSError, match="No space left") as raised:
        pickle.loads(sent).result()  # noqa: S301 - our own
    assert raised.value.errno == errno.ENOSPC
    assert PRIVATE.encode() not in sent


@pytest.mark.parametrize("told", [(PRIVATE,), (PRIVATE, "x"), (10**30, PRIVATE), (-7, PRIVATE), ([PRIVATE], "x")])
def test_what_a_store_says_of_its_own_is_an_error_of_input_or_output(told):
    sent = failing(OSError(*told))
    assert PRIVATE.encode() not in sent
    with pytest.raises(OSError, match="Input/output error"):
        pickle.loads(sent).result()  # noqa: S301 - our own


@pytest.mark.parametrize("error", [ValueError(PRIVATE), UnicodeError(PRIVATE), KeyError(PRIVATE), PanicError(PRIVATE)])
def test_any_other_message_stays_in_the_worker(error):
    sent = failing(error)
    assert PRIVATE.encode() not in sent
    with pytest.raises(WorkerError, match=rf"{type(error).__name__} \(test_outcomes.py, line \d+\)"):
        pickle.loads(sent).result()  # noqa: S301 - our own


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_a_process_that_is_to_stop_stops_and_says_nothing(kind):
    with pytest.raises(kind) as raised:
        failing(kind(PRIVATE))
    assert raised.value.args == ()
    assert raised.value.__context__ is None
