"""One small table a benchmark: what, how fast, against what, size of the work."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table as RichTable


class Table:
    """Rows of a benchmark, shown at its end."""

    def __init__(self, title: str) -> None:
        self._table = RichTable(title=title, title_justify="left")
        for column in ("what", "measured", "ratio", "size of the work"):
            self._table.add_column(column)

    def row(self, what: str, measured: str, ratio: str, size: str) -> None:
        self._table.add_row(what, measured, ratio, size)

    def show(self) -> None:
        Console(width=130).print(self._table)


def median_seconds(work: Callable[[], object], *, repeats: int) -> float:
    """The median wall time of some runs, after one that is not counted."""
    return _median(work, repeats, time.perf_counter)


def core_seconds(work: Callable[[], object], *, repeats: int = 5) -> float:
    """The median CPU time of some runs, after one that is not counted."""
    return _median(work, repeats, time.process_time)


def _median(work: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    work()
    times = []
    for _ in range(repeats):
        started = clock()
        work()
        times.append(clock() - started)
    return statistics.median(times)
