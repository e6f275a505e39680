"""textveil reproduce: tables and figures of papers, ours beside theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError
from textveil.reproduce import PAPERS, REPRODUCTIONS, Entry, entries_of, planned

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ENDINGS = (".png", ".svg", ".pdf", ".json")
_INDENT = max(map(len, REPRODUCTIONS)) + 2
_DATA = {True: " (needs --data)", None: " (takes --data)", False: ""}


def _listed(name: str, shows: str) -> str:
    """Return what a name shows, in lines of 78 letters."""
    return fill(f"{name:{_INDENT}}{shows}", 78, subsequent_indent=" " * _INDENT, break_on_hyphens=False)


NAMES = "\n".join(
    [
        *(_listed(name, entry.shows + _DATA[entry.reads_data]) for name, entry in REPRODUCTIONS.items()),
        *(_listed(name, f"all of: {', '.join(parts)}{_DATA[True]}") for name, parts in PAPERS.items()),
    ]
)


def run(
    name: Annotated[str | None, typer.Argument(help="One of the names below; without it they are listed.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Picture (.png, .svg, .pdf) with its numbers beside it, or .json alone; of a whole paper a folder.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of public data sets, for what reads them; see docs/results.md.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only a small part of what reads data sets.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Markdown page; its section on this name is written anew, or added at the end.")
    ] = None,
) -> None:
    """Compute a table or figure of a paper again, or all of a paper, and print its numbers."""
    if name is None:
        typer.echo(NAMES)
        return
    entries, parts = entries_of(name), planned(name, data=data, quick=quick)
    places = {} if output is None else _places(name, entries, output)
    if any(place.suffix != ".json" for place in places.values()):
        from textveil.measure.picture import require_matplotlib

        require_matplotlib()
    if report is not None:
        _check_report(report, quick=quick)
    if output is not None and name in PAPERS:
        output.mkdir(exist_ok=True)
    from textveil.reproduce.sections import write_section

    for part, compute in parts.items():
        made = compute()
        console = _console(made.tables)
        for table in made.tables:
            console.print(table)
        if part in places:
            written = ", ".join(str(path) for path in made.save(places[part]))
            console.print(f"Written: {written}.", markup=False, highlight=False)
        if report is not None:
            write_section(report, part, made.section)
    if left := [part for part in entries if part not in parts]:
        typer.echo(f"Left out by --quick: {', '.join(left)}.")


def _places(name: str, entries: Mapping[str, Entry], output: Path) -> dict[str, Path]:
    """Return the file of each reproduction of a name: that named, or one in the folder of a whole paper."""
    if not output.parent.is_dir():
        raise InvalidInputError(f"there is no folder {output.parent}; make it first")
    if name in PAPERS:
        if output.suffix in _ENDINGS or (output.exists() and not output.is_dir()):
            raise InvalidInputError(f"{name} is a whole paper: --output must be a folder (got {output.name})")
        return {part: output / f"{part}{'.png' if entry.draws else '.json'}" for part, entry in entries.items()}
    if output.suffix not in _ENDINGS:
        raise InvalidInputError(f"--output must end in one of {', '.join(_ENDINGS)} (got {output.name})")
    if output.suffix != ".json" and not entries[name].draws:
        raise InvalidInputError(f"{name} has no picture, only numbers: use {output.with_suffix('.json').name}")
    return {name: output}


def _check_report(report: Path, *, quick: bool) -> None:
    """Refuse a section that could not be written, before anything is computed."""
    if quick:
        raise InvalidInputError("a section is written of a whole run only: leave out --quick or --report")
    if not report.is_file():
        raise InvalidInputError(f"there is no page {report}; make it first")


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
