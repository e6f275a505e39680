"""The options that say whose budget pays for a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.jobs import Spending

_PANEL = "Budget"
URL_HELP = "A file (SQLite), or postgresql://USER:PASSWORD@HOST/NAME."

LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger", envvar="TEXTVEIL_LEDGER", help=f"Pay from this ledger. {URL_HELP}", rich_help_panel=_PANEL
    ),
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", help="Whose budget pays; see `textveil ledger init`.", rich_help_panel=_PANEL)
]
Part = Annotated[
    str,
    typer.Option(
        "--part",
        help="Public name for data that share no protected thing with other parts; by default all.",
        rich_help_panel=_PANEL,
    ),
]
MaxWords = Annotated[
    int | None,
    typer.Option(
        "--max-words",
        help="Most words (or sentences) of a record; longer ones are refused. By default they are counted first.",
        rich_help_panel=_PANEL,
    ),
]
UnitColumn = Annotated[
    str | None,
    typer.Option("--unit-column", help="Which column names the person of a record.", rich_help_panel=_PANEL),
]
MaxRows = Annotated[
    int | None,
    typer.Option(
        "--max-rows", help="Most records of a person; if one has more, all is refused.", rich_help_panel=_PANEL
    ),
]


def spending_of(
    ledger: str | None,
    dataset: str | None,
    part: str,
    max_words: int | None,
    unit_column: str | None,
    max_rows: int | None,
) -> Spending | None:
    """Return whose budget pays, None if nothing is counted."""
    from textveil.cli.running import column_of
    from textveil.jobs import Spending

    if ledger is None:
        given = {"--dataset": dataset, "--part": part, "--max-words": max_words}
        given |= {"--unit-column": unit_column, "--max-rows": max_rows}
        for option, value in given.items():
            if value not in (None, ""):
                raise InvalidInputError(f"{option} is for releases that a budget pays for; name it with --ledger URL")
        return None
    if dataset is None:
        raise InvalidInputError("say whose budget pays with --dataset; `textveil ledger show` lists them")
    return Spending(
        ledger=ledger,
        dataset=dataset,
        part=part,
        max_words=max_words,
        unit_column=column_of(unit_column),
        max_rows=max_rows,
    )
