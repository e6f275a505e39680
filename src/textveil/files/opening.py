"""The source and the sink of a format."""

from __future__ import annotations

from pathlib import Path

from textveil.errors import InvalidInputError
from textveil.files.batches import BATCH_BYTES, Sink, Source
from textveil.files.formats import Format, Kind
from textveil.files.selection import Selection
from textveil.files.spans import Layout


def open_source(path: Path | None, form: Format, selection: Selection, *, batch_bytes: int = BATCH_BYTES) -> Source:
    """Open a file for reading and find its column.

    Parameters
    ----------
    path : the file, None for standard input
    form : its format
    selection : which column holds the texts
    batch_bytes : about how much text to read at once
    """
    if form.kind.is_text:
        from textveil.files.text_source import TextSource

        layout = _layout(form.kind, selection, "standard input" if path is None else str(path))
        return TextSource(path, layout, gzipped=form.gzipped, batch_bytes=batch_bytes)
    if path is None:
        raise InvalidInputError(f"{form} can't be read from standard input, since its end is needed first; give a file")
    from textveil.files.arrow_source import IpcSource, ParquetSource

    make = ParquetSource if form.kind is Kind.PARQUET else IpcSource
    return make(path, selection, batch_bytes=batch_bytes)


def open_sink(source: Source, path: Path | None, form: Format, *, keep: int = 0) -> Sink:
    """Open a file for writing what a source gives.

    Parameters
    ----------
    source : where the records come from
    path : the file, None for standard output
    form : its format
    keep : bytes of a text file to keep; all after them is cut off
    """
    from textveil.files.streams import ByteSink, OutputStream

    if form.kind.is_text:
        if path is None:
            return OutputStream(gzipped=form.gzipped)
        return ByteSink(path, gzipped=form.gzipped, keep=keep)
    if path is None:
        raise InvalidInputError(f"{form} can't be written to standard output; give a file")
    from textveil.files.arrow_sink import IpcSink, ParquetSink
    from textveil.files.arrow_source import IpcSource, ParquetSource

    if isinstance(source, ParquetSource):
        return ParquetSink(path, source.schema, codecs=source.codecs, coded=source.coded)
    if isinstance(source, IpcSource):
        compression = "lz4" if form.kind is Kind.FEATHER else None
        return IpcSink(path, source.schema, is_stream=source.is_stream, compression=compression)
    raise InvalidInputError(f"a text file can't be written as {form}; give the output the format of the input")


def _layout(kind: Kind, selection: Selection, where: str) -> Layout:
    if kind is Kind.TXT:
        from textveil.files.plain_lines import PlainLines

        return PlainLines(selection, where)
    if kind is Kind.JSONL:
        from textveil.files.json_lines import JsonLines

        return JsonLines(selection, where)
    from textveil.files.delimited import Delimited

    return Delimited(selection, where, delimiter="\t" if kind is Kind.TSV else ",")
