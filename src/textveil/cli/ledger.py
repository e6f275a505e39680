"""textveil ledger: data sets with a ceiling, what was spent of it, and on what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.outputs import refuse_existing, refuse_inputs
from textveil.cli.spending import URL_HELP
from textveil.durable import write_whole
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from rich.table import Table

    from textveil.ledger import Balance, Entry

app = typer.Typer(help="Keep the budget of data sets: what all releases together may cost.", no_args_is_help=True)

Url = Annotated[str, typer.Argument(metavar="LEDGER", envvar="TEXTVEIL_LEDGER", help=URL_HELP)]
Which = Annotated[str | None, typer.Option("--dataset", help="Only this data set.")]


@app.command("init")
def init(
    url: Url,
    dataset: Annotated[str, typer.Option("--dataset", help="Its public name.")],
    unit: Annotated[str, typer.Option("--unit", help="What is protected: word, sentence, record or person.")],
    epsilon: Annotated[str, typer.Option("--epsilon", help="The ceiling: what all releases may cost one such thing.")],
    delta: Annotated[str, typer.Option("--delta", help="The ceiling of delta.")] = "0",
    counting: Annotated[
        str, typer.Option("--counting", help="sum, gaussian (mu adds in squares) or metric (per unit of distance).")
    ] = "sum",
    metric: Annotated[
        str, typer.Option("--metric", help="The name of the distance, as a refused release says it.")
    ] = "",
    radius: Annotated[
        float | None, typer.Option("--radius", help="Things farther apart in --metric need not be alike.")
    ] = None,
    offset: Annotated[
        str, typer.Option("--offset", help="For metric: what may be lost on top of epsilon x distance.")
    ] = "0",
    summed_delta: Annotated[
        str, typer.Option("--summed-delta", help="For gaussian: the part of delta for releases with their own delta.")
    ] = "0",
) -> None:
    """Make a data set with a ceiling that never changes; also the ledger, if there is none."""
    from textveil.ledger import Ledger

    made = Ledger(url).create(
        dataset,
        unit=unit,
        epsilon=epsilon,
        delta=delta,
        counting=counting,
        metric=metric,
        radius=radius,
        offset=offset,
        summed_delta=summed_delta,
    )
    typer.echo(str(made))


@app.command("show")
def show(url: Url, dataset: Which = None) -> None:
    """Show how much of each budget is spent."""
    from rich.console import Console

    from textveil.ledger import Ledger

    ledger = Ledger(url)
    names = [each.name for each in ledger.datasets()] if dataset is None else [dataset]
    Console().print(_meter([ledger.remaining(name) for name in names]), soft_wrap=True)
    for name in names:
        for line in _provisos(ledger.history(name)):
            typer.echo(f"{name}: {line}")


@app.command("history")
def history(url: Url, dataset: Which = None) -> None:
    """List all reservations and what became of them."""
    from textveil.ledger import Ledger

    entries = Ledger(url).history(dataset)
    typer.echo(
        "data set  number  reserved (UTC)  state  mechanism: cost  [entry]" if entries else "Nothing was reserved yet."
    )
    for entry in entries:
        typer.echo(f"{entry.dataset}  {entry}  [{entry.id}]")


@app.command("export")
def export(
    url: Url,
    dataset: Which = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="json, or csv if OUT is called so; amounts are fractions, beside decimals."),
    ] = None,
    target: Annotated[Path | None, typer.Option("--output", "-o", help="By default standard output.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT if it exists.")] = False,
) -> None:
    """Write all entries as JSON or csv."""
    from textveil.ledger import Ledger
    from textveil.ledger.entries import as_csv, as_json

    forms = {"json": as_json, "csv": as_csv}
    if form is None:
        form = "csv" if target is not None and target.suffix.lower() == ".csv" else "json"
    if form not in forms:
        raise InvalidInputError(f"--format must be json or csv (got {form})")
    ledger = Ledger(url)
    if target is not None:
        refuse_inputs([target], [Path(ledger.place)])
        refuse_existing(target, overwrite=overwrite)
    text = forms[form](ledger.history(dataset))
    if target is None:
        typer.echo(text.rstrip("\n"))
    else:
        write_whole(target, (text.rstrip("\n") + "\n").encode())


@app.command("check")
def check(url: Url) -> None:
    """Add all entries up again, and fail if what is kept as spent is something else."""
    from textveil.ledger import Ledger

    Ledger(url).check()
    typer.echo("what is kept as spent is the sum of the entries")


@app.command("cancel")
def cancel(url: Url, entry: Annotated[str, typer.Argument(metavar="ENTRY", help="As history prints it.")]) -> None:
    """Give up a reservation whose data were never touched; any other is refused."""
    from textveil.ledger import Ledger

    Ledger(url).reservation(entry).cancel()
    typer.echo(f"{entry} is cancelled")


def _provisos(entries: list[Entry]) -> list[str]:
    """Say for which pairs the sum holds, and what of it is not proved."""
    counted = [entry for entry in entries if entry.state != "cancelled"]
    conditions = dict.fromkeys(each for entry in counted for each in entry.facts.get("conditions", []))
    lines = [f"the sum is for two that all releases are about: {'; '.join(conditions)}"] if conditions else []
    doubtful = sum(entry.facts.get("status") != "proved" for entry in counted)
    return lines + ([f"{doubtful} of {len(counted)} entries are conditional: see export"] if doubtful else [])


def _meter(balances: list[Balance]) -> Table:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("data set", "for each", "spent", ""):
        table.add_column(title)
    for balance in balances:
        share = min(1.0, balance.share)
        colour = "red" if share > 0.9 else "yellow" if share > 0.7 else "green"
        bar = ProgressBar(total=1.0, completed=share, width=24, complete_style=colour, finished_style=colour)
        table.add_row(balance.dataset.name, str(balance.dataset.unit), bar, f"{share:.1%}  {balance}")
    return table
