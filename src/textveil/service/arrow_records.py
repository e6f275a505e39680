"""Records as an Arrow stream: what comes is not trusted, and what goes back shows nothing of how it came.

Batches of the answer end where so many bytes were released, whatever the batches of the request were: who cuts a file
into batches of so many bytes would else tell the lengths of private texts.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from textveil.errors import TextveilError
from textveil.files.row_groups import RowGroups
from textveil.service.catalogue import Kind
from textveil.service.errors import Code, Refusal
from textveil.service.records import Finish, Process, check_all, checked

ARROW = "application/vnd.apache.arrow.stream"
ABOUT = "textveil.receipt"
_GROUP_BYTES = 64 << 10
# Where the format keeps what is read here: Message.header, RecordBatch.compression.
_HEADER, _COMPRESSION = 2, 3


def through_arrow(
    body: io.BufferedIOBase,
    kind: Kind,
    process: Process,
    describe: Callable[[int], dict[str, Any]],
    finish: Finish,
    *,
    most: int,
    most_bytes: int,
) -> Iterator[bytes]:
    """Release the one column of an Arrow stream.

    The schema of what comes back has a receipt for the first batch; an empty batch at the end has that of all.
    """
    answer = _Answer(describe)
    try:
        for records in _batches_in(_Bounded(body, most_bytes), kind, most):
            released = process(records)
            yield from answer.add(released)
            check_all(records, released)
        if answer.is_empty:
            raise Refusal(Code.INVALID, "the stream has no records")
        yield from answer.end(finish())
    except (Refusal, TextveilError):
        yield from answer.rest()
        raise


class _Answer:
    """Writes what is released, in groups that depend on it alone."""

    def __init__(self, describe: Callable[[int], dict[str, Any]]) -> None:
        self._describe = describe
        self._groups = RowGroups(_GROUP_BYTES)
        self._sink = io.BytesIO()
        self._type: Any = None
        self._schema: Any = None
        self._writer: Any = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was released."""
        return self._type is None

    def add(self, values: list[Any]) -> Iterator[bytes]:
        """Take released values and return the groups that they fill."""
        if not values:
            return
        column = pa.array(values, type=self._type)
        self._type = column.type
        for group in self._groups.add(pa.record_batch([column], names=["released"])):
            yield self._written(group)

    def rest(self) -> Iterator[bytes]:
        """Return what waits."""
        for group in self._groups.rest():
            yield self._written(group)

    def end(self, receipt: dict[str, Any]) -> Iterator[bytes]:
        """Return what waits, the receipt and the end."""
        yield from self.rest()
        empty = pa.record_batch([pa.array([], type=self._type)], schema=self._schema)
        self._writer.write_batch(empty, custom_metadata={ABOUT: _text(receipt)})
        self._writer.close()
        yield self._taken()

    def _written(self, group: Any) -> bytes:
        if self._writer is None:
            self._schema = group.schema.with_metadata({ABOUT: _text(self._describe(group.num_rows))})
            self._writer = pa.ipc.new_stream(self._sink, self._schema)
        self._writer.write_batch(pa.record_batch(group.columns, schema=self._schema))
        return self._taken()

    def _taken(self) -> bytes:
        piece = self._sink.getvalue()
        self._sink.seek(0)
        self._sink.truncate()
        return piece


class _Bounded(io.RawIOBase):
    """A body of which nobody reads more at once than there can be: a stream may claim any length."""

    def __init__(self, body: io.BufferedIOBase, most: int) -> None:
        self._body, self._most = body, most

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read as a file does, but for lengths that no body may have."""
        if size > self._most:
            raise Refusal(Code.TOO_LARGE, f"the body may have at most {self._most:,} bytes")
        return self._body.read(size)


def _batches_in(body: io.RawIOBase, kind: Kind, most: int) -> Iterator[list[Any]]:
    """Yield the records of each batch; a batch that could be far larger than its bytes is refused unread."""
    try:
        messages = iter(pa.ipc.MessageReader.open_stream(body))
        first = next(messages, None)
        if first is None:
            raise Refusal(Code.MALFORMED, "The body is empty.")
        schema = pa.ipc.read_schema(first)
        _check_type(schema, kind)
        for message in messages:
            if _is_compressed(message):
                raise Refusal(Code.INVALID, "the Arrow stream must not be compressed")
            batch = pa.ipc.read_record_batch(message, schema)
            if batch.num_rows > most:
                raise Refusal(Code.TOO_LARGE, f"a batch may have at most {most:,} records")
            # Offsets of an untrusted stream may point anywhere in memory.
            batch.validate(full=True)
            yield [checked(kind, value, place) for place, value in enumerate(batch.column(0).to_pylist())]
    except (pa.ArrowException, OSError, MemoryError, OverflowError, struct.error):
        raise Refusal(Code.MALFORMED, "The body is not a valid Arrow stream.") from None


def _is_compressed(message: Any) -> bool:
    """Whether the buffers of a record batch would have to be unpacked, to a size that nothing limits."""
    if message.type != "record batch":
        raise Refusal(Code.MALFORMED, "The body must be a schema and record batches.")
    data = message.metadata.to_pybytes()
    (root,) = struct.unpack_from("<I", data)
    header = root + _offset(data, root, _HEADER)
    return _offset(data, header + struct.unpack_from("<I", data, header)[0], _COMPRESSION) != 0


def _offset(data: bytes, table: int, field: int) -> int:
    """Return where a table of flatbuffers keeps a field, from its start; 0 if it has none."""
    places = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, places)
    place = 4 + 2 * field
    return int(struct.unpack_from("<H", data, places + place)[0]) if place < size else 0


def _check_type(schema: Any, kind: Kind) -> None:
    """Refuse a schema whose values can be far larger than their bytes, or are of another kind."""
    if len(schema) != 1:
        raise Refusal(Code.INVALID, f"the Arrow stream must have one column (got {len(schema)})")
    column = schema.field(0).type
    text = pa.types.is_string(column) or pa.types.is_large_string(column)
    listed = pa.types.is_list(column) or pa.types.is_large_list(column) or pa.types.is_fixed_size_list(column)
    inner = column.value_type if listed else None
    fits = {
        Kind.WORDS: text,
        Kind.TEXTS: text,
        Kind.VECTORS: listed and pa.types.is_floating(inner),
        Kind.DOCUMENTS: text or (listed and (pa.types.is_string(inner) or pa.types.is_large_string(inner))),
    }
    if not fits[kind]:
        raise Refusal(Code.INVALID, f"the column must be {'lists of floats' if kind is Kind.VECTORS else 'strings'}")


def _text(receipt: dict[str, Any]) -> str:
    return json.dumps(receipt, ensure_ascii=False, allow_nan=False)
