"""Records as they come and go in streams: lines of JSON, or Arrow. Nothing here knows what is done with them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from textveil.errors import TextveilError
from textveil.service.bodies import Number
from textveil.service.catalogue import Kind
from textveil.service.errors import Code, Refusal, as_refusal, problem

NDJSON = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"
# Takes records and returns what is released for them.
Process = Callable[[Sequence[Any]], list[Any]]
# Ends the stream and returns its receipt.
Finish = Callable[[], dict[str, Any]]

_CHUNK = 64 << 10
_RECORDS: dict[Kind, TypeAdapter[Any]] = {
    Kind.WORDS: TypeAdapter(str),
    Kind.TEXTS: TypeAdapter(str),
    Kind.VECTORS: TypeAdapter(list[Number]),
    Kind.DOCUMENTS: TypeAdapter(str | list[str]),
}


def through_lines(
    body: io.BufferedIOBase, kind: Kind, process: Process, finish: Finish, *, longest: int
) -> Iterator[bytes]:
    """Release lines of JSON: a line {"released": ...} for each, and at last one with the receipt, or with a problem."""
    count, begun = 0, False
    try:
        for lines in _batches_of_lines(body, longest):
            records = [_parsed(kind, line, count + place) for place, line in enumerate(lines)]
            count += len(records)
            released = process(records)
            begun = True
            yield from (_line({"released": value}) for value in released)
            _check_all(records, released)
        yield _line({"receipt": finish()})
    except (Refusal, TextveilError) as error:
        if not begun:
            raise
        yield _line({"problem": problem(as_refusal(error))})


def through_arrow(
    body: io.BufferedIOBase, kind: Kind, process: Process, describe: Finish, *, most: int
) -> Iterator[bytes]:
    """Release the one column of an Arrow stream; the schema of what comes back has the promise and the entry."""
    sink = io.BytesIO()
    writer: Any = None
    try:
        reader = pa.ipc.open_stream(body)
        _check_type(reader.schema, kind)
        for batch in reader:
            # Offsets of an untrusted stream may point anywhere in memory.
            batch.validate(full=True)
            if batch.num_rows > most:
                raise Refusal(Code.TOO_LARGE, f"a batch may have at most {most:,} records")
            records = [_checked(kind, value, place) for place, value in enumerate(batch.column(0).to_pylist())]
            values = process(records)
            if writer is None:
                released = pa.array(values)
                about = {"textveil.receipt": json.dumps(describe(), ensure_ascii=False)}
                schema = pa.schema([pa.field("released", released.type)], metadata=about)
                writer = pa.ipc.new_stream(sink, schema)
            writer.write_batch(pa.record_batch([pa.array(values, type=schema.field(0).type)], schema=schema))
            yield _taken(sink)
            _check_all(records, values)
    except (pa.ArrowException, OSError):
        raise Refusal(Code.MALFORMED, "The body is not a valid Arrow stream.") from None
    if writer is None:
        raise Refusal(Code.INVALID, "the stream has no batches")
    writer.close()
    yield _taken(sink)


def _check_all(records: Sequence[Any], released: Sequence[Any]) -> None:
    if len(released) < len(records):
        raise Refusal(Code.OVER_BUDGET, "the stream has more records than it declared; the rest was not released")


def _batches_of_lines(body: io.BufferedIOBase, longest: int) -> Iterator[list[bytes]]:
    """Yield the lines that have come, as soon as they have."""
    rest = b""
    while chunk := body.read1(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        if max(map(len, (*lines, rest))) > longest:
            raise Refusal(Code.TOO_LARGE, f"a line may have at most {longest:,} bytes")
        if found := [line for line in lines if line.strip()]:
            yield found
    if rest.strip():
        yield [rest]


def _parsed(kind: Kind, line: bytes, place: int) -> Any:
    try:
        return _RECORDS[kind].validate_json(line)
    except ValidationError:
        raise _wrong(kind, place) from None


def _checked(kind: Kind, value: Any, place: int) -> Any:
    try:
        return _RECORDS[kind].validate_python(value)
    except ValidationError:
        raise _wrong(kind, place) from None


def _wrong(kind: Kind, place: int) -> Refusal:
    kinds: Mapping[Kind, str] = {
        Kind.WORDS: "a string",
        Kind.TEXTS: "a string",
        Kind.VECTORS: "a list of finite numbers",
        Kind.DOCUMENTS: "a string or a list of strings",
    }
    return Refusal(Code.INVALID, f"record {place}, from 0, must be {kinds[kind]}")


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


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _taken(sink: io.BytesIO) -> bytes:
    piece = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return piece
