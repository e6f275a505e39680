"""Writing parquet and Arrow IPC files; both end with a footer, so they can't be cut back but are begun again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from textveil.durable import sync_file
from textveil.files.batches import Position
from textveil.files.row_groups import RowGroups

_ROW_GROUP_BYTES = 32 << 20
_RECORD_BATCH_BYTES = 2 << 20


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
        self._writer = pq.ParquetWriter(path, schema, compression=codecs, use_dictionary=coded)
        self._groups = RowGroups(_ROW_GROUP_BYTES)

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Write the row groups that a record batch fills."""
        self._write(self._groups.add(piece))

    def sync(self, position: Position) -> None:
        """Do nothing: the file is redone from its start."""

    def finish(self) -> None:
        """Write the last row group and the footer."""
        self._write(self._groups.rest())
        self._writer.close()
        sync_file(self._path)

    def close(self) -> None:
        """Close the file as it is."""
        self._writer.close()

    def _write(self, groups: Iterator[pa.RecordBatch]) -> None:
        for group in groups:
            self._writer.write_table(pa.Table.from_batches([group]), row_group_size=group.num_rows)


class IpcSink:
    """An Arrow IPC file or stream with record batches of about 2 MiB.

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
        self._groups = RowGroups(_RECORD_BATCH_BYTES)
        self._dictionaries: dict[int, pa.Array] = {}

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Write the record batches that another fills."""
        self._write(self._groups.add(piece))

    def sync(self, position: Position) -> None:
        """Do nothing: the file is redone from its start."""

    def finish(self) -> None:
        """Write the last record batch and the footer."""
        self._write(self._groups.rest())
        self.close()
        sync_file(self._path)

    def close(self) -> None:
        """Close the file as it is."""
        if not self._file.closed:
            self._writer.close()
            self._file.close()

    def _write(self, groups: Iterator[pa.RecordBatch]) -> None:
        for group in groups:
            columns = [self._with_one_dictionary(place, column) for place, column in enumerate(group.columns)]
            self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=group.schema))

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
