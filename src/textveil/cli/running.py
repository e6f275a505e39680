"""The options of commands that run over files, and the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.jobs import FileReceipt, Job

Column = Annotated[
    list[str] | None, typer.Option("--column", "-c", help="Which column (key, array) it is, by name or number from 1.")
]
Previewing = Annotated[bool, typer.Option("--preview", help="Print the cost and the guarantee; release nothing.")]
InputFormat = Annotated[str | None, typer.Option("--format", help="Of the input, if its name does not tell.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether csv has a row of names; say so if --column is a number."),
]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="Of csv; by default a comma.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", help="Secret to draw all noise from; by default a new one, deleted at the end."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace OUT if it exists; a folder only if all in it was released.")
]
Discard = Annotated[bool, typer.Option("--discard", help="Start over instead of resuming an unfinished run.")]


def column_of(given: str | list[str] | None) -> str | int | None:
    """Return the column that an option names."""
    if isinstance(given, list) and len(given) > 1:
        raise InvalidInputError(
            "--column must be given once, as a run releases one column and leaves the others as they are; release the "
            "next one from the output of the first"
        )
    text = next(iter(given), None) if isinstance(given, list) else given
    return int(text) if text is not None and text.isdigit() else text


def carried_out(job: Job, *, preview: bool, discard: bool, scale: str = "") -> FileReceipt | None:
    """Run a job and return its receipt, or print its preview, with the scale that public data give it."""
    from textveil.files.selection import listed
    from textveil.jobs import RunInterrupted

    if kept := job.kept_texts():
        remedy = "remove them from the input" if job.work.gives is None else "--vectors-only leaves them out"
        told = f"these columns may hold text and pass through unchanged: {listed(kept)}; {remedy}"
        typer.echo(f"textveil: warning: {told}", err=True)
    if (others := job.shards.left_out) and not preview:
        told = f"not read, since they are no files of a format that fits: {listed(others)}"
        typer.echo(f"textveil: warning: {told}", err=True)
    if left := job.left_out():
        typer.echo(
            f"textveil: npy holds the vectors alone, without {listed(left)}; parquet and arrow keep them", err=True
        )
    if preview:
        typer.echo("\n".join(filter(None, (str(job.preview()), scale))))
        return None
    if discard:
        job.discard()
    if job.key_file is not None and not job.key_file.exists():
        typer.echo(f"textveil: there was no key file {job.key_file}; a new key is made in it", err=True)
    try:
        return job.run()
    except RunInterrupted as stopped:
        typer.echo(f"textveil: {stopped}", err=True)
        raise typer.Exit(130) from None
