"""The source and the sink of a format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textveil.errors import InvalidInputError
from textveil.files.batches import BATCH_BYTES, Sink, Source
from textveil.files.formats import Format, Kind
from textveil.files.selection import Holds, Selection
from textveil.files.spans import Layout
from textveil.files.stored import Place

if TYPE_CHECKING:
    from textveil.files.vector_output import ReleasedVectors

VECTOR_KINDS = (Kind.PARQUET, Kind.ARROW, Kind.FEATHER, Kind.NPY)


def open_source(path: Place | None, form: Format, selection: Selection, *, batch_bytes: int = BATCH_BYTES) -> Source:
    """Open a file for reading and find its column.

    Parameters
    ----------
    path : the file, None for standard input
    form : its format
    selection : which column holds the texts or vectors
    batch_bytes : about how much to read at once
    """
    if not may_hold(form.kind, selection.holds):
        raise InvalidInputError(f"{path or 'standard input'} is {form}, which holds no {selection.holds}; give another")
    if form.kind.is_text:
        from textveil.files.text_source import TextSource

        layout = _layout(form.kind, selection, "standard input" if path is None else str(path))
        return TextSource(path, layout, gzipped=form.gzipped, batch_bytes=batch_bytes)
    if path is None:
        raise InvalidInputError(f"{form} can't be read from standard input, since its end is needed first; give a file")
    if form.kind.is_array:
        from textveil.files.array_source import ArraySource

        return ArraySource(path, form.kind, selection, batch_bytes=batch_bytes)
    from textveil.files.arrow_source import IpcSource, ParquetSource

    make = ParquetSource if form.kind is Kind.PARQUET else IpcSource
    return make(path, selection, batch_bytes=batch_bytes)


def open_sink(
    source: Source, path: Path, form: Format, *, keep: int = 0, skip: int = 0, spool: Path | None = None
) -> Sink:
    """Open a file for writing what a source gives.

    Parameters
    ----------
    source : where the records come from
    path : the file
    form : its format
    keep : bytes of a text file, or of the spool, to keep; all after them is cut off
    skip : bytes to leave out of what is appended, since they are among those kept
    spool : where the vectors of a format that needs its end wait, so that they need not be made again
    """
    if form.kind.is_text:
        from textveil.files.gzip_sink import GzipSink
        from textveil.files.streams import ByteSink

        return GzipSink(path, keep=keep, skip=skip) if form.gzipped else ByteSink(path, keep=keep)
    from textveil.files.arrow_sink import IpcSink, ParquetSink
    from textveil.files.arrow_source import IpcSource, ParquetSource
    from textveil.files.vector_output import ReleasedVectors

    if isinstance(source, ReleasedVectors):
        if spool is None or form.kind is Kind.NPY:
            return _vector_sink(source, path, form.kind, keep)
        from textveil.files.spooled_sink import SpooledSink

        return SpooledSink(spool, lambda: _vector_sink(source, path, form.kind, 0), keep=keep)
    if isinstance(source, ParquetSource):
        # Whether the input has a dictionary of its texts may depend on them.
        coded = {*source.coded, source.columns[source.place]}
        return ParquetSink(path, source.schema, codecs=source.codecs, coded=sorted(coded))
    if isinstance(source, IpcSource):
        compression = "lz4" if form.kind is Kind.FEATHER else None
        return IpcSink(path, source.schema, is_stream=source.is_stream, compression=compression)
    raise InvalidInputError(f"a text file can't be written as {form}; give the output the format of the input")


def may_hold(kind: Kind, holds: Holds) -> bool:
    """Whether files of a kind can hold texts, or vectors."""
    return not kind.is_text if holds is Holds.VECTORS else not kind.is_array


def _vector_sink(source: ReleasedVectors, path: Path, kind: Kind, keep: int) -> Sink:
    from textveil.files.array_sink import ArraySink
    from textveil.files.arrow_sink import IpcSink, ParquetSink

    if kind is Kind.NPY:
        return ArraySink(path, source.released, source.output.numbers, keep=keep)
    if kind is Kind.PARQUET:
        # Noise does not compress, and a vector hardly ever recurs.
        others = [name for name in source.schema.names if name != source.column]
        return ParquetSink(path, source.schema, codecs="snappy" if others else "none", coded=others)
    return IpcSink(path, source.schema, is_stream=False, compression=None)


def _layout(kind: Kind, selection: Selection, where: str) -> Layout:
    if kind is Kind.TXT:
        from textveil.files.plain_lines import PlainLines

        return PlainLines(selection, where)
    if kind is Kind.JSONL:
        from textveil.files.json_lines import JsonLines

        return JsonLines(selection, where)
    from textveil.files.delimited import Delimited

    return Delimited(selection, where, delimiter="\t" if kind is Kind.TSV else ",")
