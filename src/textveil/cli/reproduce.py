"""textveil reproduce: tables and figures of papers, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textveil.errors import InvalidInputError
from textveil.reproduce import REPRODUCTIONS, reproduce

_ENDINGS = (".png", ".svg", ".pdf", ".json")


def run(
    name: Annotated[str, typer.Argument(help="; ".join(f"{name}: {it.shows}" for name, it in REPRODUCTIONS.items()))],
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
    if output is not None and output.suffix not in _ENDINGS:
        raise InvalidInputError(f"--output must end in one of {', '.join(_ENDINGS)} (got {output.name})")
    if output is not None and not output.parent.is_dir():
        raise InvalidInputError(f"there is no folder {output.parent}; make it first")
    if report is not None and not report.is_file():
        raise InvalidInputError(f"there is no page {report}; make it first")
    from rich.console import Console

    from textveil.reproduce.sections import write_section

    made = reproduce(name, data=data, quick=quick)
    console = Console()
    for table in made.tables:
        console.print(table)
    if report is not None:
        write_section(report, name, made.section)
    if output is not None:
        console.print(f"Written: {', '.join(str(path) for path in made.save(output))}.", markup=False, highlight=False)
