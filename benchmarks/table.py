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
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)
