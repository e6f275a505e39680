"""textveil embed: a file of texts or vectors, released as vectors, with a receipt."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.document_options import (
    CandidatesColumn,
    Nearest,
    Per,
    Projections,
    PublicTexts,
    RecoderFile,
    Utility,
    chances,
    embedder_of,
    own_candidates,
    response_of,
)
from textveil.cli.engine import EngineName, RayAddress, WorkerGpus, Workers, where_of
from textveil.cli.options import WORDS, Table, vocabulary_of
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
from textveil.cli.vector_options import (
    OF_DOCUMENTS,
    Clip,
    Covariance,
    Delta,
    Mechanism,
    Mix,
    Normalise,
    Precision,
    Projection,
    Public,
    Sampler,
    Sensitivity,
    Strength,
    Target,
    VectorOptions,
)
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.encoders import DocumentEmbedder, Encoder, TextEmbedder
    from textveil.mechanisms import PublicResponse
    from textveil.mechanisms.candidate_files import CandidateFile
    from textveil.mechanisms.vectors import VectorMechanism

    Released = VectorMechanism | PublicResponse | TextEmbedder | DocumentEmbedder


def run(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="Texts (csv, jsonl, txt, ...; - for stdin) or vectors (npy, parquet, ...)."),
    ],
    target: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="parquet, arrow, feather or npy.")],
    epsilon: Strength,
    column: Column = None,
    mechanism: Mechanism = None,
    delta: Delta = None,
    sensitivity: Sensitivity = None,
    clip: Clip = None,
    sampler: Sampler = None,
    normalise: Normalise = False,
    shorter: Target = None,
    projection: Projection = None,
    public: Public = None,
    covariance: Covariance = None,
    mix: Mix = None,
    candidates: PublicTexts = None,
    candidates_column: CandidatesColumn = None,
    nearest: Nearest = None,
    per: Per = None,
    projections: Projections = None,
    utility: Utility = None,
    recoder: RecoderFile = None,
    precision: Precision = "exact",
    encoder: Annotated[
        str, typer.Option("--encoder", help="words, minilm, minilm-int8, or a sentence-transformers folder or name.")
    ] = "words",
    vocabulary: Table = None,
    size: Annotated[int | None, typer.Option("--words", help="Size of the default vocabulary (30,000).")] = None,
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
    """Release one vector a record: given, or of its text or sentences. Interrupted? Run the same command again."""
    from textveil.files import Holds, Selection
    from textveil.jobs import VectorOutput, plan

    dimension = _dimension(source, column, file_format)
    options = VectorOptions(
        name=mechanism or ("laplace" if encoder == "words" or dimension else "public-response"),
        epsilon=epsilon,
        precision=precision,
        delta=delta,
        sensitivity=sensitivity,
        clip=clip,
        sampler=sampler,
        normalise=normalise,
        target=shorter,
        projection=projection,
        public=public,
        covariance=covariance,
        mix=mix,
        candidates=candidates,
        candidates_column=candidates_column,
        nearest=nearest,
        per=per,
        projections=projections,
        utility=utility,
        recoder=recoder,
        preview=preview,
    )
    output = VectorOutput(dtype=dtype, packed=packed, only=vectors_only)
    if dimension is not None:
        other = None if encoder == "words" else encoder
        _refuse("the input holds vectors", encoder=other, vocabulary=vocabulary, words=size, header=header)
        _refuse("the input holds vectors", delimiter=delimiter)
    holds = Holds.VECTORS if dimension else Holds.DOCUMENTS
    selection = Selection(column=column_of(column), header=header, delimiter=delimiter, holds=holds)
    own, told = own_candidates(options, source, file_format, selection)
    work = (
        _of_vectors(options, dimension, own)
        if dimension
        else _embedder(options, encoder_of(encoder, vocabulary, size), own)
    )
    job = plan(
        source,
        target,
        work,
        column=column_of(column),
        format=file_format,
        header=header,
        delimiter=delimiter,
        vectors=output,
        key_file=key_file,
        overwrite=overwrite,
        spending=spending_of(ledger, dataset, part, max_words, unit_column, max_rows),
        **where_of(engine, workers, ray_address, worker_gpus, ledger=ledger),
    )
    if told:
        typer.echo(told, err=True)
    done = carried_out(job, preview=preview, discard=discard, scale=_scale(options, work) if preview else "")
    if done is not None:
        typer.echo(str(done))


def _dimension(source: str, column: list[str] | None, file_format: str | None) -> int | None:
    """Return the dimension of the vectors of the input, None if it holds texts."""
    from textveil.files import Selection, look, place_of, shards_of

    shards = shards_of(None if source == "-" else place_of(source), file_format)
    return look(shards, Selection(column=column_of(column))).dimension


def _of_vectors(options: VectorOptions, dimension: int, own: CandidateFile | None) -> VectorMechanism | PublicResponse:
    if options.name in OF_DOCUMENTS:
        raise InvalidInputError(f"{options.name} takes texts or lists of sentences, but the input holds vectors")
    if options.name != "public-response":
        return options.mechanism(dimension)
    _refuse("the input holds vectors", per=options.per)
    return response_of(options, None, own)


def _embedder(options: VectorOptions, encoder: Encoder, own: CandidateFile | None) -> TextEmbedder | DocumentEmbedder:
    from textveil.encoders import TextEmbedder

    if options.is_for_texts:
        return embedder_of(options, encoder, own)
    return TextEmbedder(options.mechanism(encoder.dimension), encoder=encoder)


def encoder_of(name: str, vocabulary: Path | None, size: int | None) -> Encoder:
    """Return the encoder of a name, or of a sentence-transformers folder."""
    from textveil.encoders import AveragedWords, MiniLM, SentenceTransformersEncoder

    if name == "words":
        if vocabulary is not None:
            _refuse("--vocabulary brings its own words", words=size)
        return AveragedWords(vocabulary_of(vocabulary, WORDS if size is None else size))
    _refuse(f"the encoder is {name}", vocabulary=vocabulary, words=size)
    if name in ("minilm", "minilm-int8"):
        return MiniLM(precision="int8" if name == "minilm-int8" else "float32")
    return SentenceTransformersEncoder(name)


def _scale(options: VectorOptions, work: Released) -> str:
    from textveil.encoders import AveragedWords, TextEmbedder
    from textveil.mechanisms import PublicResponse, SentenceResponses
    from textveil.mechanisms.vectors import VectorMechanism

    mechanism = getattr(work, "mechanism", work)
    if isinstance(mechanism, SentenceResponses):
        mechanism = mechanism.response
    if isinstance(mechanism, PublicResponse):
        return chances(mechanism)
    if not isinstance(mechanism, VectorMechanism):
        return ""
    if isinstance(work, TextEmbedder) and isinstance(work.encoder, AveragedWords):
        return options.scale(mechanism, work.encoder.vocabulary.points)
    return options.scale(mechanism)


def _refuse(reason: str, **given: object) -> None:
    """Refuse options that would do nothing."""
    for option, value in given.items():
        if value is not None:
            raise InvalidInputError(f"--{option} would do nothing, since {reason}; leave it out")
