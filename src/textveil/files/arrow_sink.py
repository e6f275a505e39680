"""Writing parquet and Arrow IPC files; both end with a footer, so they can't be cut back but are begun again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from textveil.files.durable import sync_file

_ROW_GROUP_BYTES = 32 << 20


class ParquetSink:
    """A parquet file with row groups of about 32 MiB.

    Parameters
    ----------
    path : the file
    schema : of the release
    codecs : compression, by column
    coded : columns that are written with dictionaries
    """

    def __init__(self, path: Path, schema: pa.Schema, *, codecs: str | dict[str, str], coded: list[str]) -> None:
        self._path = path
        self._schema = schema
        self._writer = pq.ParquetWriter(path, schema, compression=codecs, use_dictionary=coded)
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Add a record batch to the row group."""
        self._waiting.append(piece)
        self._bytes += piece.nbytes
        if self._bytes >= _ROW_GROUP_BYTES:
            self._write_group()

    def sync(self) -> None:
        """Do nothing: the file is redone from its start."""

    def finish(self) -> None:
        """Write the last row group and the footer."""
        if self._waiting:
            self._write_group()
        self._writer.close()
        sync_file(self._path)

    def close(self) -> None:
        """Close the file as it is."""
        self._writer.close()

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._waiting, schema=self._schema).unify_dictionaries()
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._waiting, self._bytes = [], 0


class IpcSink:
    """An Arrow IPC file or stream.

    Parameters
    ----------
    path : the file
    schema : of the release
    is_stream : whether to write a stream
    compression : "lz4" as Feather has it, or None
    """

    def __init__(self, path: Path, schema: pa.Schema, *, is_stream: bool, compression: str | None) -> None:
        self._path = path
        self._file = pa.OSFile(str(path), "wb")
        options = pa.ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=True)
        make = pa.ipc.new_stream if is_stream else pa.ipc.new_file
        self._writer = make(self._file, schema, options=options)
        self._dictionaries: dict[int, pa.Array] = {}

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Write a record batch."""
        columns = [self._with_one_dictionary(place, column) for place, column in enumerate(piece.columns)]
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=piece.schema))

    def sync(self) -> None:
        """Do nothing: the file is redone from its start."""

    def finish(self) -> None:
        """Write the footer."""
        self.close()
        sync_file(self._path)

    def close(self) -> None:
        """Close the file as it is."""
        if not self._file.closed:
            self._writer.close()
            self._file.close()

    def _with_one_dictionary(self, place: int, column: pa.Array) -> pa.Array:
        """An IPC file has one dictionary a column, which may grow: number the values of a batch in it."""
        if not pa.types.is_dictionary(column.type):
            return column
        known = self._dictionaries.get(place)
        if known is None or column.dictionary.equals(known):
            self._dictionaries[place] = column.dictionary
            return column
        fresh = column.dictionary.filter(pc.is_null(pc.index_in(column.dictionary, known)))
        known = pa.concat_arrays([known, fresh])
        self._dictionaries[place] = known
        numbers = pc.index_in(column.dictionary, known).take(column.indices).cast(column.type.index_type)
        return pa.DictionaryArray.from_arrays(numbers, known, ordered=column.type.ordered)
