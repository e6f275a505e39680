"""Cells of a paper's tables: each is some runs of one mechanism, measured or taken from the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textveil.progress import progress
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.repeats import interval

Records = list[dict[str, Any]]
# More rows or words than anything has.
EVERYTHING = 10**9
# Measures, or finds on the disk, the records of a cell.
Cell = Callable[[], Records]


class Measuring:
    """Makes cells, and keeps what was measured.

    Parameters
    ----------
    name : of the paper
    subject : all that the cells depend on, as plain values; data by its sha256
    """

    def __init__(self, name: str, subject: Any) -> None:
        self.kept = KeptCells(name, subject)

    def cell(
        self,
        part: str,
        mechanism: str,
        epsilon: float | None,
        runs: Callable[[], list[dict[str, float]]],
        *,
        data: str = "",
    ) -> Cell:
        """Return a cell with one record for each measure of its runs: their mean and its interval.

        Parameters
        ----------
        part : figure or table of the paper
        mechanism, epsilon, data : what is measured; no epsilon where nothing is private
        runs : measures; gives the measures of each run by their names
        """

        def records() -> Records:
            found = self.kept.get(f"{part} | {data} | {mechanism} | {epsilon}", runs)
            about = {"part": part, "data": data, "mechanism": mechanism, "epsilon": epsilon}
            return [{**about, "measure": name, **interval([run[name] for run in found])} for name in found[0]]

        return records


def measured(title: str, cells: Iterable[Cell]) -> Records:
    """Return the records of all cells, with a progress bar."""
    everything, records = list(cells), []
    with progress(title, len(everything)) as step:
        for cell in everything:
            records += cell()
            step()
    return records
