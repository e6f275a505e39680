"""What a reproduction gives: numbers, tables to read and, for a figure, the picture."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from textveil.durable import write_whole
from textveil.errors import InvalidInputError
from textveil.reproduce.sections import markdown_table


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """Numbers of a paper, computed again.

    Parameters
    ----------
    numbers : all of them, as plain values
    tables : the same to read
    draw : makes the picture, where there is one
    records : one for each number measured, all with the same names; a CSV file of them is written beside the numbers
    text : the results as a section of documentation, in Markdown, where that is more than the tables
    """

    numbers: dict[str, Any]
    tables: tuple[Table, ...]
    draw: Callable[[], Any] | None = None
    records: Sequence[Mapping[str, Any]] = ()
    text: str = ""

    @property
    def section(self) -> str:
        """The results for a page of documentation, in Markdown."""
        return self.text or "\n\n".join(map(_as_markdown, self.tables))

    def save(self, path: Path) -> list[Path]:
        """Write the picture, if the path is that of one, and the numbers beside it as JSON; return what was written."""
        numbers = path.with_suffix(".json")
        if path != numbers and self.draw is None:
            raise InvalidInputError(f"there is no picture of this, only numbers: use {numbers.name}")
        written = [numbers]
        write_whole(numbers, (json.dumps(self.numbers, indent=1) + "\n").encode())
        if self.records:
            written.append(path.with_suffix(".csv"))
            write_whole(written[-1], _as_csv(self.records).encode())
        # Last: what fails to be drawn has its numbers.
        if path != numbers and self.draw is not None:
            from textveil.measure.picture import save_picture

            save_picture(self.draw(), path)
            written.insert(0, path)
        return written


def _as_markdown(table: Table) -> str:
    header, *columns = [str(column.header) for column in table.columns], *(column.cells for column in table.columns)
    rows = [[str(cell) for cell in row] for row in zip(*columns, strict=True)]
    return "\n\n".join(filter(None, [str(table.title or ""), markdown_table(header, rows), str(table.caption or "")]))


def _as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()
