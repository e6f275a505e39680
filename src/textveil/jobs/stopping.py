"""How a run stops before its end: what was done stays, and the same command goes on from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textveil.errors import TextveilError, reason_of

if TYPE_CHECKING:
    from textveil.jobs.partial import PartialFolder


class RunStoppedError(TextveilError, OSError):
    """The disk or the system failed; the message says why and how to go on."""


class RunInterrupted(KeyboardInterrupt):
    """Someone pressed Ctrl-C; `str()` says in one line how to go on."""


class RunBusyError(TextveilError):
    """Another run is writing the same output."""


@contextmanager
def resumable(partial: PartialFolder, *, once: bool) -> Iterator[None]:
    """Say how to go on when the work inside stops.

    Parameters
    ----------
    partial : where the unfinished output is
    once : whether the input, such as standard input, can't be read again
    """
    try:
        yield
    except KeyboardInterrupt:
        raise RunInterrupted(f"interrupted: {_onward(partial, once=once)}") from None
    except OSError as error:
        if isinstance(error, TextveilError):
            raise
        onward = _onward(partial, once=once)
        raise RunStoppedError(f"stopped by the system ({reason_of(error)}): {onward}") from error


def _onward(partial: PartialFolder, *, once: bool) -> str:
    if not partial.is_begun():
        return "nothing was released; give the same command again"
    if once:
        anew = "standard input can't be read again, so the same command begins anew and replaces what is in"
        return f"{anew} {partial.folder}"
    return f"what is done stays in {partial.folder}; give the same command again to go on"
