"""textveil rewrite: a file of texts, rewritten, with a receipt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.options import Epsilon, Name, Radius, Size, Table, Unchanged, Weights, mechanism_of, vocabulary_of

_NEARLY_ALL = 0.9

if TYPE_CHECKING:
    from textveil.text.protection import Protection


def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="txt, csv, tsv, jsonl, parquet or arrow; .gz; a folder of such; - for stdin."
        ),
    ],
    target: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="What to write; - for stdout.")],
    epsilon: Epsilon = None,
    unchanged: Unchanged = None,
    column: Annotated[str | None, typer.Option("--column", "-c", help="Which column (or key) holds the texts.")] = None,
    mechanism: Name = "exponential",
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = 30_000,
    case: Annotated[str, typer.Option("--case", help="sentence, lower, or keep (reveals the capitals).")] = "sentence",
    keep_stop_words: Annotated[
        bool, typer.Option("--keep-stop-words", help="Release common words (the, of, ...) as they are: reveals them.")
    ] = False,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="The same word the same way within a text: reveals where words recur.")
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Print the cost and the guarantee; release nothing.")
    ] = False,
    file_format: Annotated[
        str | None, typer.Option("--format", help="Of the input, if its name does not tell.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether csv has a row of names; say so if --column is a number."),
    ] = None,
    delimiter: Annotated[str | None, typer.Option("--delimiter", help="Of csv; by default a comma.")] = None,
    key_file: Annotated[
        Path | None,
        typer.Option("--key-file", help="Secret to draw all noise from; by default a new one, deleted at the end."),
    ] = None,
    receipt: Annotated[Path | None, typer.Option("--receipt", help="Where the receipt goes, if OUT is -.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT if it exists.")] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Start over instead of resuming an unfinished run.")
    ] = False,
) -> None:
    """Rewrite the texts of a file word by word. Interrupted? Run the same command again: it resumes."""
    from textveil.jobs import RunInterrupted, plan
    from textveil.measure.calibration import unchanged as unchanged_share
    from textveil.text import TextRewriter

    words = mechanism_of(
        vocabulary_of(vocabulary, size),
        name=mechanism,
        epsilon=epsilon,
        unchanged=unchanged,
        radius=radius,
        weights=weights,
    )
    share = unchanged_share(words)
    if share > _NEARLY_ALL:
        typer.echo(f"textveil: warning: at this epsilon {share:.1%} of the words stay as they are", err=True)
    rewriter = TextRewriter(words, protect=_protection(keep_stop_words), case=case, consistent=consistent)
    job = plan(
        source,
        target,
        rewriter,
        column=int(column) if column is not None and column.isdigit() else column,
        format=file_format,
        header=header,
        delimiter=delimiter,
        key_file=key_file,
        receipt=receipt,
        overwrite=overwrite,
    )
    if preview:
        typer.echo(str(job.preview()))
        return
    if discard:
        job.discard()
    try:
        done = job.run()
    except RunInterrupted as stopped:
        typer.echo(f"textveil: {stopped}", err=True)
        raise typer.Exit(130) from None
    # Standard output may be the release itself.
    typer.echo(str(done), err=target == "-")
    if target == "-" and receipt is None:
        typer.echo("No receipt was written; --receipt FILE writes one.", err=True)


def _protection(keep_stop_words: bool) -> Protection:
    from textveil.text.protection import STOP_WORDS, AllBut, EveryWord

    return AllBut(STOP_WORDS) if keep_stop_words else EveryWord()
