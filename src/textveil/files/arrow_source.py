"""Reading parquet and Arrow IPC files; a position counts records, and those before it are passed over."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from textveil.errors import InvalidInputError
from textveil.files.arrow_columns import (
    column_of,
    is_list,
    packed_lists,
    packed_texts,
    portions,
    released_type,
    text_column,
    texts_among,
)
from textveil.files.arrow_numbers import numbers_of
from textveil.files.batches import BATCH_BYTES, Batch, Items, Mask, Position
from textveil.files.framing import as_texts
from textveil.files.selection import Holds, Selection, listed
from textveil.files.stored import Place, StoredPath, arrow_file
from textveil.files.vector_columns import dimension_of, first_length, vector_place, vectors_of
from textveil.hashing import Packed

_MOST_ROWS = 1 << 16
# What a file calls its codecs, where the writer has other names; LZO can be read but not written.
_CODECS = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4", "LZO": "SNAPPY"}


class TableSource(ABC):
    """A file of columns, one of which, `place`, holds the texts or vectors.

    `holds` says which. `schema` is that of a release of texts; `dimension` that of the vectors, None for texts or where
    there are none.

    Parameters
    ----------
    path : the file
    selection : which column
    batch_bytes : about how much to read at once
    """

    head = b""

    def __init__(self, path: Place, selection: Selection, *, batch_bytes: int = BATCH_BYTES) -> None:
        self._path = path
        self._size = path.stat().st_size
        self._batch_bytes = batch_bytes
        self._read_to = 0
        with self._told():
            schema, self.rows = self._open()
        self.holds = selection.holds
        self.dimension: int | None = None
        if self.holds is Holds.VECTORS:
            self.place = vector_place(schema, selection, str(path))
            self.schema = schema
            self.dimension = self._find_dimension()
        else:
            self.place = text_column(schema, selection, str(path))
            field = schema.field(self.place)
            self.schema = schema.set(self.place, field.with_type(released_type(field.type)))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns there are."""
        return tuple(self.schema.names)

    @property
    def reveals(self) -> tuple[str, ...]:
        """Name the columns that stay."""
        kept = [name for place, name in enumerate(self.columns) if place != self.place]
        shown = ["which records have no text"] if self.gaps else []
        shown += [f"columns unchanged: {listed(kept)}"] if kept else []
        shown += ["the schema's metadata, unchanged"] if self.schema.metadata else []
        return tuple(shown)

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The columns that hold text and pass through unchanged."""
        return texts_among(self.schema.remove(self.place))

    @property
    def gaps(self) -> bool:
        """Whether a record may have no text or vector."""
        return bool(self.schema.field(self.place).nullable)

    def batches(self, start: Position | None = None) -> Iterator[Batch]:
        """Read the records from a position on."""
        position = start or Position()
        passed = position.rows
        with self._told():
            for whole in self._record_batches():
                left = whole.slice(min(passed, whole.num_rows))
                passed -= whole.num_rows - left.num_rows
                for part in portions(left, self.place, self._batch_bytes) if left.num_rows else ():
                    batch = self._batch(part, position)
                    position = batch.position
                    yield batch

    def present(self, batch: Batch) -> Mask:
        """Return which records have a text or vector."""
        return numbers_of(batch.rest.column(self.place).is_valid())

    def fill(self, batch: Batch, texts: Packed) -> pa.RecordBatch:
        """Return the records of a batch with new texts."""
        column = column_of(texts, batch.rest.column(self.place).is_valid(), self.schema.field(self.place).type)
        columns = list(batch.rest.columns)
        columns[self.place] = column
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _items(self, column: pa.Array, first: int) -> Items:
        if self.holds is not Holds.VECTORS:
            return (
                packed_lists(column, where=str(self._path), first=first)
                if is_list(column.type)
                else as_texts(packed_texts(column), self.holds)
            )
        field, dimension = self.schema.field(self.place), self.dimension or 1
        return vectors_of(column, field, dimension, where=str(self._path), first=first)

    def _find_dimension(self) -> int | None:
        """Return what the type says, or else how long the first list is."""
        told = dimension_of(self.schema.field(self.place))
        if told is None:
            with self._told():
                lengths = (first_length(batch.column(self.place)) for batch in self._record_batches())
                told = next((length for length in lengths if length is not None), None)
        if told == 0:
            raise InvalidInputError(f"{self._path} holds vectors without numbers; each must have at least one")
        return told

    def _batch(self, part: pa.RecordBatch, start: Position) -> Batch:
        items = self._items(part.column(self.place), start.rows + 1)
        position = Position(rows=start.rows + part.num_rows, items=start.items + len(items))
        done = self._size * position.rows // self.rows if self.rows else self._read_to
        return Batch(items=items, rows=part.num_rows, rest=part, start=start, position=position, done=done)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name the file in errors; what Arrow says could quote the content."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and (error.errno is not None or isinstance(self._path, StoredPath)):
                raise
            raise InvalidInputError(f"{self._path} is not a whole {self._kind} file; write it again") from None

    _kind: str

    @abstractmethod
    def _open(self) -> tuple[pa.Schema, int | None]:
        """Return the schema, and the number of records where the file says it."""

    @abstractmethod
    def _record_batches(self) -> Iterator[pa.RecordBatch]:
        """Read the file from its start."""


class ParquetSource(TableSource):
    """A parquet file; `codecs` are the compressions of its columns, `coded` those written with dictionaries."""

    codecs: str | dict[str, str]
    coded: list[str]
    _kind = "parquet"

    def _open(self) -> tuple[pa.Schema, int | None]:
        with arrow_file(self._path) as raw, pq.ParquetFile(raw) as file:
            self._batch_rows = _batch_rows(file.metadata, self._batch_bytes)
            self.codecs, self.coded = _encodings(file.metadata)
            return file.schema_arrow, file.metadata.num_rows

    def _record_batches(self) -> Iterator[pa.RecordBatch]:
        # Without these a whole row group is read ahead.
        with arrow_file(self._path) as raw, pq.ParquetFile(raw, pre_buffer=False, buffer_size=1 << 20) as file:
            yield from file.iter_batches(batch_size=self._batch_rows, use_threads=False)


class IpcSource(TableSource):
    """An Arrow IPC file, or stream (`is_stream`)."""

    is_stream: bool
    _kind = "Arrow"

    def _open(self) -> tuple[pa.Schema, int | None]:
        with arrow_file(self._path) as file:
            self.is_stream = file.read(6) != b"ARROW1"
            file.seek(0)
            with self._reader(file) as reader:
                return reader.schema, None

    def _reader(self, file: Any) -> Any:
        return pa.ipc.open_stream(file) if self.is_stream else pa.ipc.open_file(file)

    def _record_batches(self) -> Iterator[pa.RecordBatch]:
        with arrow_file(self._path) as file, self._reader(file) as reader:
            count = None if self.is_stream else reader.num_record_batches
            for batch in reader if count is None else map(reader.get_batch, range(count)):
                self._read_to = file.tell()
                yield batch


def _encodings(metadata: Any) -> tuple[str | dict[str, str], list[str]]:
    """Return the compression of each column, and the columns that have dictionaries."""
    if not metadata.num_row_groups:
        return "snappy", []
    group = metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    codecs = {column.path_in_schema: _CODECS.get(column.compression, column.compression) for column in columns}
    return codecs, [column.path_in_schema for column in columns if column.has_dictionary_page]


def _batch_rows(metadata: Any, batch_bytes: int) -> int:
    """Return how many rows are about one batch."""
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return int(max(1, min(_MOST_ROWS, batch_bytes * max(metadata.num_rows, 1) // max(size, 1))))
