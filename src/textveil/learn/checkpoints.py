"""Unfinished training on disk: replaced whole, and resumed only by what began it."""

from __future__ import annotations

import io
import signal
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textveil.durable import write_whole
from textveil.errors import InvalidInputError

_SECONDS_BETWEEN = 60.0

State = tuple[NDArray[np.float64], int, float]


@contextmanager
def interrupted_between_epochs() -> Iterator[Callable[[], None]]:
    """Let an interrupt wait for the end of an epoch, and give what to call there; a second one does not wait.

    Raised anywhere else it may be lost, or leave a lock of the threads taken for ever.
    """
    asked = False

    def ask(*_: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    def stop_if_asked() -> None:
        if asked:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield stop_if_asked
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop_if_asked
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


class TrainingInterrupted(KeyboardInterrupt):
    """Someone pressed Ctrl-C; `str()` says in one line how to go on."""


@dataclass
class Checkpoint:
    """A file, if there is to be one, and the digest of what is trained and how."""

    path: Path | None
    digest: str
    _latest: State | None = field(default=None, init=False)
    _saved: float = field(default_factory=time.monotonic, init=False)

    def restored(self) -> State | None:
        """Return points, epochs done and seconds spent, None if there is nothing to go on from."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as content:
                digest, points = str(content["digest"]), content["points"]
                epochs, seconds = int(content["epochs"]), float(content["seconds"])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise InvalidInputError(
                f"{self.path}: not a checkpoint of textveil; delete it (--discard) to start over"
            ) from None
        if digest != self.digest:
            raise InvalidInputError(
                f"{self.path}: was begun with other data or other options; use those to go on, "
                "or delete it (--discard) to start over"
            )
        return points, epochs, seconds

    def keep(self, points: NDArray[np.float64], epochs: int, seconds: float, *, last: bool) -> None:
        """Remember where training stands after an epoch; write it down once a minute, and at the end."""
        if self.path is None:
            return
        self._latest = (points.copy(), epochs, seconds)
        if last or time.monotonic() - self._saved > _SECONDS_BETWEEN:
            self.save(*self._latest)
            self._saved = time.monotonic()

    def save(self, points: NDArray[np.float64], epochs: int, seconds: float) -> None:
        """Replace the file, all or nothing."""
        if self.path is None:
            return
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, digest=self.digest, points=points, epochs=epochs, seconds=seconds)
        write_whole(self.path, content.getvalue())

    def interrupted(self) -> TrainingInterrupted:
        """Write down the last epoch that was done, and say how to go on."""
        if self._latest is not None:
            self.save(*self._latest)
        if self.path is None:
            return TrainingInterrupted("interrupted: nothing is kept; give a checkpoint to be able to go on")
        if not self.path.exists():
            return TrainingInterrupted("interrupted before the first epoch was done: nothing is kept")
        return TrainingInterrupted(
            f"interrupted: the training up to the last epoch that was done is in {self.path}; "
            "give the same command again to go on"
        )
