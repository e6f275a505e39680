"""textveil reproduce: tables and figures of papers, ours beside theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError
from textveil.reproduce import REPRODUCTIONS, Entry, entry_of, reproduce

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ENDINGS = (".png", ".svg", ".pdf", ".json")
_INDENT = max(map(len, REPRODUCTIONS)) + 2
_DATA = {True: " (needs --data)", None: " (takes --data)", False: ""}


def _listed(name: str, entry: Entry) -> str:
    """Return what a name shows, in lines of 78 letters."""
    return fill(f"{name:{_INDENT}}{entry.shows}{_DATA[entry.reads_data]}", 78, subsequent_indent=" " * _INDENT)


NAMES = "\n".join(_listed(name, entry) for name, entry in REPRODUCTIONS.items())


def run(
    name: Annotated[str | None, typer.Argument(help="One of the names below; without it they are listed.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Picture (.png, .svg, .pdf) with its numbers beside it, or .json alone."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of public data sets, for what reads them; see docs/results.md.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only a small part of what reads data sets.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Markdown page; its section on this paper is written anew, if there is one.")
    ] = None,
) -> None:
    """Compute a table or figure of a paper again, and print its numbers."""
    if name is None:
        typer.echo(NAMES)
        return
    if output is not None and output.suffix not in _ENDINGS:
        raise InvalidInputError(f"--output must end in one of {', '.join(_ENDINGS)} (got {output.name})")
    if output is not None and output.suffix != ".json" and not entry_of(name).draws:
        raise InvalidInputError(f"{name} has no picture, only numbers: use {output.with_suffix('.json').name}")
    if output is not None and not output.parent.is_dir():
        raise InvalidInputError(f"there is no folder {output.parent}; make it first")
    if report is not None and not report.is_file():
        raise InvalidInputError(f"there is no page {report}; make it first")
    from textveil.reproduce.sections import write_section

    made = reproduce(name, data=data, quick=quick)
    console = _console(made.tables)
    for table in made.tables:
        console.print(table)
    if output is not None:
        console.print(f"Written: {', '.join(str(path) for path in made.save(output))}.", markup=False, highlight=False)
    if report is not None:
        write_section(report, name, made.section)


def _console(tables: Sequence[Table]) -> Console:
    """Return where tables are printed whole: numbers are never cut, and files and pipes are as wide as the tables."""
    from rich.console import Console

    console = Console()
    for table in tables:
        for column in table.columns:
            column.overflow = "fold"
    if console.is_terminal:
        return console
    unbounded = console.options.update(max_width=10_000)
    widths = [table.__rich_measure__(console, unbounded).maximum for table in tables]
    return Console(width=max([console.width, *widths]))
