"""Records as they come and go in streams, as lines of JSON. Nothing here knows what is done with them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from textveil.errors import TextveilError
from textveil.service.bodies import Number
from textveil.service.catalogue import Kind
from textveil.service.errors import Code, Refusal, as_refusal, problem

NDJSON = "application/x-ndjson"
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
            check_all(records, released)
        yield _line({"receipt": finish()})
    except (Refusal, TextveilError) as error:
        if not begun:
            raise
        yield _line({"problem": problem(as_refusal(error))})


def check_all(records: Sequence[Any], released: Sequence[Any]) -> None:
    """Refuse to go on if not all records were paid for."""
    if len(released) < len(records):
        raise Refusal(
            Code.OVER_BUDGET,
            "the stream has more records than it declared; the rest was not released",
            remedy="Send the rest in another stream, and declare as many records as it has: records=N.",
        )


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
    except ValidationError as error:
        if error.errors(include_input=False)[0]["type"] == "json_invalid":
            raise Refusal(Code.MALFORMED, f"line {place + 1} is not JSON") from None
        raise _wrong(kind, place) from None


def checked(kind: Kind, value: Any, place: int) -> Any:
    """Return a record if it is one of its kind; the error has its place alone."""
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


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
