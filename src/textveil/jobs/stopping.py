"""How a run stops before its end: what was done stays, and the same command goes on from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from textveil.errors import TextveilError, reason_of


class RunStoppedError(TextveilError, OSError):
    """The disk or the system failed; the message says why and how to go on."""


class RunInterrupted(KeyboardInterrupt):
    """Someone pressed Ctrl-C; `str()` says in one line how to go on."""


class RunBusyError(TextveilError):
    """Another run is writing the same output."""


@contextmanager
def resumable(folder: Path, *, once: bool) -> Iterator[None]:
    """Say how to go on when the work inside stops.

    Parameters
    ----------
    folder : where the unfinished output is
    once : whether the input, such as standard input, can't be read again
    """
    onward = (
        f"standard input can't be read again, so the same command begins anew and replaces what is in {folder}"
        if once
        else f"what is done stays in {folder}; give the same command again to go on"
    )
    try:
        yield
    except KeyboardInterrupt:
        raise RunInterrupted(f"interrupted: {onward}") from None
    except OSError as error:
        if isinstance(error, TextveilError):
            raise
        raise RunStoppedError(f"stopped by the system ({reason_of(error)}): {onward}") from error
