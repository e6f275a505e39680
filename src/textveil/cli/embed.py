"""textveil embed: a file of texts or vectors, released as vectors, with a receipt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.options import Size, Table, vocabulary_of
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
from textveil.cli.vector_options import (
    Clip,
    Covariance,
    Delta,
    Mechanism,
    Mix,
    Normalise,
    Precision,
    Projection,
    Public,
    Sensitivity,
    Strength,
    Target,
    VectorOptions,
)

if TYPE_CHECKING:
    from textveil.encoders import TextEmbedder


def run(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="Texts (csv, jsonl, txt, ...; - for stdin) or vectors (npy, parquet, ...)."),
    ],
    target: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="parquet, arrow, feather or npy.")],
    epsilon: Strength,
    column: Column = None,
    mechanism: Mechanism = "laplace",
    delta: Delta = None,
    sensitivity: Sensitivity = None,
    clip: Clip = None,
    normalise: Normalise = False,
    shorter: Target = None,
    projection: Projection = None,
    public: Public = None,
    covariance: Covariance = None,
    mix: Mix = None,
    precision: Precision = "exact",
    vocabulary: Table = None,
    size: Size = 30_000,
    dtype: Annotated[str, typer.Option("--dtype", help="float32, float64 or float16.")] = "float32",
    packed: Annotated[
        bool, typer.Option("--packed", help="In parquet as bytes: faster to read, but bytes to other programs.")
    ] = False,
    vectors_only: Annotated[bool, typer.Option("--vectors-only", help="Leave all other columns out.")] = False,
    preview: Previewing = False,
    file_format: InputFormat = None,
    header: Header = None,
    delimiter: Delimiter = None,
    key_file: KeyFile = None,
    overwrite: Overwrite = False,
    discard: Discard = False,
) -> None:
    """Release one vector a record: of texts the average of their words. Interrupted? Run the same command again."""
    from textveil.jobs import VectorOutput, plan

    options = VectorOptions(
        name=mechanism,
        epsilon=epsilon,
        precision=precision,
        delta=delta,
        sensitivity=sensitivity,
        clip=clip,
        normalise=normalise,
        target=shorter,
        projection=projection,
        public=public,
        covariance=covariance,
        mix=mix,
    )
    output = VectorOutput(dtype=dtype, packed=packed, only=vectors_only)
    dimension = _dimension(source, column, file_format)
    job = plan(
        source,
        target,
        options.mechanism(dimension) if dimension else _embedder(options, vocabulary, size),
        column=column_of(column),
        format=file_format,
        header=header,
        delimiter=delimiter,
        vectors=output,
        key_file=key_file,
        overwrite=overwrite,
    )
    done = carried_out(job, preview=preview, discard=discard)
    if done is not None:
        typer.echo(str(done))


def _dimension(source: str, column: str | None, file_format: str | None) -> int | None:
    """Return the dimension of the vectors of the input, None if it holds texts."""
    from textveil.files import Selection, look, shards_of

    shards = shards_of(None if source == "-" else Path(source), file_format)
    return look(shards, Selection(column=column_of(column))).dimension


def _embedder(options: VectorOptions, vocabulary: Path | None, size: int) -> TextEmbedder:
    from textveil.encoders import AveragedWords, TextEmbedder

    encoder = AveragedWords(vocabulary_of(vocabulary, size))
    return TextEmbedder(options.mechanism(encoder.dimension), encoder=encoder)
