"""Records as tables: one row a mechanism, one column an epsilon, to read on a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any, NamedTuple

from rich.table import Table

from textveil.reproduce.repeats import told
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sections import markdown_table

Records = Sequence[dict[str, Any]]


class Pivot(NamedTuple):
    """A table of texts with a title, and what must be known to read it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    note: str = ""

    def rich(self) -> Table:
        """Return it for a terminal."""
        table = Table(title=self.title, title_justify="left", caption=self.note or None, caption_justify="left")
        for number, name in enumerate(self.header):
            table.add_column(name, justify="right" if number else "left")
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """Return it for a page."""
        note = f"{fill(self.note, 120, break_on_hyphens=False)}\n\n" if self.note else ""
        return f"{self.title}:\n\n{note}{markdown_table(self.header, self.rows)}\n"


def pivot(
    title: str,
    records: Records,
    *,
    row: str = "mechanism",
    column: str = "epsilon",
    show: Callable[[dict[str, Any]], str] = told,
    note: str = "",
) -> Pivot:
    """Return records as a table; a record without a column stands in every one.

    Parameters
    ----------
    title : without a full stop
    records : of one measure
    row, column : the names by which they are put in order
    show : a record as text
    note : what must be known to read it
    """
    columns = list(dict.fromkeys(one[column] for one in records if one[column] is not None))
    rows: dict[str, dict[Any, str]] = {}
    for one in records:
        cells = rows.setdefault(one[row], {})
        for name in columns if one[column] is None else [one[column]]:
            cells[name] = show(one)
    names = [name if isinstance(name, str) else f"{'ε = ' if column == 'epsilon' else ''}{name:g}" for name in columns]
    shown = [[name, *(cells.get(one, "") for one in columns)] for name, cells in rows.items()]
    return Pivot(title, ["", *names], shown, note)


def chosen(records: Records, **wanted: Any) -> list[dict[str, Any]]:
    """Return the records that have these values."""
    return [one for one in records if all(one[name] == value for name, value in wanted.items())]


def mean_of(records: Records, **wanted: Any) -> float:
    """Return the mean of the one record that has these values."""
    (found,) = chosen(records, **wanted)
    return float(found["mean"])


def reproduction(
    paper: str, how: str, tables: Sequence[Pivot], records: Records, draw: Callable[[Records], Any], **about: Any
) -> Reproduction:
    """Return the records of a whole paper with everything to read.

    Parameters
    ----------
    paper : its authors and year
    how : what was measured and how, the beginning of the section
    tables : of the records
    records : all of them
    draw : makes the picture of them
    about : other numbers by their names
    """
    return Reproduction(
        numbers={"paper": paper, **about, "measured": list(records)},
        tables=tuple(table.rich() for table in tables),
        draw=lambda: draw(records),
        records=records,
        text="\n".join([how, *(table.markdown() for table in tables)]),
    )
