"""A progress bar for what takes longer than two seconds, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

PATIENCE_SECONDS = 2.0
# Bars on the screen: at most one, so that work within other work does not draw over it.
_SHOWN: list[object] = []


class Step(Protocol):
    """Report that some of the work is done."""

    def __call__(self, done: int = 1, title: str | None = None) -> None:
        """Count `done` more of the total; `title` is shown from now on."""


def on_terminal() -> bool:
    """Whether someone sees what is written on standard error; programs without a terminal may have none at all."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


@contextmanager
def progress(title: str, total: int | None) -> Iterator[Step]:
    """Show a bar on standard error once the work has lasted two seconds; a total of None is one that nobody knows."""
    if not on_terminal():
        yield lambda done=1, title=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(title, total=total)
    started = time.monotonic()

    def step(done: int = 1, title: str | None = None) -> None:
        bar.update(task, advance=done, description=title)
        if not _SHOWN and time.monotonic() - started > PATIENCE_SECONDS:
            bar.start()
            _SHOWN.append(bar)

    try:
        yield step
    finally:
        if bar in _SHOWN:
            _SHOWN.remove(bar)
            bar.stop()
