"""textveil rewrite: a file of texts, rewritten, with a receipt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.engine import EngineName, RayAddress, WorkerGpus, Workers, where_of
from textveil.cli.options import (
    OF_WORDS,
    WORDS,
    Device,
    Epsilon,
    Radius,
    Size,
    Table,
    Unchanged,
    Weights,
    mechanism_of,
    vocabulary_of,
)
from textveil.cli.running import (
    Column,
    Delimiter,
    Discard,
    Header,
    InputFormat,
    KeyFile,
    Overwrite,
    Previewing,
    carried_out,
    column_of,
)
from textveil.cli.spending import DatasetName, LedgerUrl, MaxRows, MaxWords, Part, UnitColumn, spending_of
from textveil.cli.utterances import Beam, Model, Name, adept_of
from textveil.cli.vector_options import Precision
from textveil.errors import InvalidInputError

_NEARLY_ALL = 0.9

if TYPE_CHECKING:
    from textveil.mechanisms.adept import Adept
    from textveil.mechanisms.words import WordMechanism
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
    column: Column = None,
    mechanism: Name = "exponential",
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = WORDS,
    precision: Precision = "exact",
    device: Device = None,
    case: Annotated[str, typer.Option("--case", help="sentence, lower, or keep (reveals the capitals).")] = "sentence",
    keep_stop_words: Annotated[
        bool, typer.Option("--keep-stop-words", help="Release common words (the, of, ...) as they are: reveals them.")
    ] = False,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="The same word the same way within a text: reveals where words recur.")
    ] = False,
    model: Model = None,
    beam: Beam = None,
    preview: Previewing = False,
    file_format: InputFormat = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key_file: KeyFile = None,
    receipt: Annotated[Path | None, typer.Option("--receipt", help="Where the receipt goes, if OUT is -.")] = None,
    overwrite: Overwrite = False,
    discard: Discard = False,
    ledger: LedgerUrl = None,
    dataset: DatasetName = None,
    part: Part = "",
    max_words: MaxWords = None,
    unit_column: UnitColumn = None,
    max_rows: MaxRows = None,
    engine: EngineName = "local",
    workers: Workers = None,
    ray_address: RayAddress = None,
    worker_gpus: WorkerGpus = 0.0,
) -> None:
    """Rewrite the texts of a file word by word, or as whole utterances. Interrupted? Run the same command again."""
    from textveil.jobs import plan
    from textveil.text import TextRewriter

    if mechanism == "adept" or model is not None or beam is not None:
        of_words = {
            "--unchanged": unchanged is not None,
            "--radius": radius != "auto",
            "--weights": weights is not None,
            "--vocabulary": vocabulary is not None,
            "--words": size != WORDS,
            "--precision": precision != "exact",
            "--device": device is not None,
            "--case": case != "sentence",
            "--keep-stop-words": keep_stop_words,
            "--consistent": consistent,
        }
        given = [name for name, is_given in of_words.items() if is_given]
        work: Adept | TextRewriter = adept_of(mechanism, epsilon, model, beam, not_for_it=given)
    elif mechanism not in OF_WORDS:
        raise InvalidInputError(f"--mechanism must be {', '.join(OF_WORDS)} or adept (got {mechanism})")
    else:
        words = mechanism_of(
            vocabulary_of(vocabulary, size, device),
            name=mechanism,
            epsilon=epsilon,
            unchanged=unchanged,
            radius=radius,
            weights=weights,
            precision=precision,
        )
        _warn(words)
        work = TextRewriter(words, protect=_protection(keep_stop_words), case=case, consistent=consistent)
    job = plan(
        source,
        target,
        work,
        column=column_of(column),
        format=file_format,
        header=header,
        delimiter=delimiter,
        key_file=key_file,
        receipt=receipt,
        overwrite=overwrite,
        spending=spending_of(ledger, dataset, part, max_words, unit_column, max_rows),
        **where_of(engine, workers, ray_address, worker_gpus, ledger=ledger, device=device),
    )
    done = carried_out(job, preview=preview, discard=discard)
    if done is None:
        return
    # Standard output may be the release itself.
    typer.echo(str(done), err=target == "-")
    if target == "-" and receipt is None:
        typer.echo("No receipt was written; --receipt FILE writes one.", err=True)


def _warn(words: WordMechanism) -> None:
    from textveil.measure.calibration import unchanged

    share = unchanged(words)
    if share > _NEARLY_ALL:
        typer.echo(f"textveil: warning: at this epsilon {share:.1%} of the words stay as they are", err=True)


def _protection(keep_stop_words: bool) -> Protection:
    from textveil.text.protection import STOP_WORDS, AllBut, EveryWord

    return AllBut(STOP_WORDS) if keep_stop_words else EveryWord()
