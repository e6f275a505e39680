"""textveil verify: whether an output is the one that its receipt tells of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    output: Annotated[Path, typer.Argument(metavar="OUT", help="What was released.")],
    receipt: Annotated[Path | None, typer.Argument(metavar="RECEIPT", help="By default OUT.receipt.json.")] = None,
    ledger: Annotated[
        str | None, typer.Option("--ledger", help="Check also that this ledger has the release as paid for.")
    ] = None,
) -> None:
    """Check a release against its receipt, and say what was promised. Exit status 1 if anything is wrong."""
    from textveil.jobs import verify

    found = verify(output, receipt, ledger=ledger)
    typer.echo(str(found))
    raise typer.Exit(0 if found.ok else 1)
