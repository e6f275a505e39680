"""The columns beside the one that is released, as Arrow columns, for outputs of another format than the input.

Fields of csv are strings. The types of jsonl are read off its first records, and later ones must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from pyarrow import csv, json

from textveil.errors import InvalidInputError
from textveil.files.arrow_source import TableSource
from textveil.files.batches import Batch, Source
from textveil.files.delimited import Delimited
from textveil.files.json_lines import JsonLines
from textveil.files.spans import Bytes, Spans, splice
from textveil.files.text_source import TextSource
from textveil.hashing import Packed

_REMEDY = "leave the other columns out with --vectors-only, or make a parquet file of it"


class Others(Protocol):
    """The other columns of a source; `place` is where the released one stood among them."""

    schema: pa.Schema
    place: int

    def take(self, batch: Batch) -> list[pa.Array]:
        """Return the columns of a batch; from any thread."""
        ...


def others_of(source: Source) -> Others:
    """Return the other columns of a source."""
    if isinstance(source, TableSource):
        return _OfTable(source)
    if isinstance(source, TextSource) and isinstance(source.layout, Delimited):
        return _OfDelimited(source.layout)
    if isinstance(source, TextSource) and isinstance(source.layout, JsonLines):
        return _OfObjects(source, source.layout)
    return NoOthers()


def names_of_others(source: Source) -> tuple[str, ...]:
    """Return the names of the other columns, as far as the first records show them."""
    layout = source.layout if isinstance(source, TextSource) else source
    if isinstance(layout, TableSource | Delimited):
        return layout.columns[: layout.place] + layout.columns[layout.place + 1 :]
    return tuple(name for name in layout.columns if name != layout.key) if isinstance(layout, JsonLines) else ()


class NoOthers:
    """No other columns."""

    schema = pa.schema([])
    place = 0

    def take(self, batch: Batch) -> list[pa.Array]:
        """Return none."""
        return []


class _OfTable:
    def __init__(self, source: TableSource) -> None:
        self.place = source.place
        # What the file says of itself may describe a column that is no longer there.
        self.schema = source.schema.remove(source.place).remove_metadata()

    def take(self, batch: Batch) -> list[pa.Array]:
        return [column for place, column in enumerate(batch.rest.columns) if place != self.place]


class _OfDelimited:
    def __init__(self, layout: Delimited) -> None:
        self.place = layout.place
        names = [name for place, name in enumerate(layout.columns) if place != layout.place]
        self.schema = pa.schema([pa.field(name, pa.string(), nullable=False) for name in names])
        # Names in a file may recur, numbers do not.
        numbers = [str(place) for place in range(len(layout.columns))]
        kept = [number for place, number in enumerate(numbers) if place != layout.place]
        self._parse = csv.ParseOptions(delimiter=chr(layout.delimiter), newlines_in_values=True)
        self._convert = csv.ConvertOptions(include_columns=kept, column_types=dict.fromkeys(kept, pa.string()))
        self._names = numbers

    def take(self, batch: Batch) -> list[pa.Array]:
        if not len(self.schema) or not batch.rows:
            return [pa.array([], pa.string())] * len(self.schema)
        data = batch.rest[0]
        read = csv.ReadOptions(column_names=self._names, block_size=len(data) + 1, use_threads=False)
        with _told(_records(batch)):
            table = csv.read_csv(pa.py_buffer(data), read, self._parse, self._convert)
        return _columns(table, batch)


class _OfObjects:
    def __init__(self, source: TextSource, layout: JsonLines) -> None:
        self._key = str(layout.key)
        data = source.beginning
        ends = np.flatnonzero(data == 10)
        whole = data[: ends[-1] + 1] if len(ends) else data
        spans = layout.scan(whole, final=True)
        whole = whole if spans.fault else _without_texts(whole, spans)
        with _told("the first records"):
            found = self._read(whole, None).schema if whole.tobytes().strip() else pa.schema([])
        fields = [field.with_type(_plain(field.type)) for field in found if field.name != self._key]
        self.schema = pa.schema(fields)
        self.place = found.names.index(self._key) if self._key in found.names else len(fields)

    def take(self, batch: Batch) -> list[pa.Array]:
        if not batch.rows:
            return [pa.array([], field.type) for field in self.schema]
        with _told(_records(batch)):
            known = self.schema.append(pa.field(self._key, pa.string()))
            table = self._read(_without_texts(*batch.rest), known)
        return _columns(table.drop_columns(self._key), batch)

    @staticmethod
    def _read(data: Any, schema: pa.Schema | None) -> pa.Table:
        read = json.ReadOptions(use_threads=False, block_size=len(data) + 1)
        unexpected = "infer" if schema is None else "error"
        parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected)
        return json.read_json(pa.py_buffer(data), read, parse)


def _without_texts(data: Bytes, spans: Spans) -> Bytes:
    """Return objects whose texts, or lists of sentences, are null: nothing private is parsed with the others."""
    return splice(data, spans, Packed.of([b"null"] * len(spans.starts)))


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type without guesses: dates stay strings, and what was null so far is taken for strings."""
    if pa.types.is_timestamp(kind) or pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    return kind


def _columns(table: pa.Table, batch: Batch) -> list[pa.Array]:
    if table.num_rows != batch.rows:
        raise InvalidInputError(f"{_records(batch)}: the other columns can't be told apart; {_REMEDY}")
    return [column.combine_chunks() for column in table.columns]


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Say where the other columns could not be read; what Arrow says could quote the content."""
    try:
        yield
    except pa.ArrowException:
        raise InvalidInputError(
            f"{where}: another column is not UTF-8 or has not the type it has at the beginning; {_REMEDY}"
        ) from None


def _records(batch: Batch) -> str:
    return f"records {batch.start.rows + 1} to {batch.position.rows}"
