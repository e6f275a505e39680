"""Arrow columns of strings as packed texts and back, without making Python strings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from textveil.errors import InvalidInputError
from textveil.files.arrow_numbers import numbers_of
from textveil.files.batches import BATCH_BYTES
from textveil.files.framing import as_list
from textveil.files.selection import Holds, Selection, listed
from textveil.hashing import Packed

_MOST_BYTES_OF_STRING = 2**31 - 1


def text_column(schema: pa.Schema, selection: Selection, where: str) -> int:
    """Return the index of the column that holds the texts."""
    place, documents = selection.find(schema.names, where), selection.holds is Holds.DOCUMENTS
    fits, wanted = (is_document, "string or a list of strings") if documents else (is_text, "string")
    if not fits(schema.field(place).type):
        texts = listed([field.name for field in schema if fits(field.type)])
        raise InvalidInputError(
            f"column {schema.names[place]!r} of {where} is {schema.field(place).type}, not {wanted}; "
            f"columns of strings: {texts or 'none'}"
        )
    return place


def is_text(kind: pa.DataType) -> bool:
    """Whether a type holds strings."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))


def is_document(kind: pa.DataType) -> bool:
    """Whether a type holds strings, or lists of strings."""
    return is_text(kind) or (is_list(kind) and is_text(kind.value_type))


def is_list(kind: pa.DataType) -> bool:
    """Whether a type holds lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def texts_among(schema: pa.Schema) -> tuple[str, ...]:
    """Return the columns that hold strings, or have some inside their lists and structs."""
    return tuple(field.name for field in schema if _has_text(field.type))


def _has_text(kind: pa.DataType) -> bool:
    inside = [kind.field(place).type for place in range(kind.num_fields)]
    return is_text(kind) or any(_has_text(each) for each in inside)


def released_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the released column: the same, but a dictionary needs an index for as many texts as rows."""
    if pa.types.is_dictionary(kind) and kind.index_type.bit_width < 32:
        return pa.dictionary(pa.int32(), kind.value_type, ordered=False)
    return pa.dictionary(kind.index_type, kind.value_type, ordered=False) if pa.types.is_dictionary(kind) else kind


def packed_texts(column: pa.Array) -> Packed:
    """Return the texts of a column that are not null."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    # Not every type of texts can drop its nulls.
    plain = column.cast(pa.large_string()).drop_null()
    _, offsets_buffer, data_buffer = plain.buffers()
    if not len(plain) or offsets_buffer is None:
        return Packed(np.empty(0, dtype=np.uint8), np.zeros(len(plain) + 1, dtype=np.int64))
    offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[plain.offset : plain.offset + len(plain) + 1]
    data = np.frombuffer(data_buffer if data_buffer is not None else b"", dtype=np.uint8)
    return Packed(data[offsets[0] : offsets[-1]], offsets - offsets[0])


def packed_lists(column: pa.Array, *, where: str, first: int) -> Packed:
    """Return the lists of sentences of a column that are not null.

    Parameters
    ----------
    column : some records of the column
    where : the file, for messages
    first : the number of the first record, from 1
    """
    items = []
    for record, sentences in enumerate(column.to_pylist(), start=first):
        if sentences is not None and None in sentences:
            raise InvalidInputError(f"{where}, record {record}: one of its sentences is null; remove it")
        items += [] if sentences is None else [as_list(sentences)]
    return Packed.of(items)


def column_of(texts: Packed, valid: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column that holds the texts where `valid` says so, and null elsewhere.

    Parameters
    ----------
    texts : UTF-8
    valid : booleans, as many true as there are texts
    kind : the type of the column
    """
    lengths = np.zeros(len(valid), dtype=np.int64)
    lengths[numbers_of(valid)] = np.diff(texts.offsets)
    offsets = np.zeros(len(valid) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    bitmap = pc.and_(valid, valid).buffers()[1]  # a copy that begins at bit 0
    buffers = [bitmap, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(texts.data))]
    column = pa.Array.from_buffers(pa.large_string(), len(valid), buffers)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        raise InvalidInputError(
            "a released text is not UTF-8, which Arrow strings must be; convert the input"
        ) from None
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not pa.types.is_large_string(value):
        if pa.types.is_string(value) and offsets[-1] > _MOST_BYTES_OF_STRING:
            raise InvalidInputError("a batch of released texts passes 2 GiB; make the column large_string")
        column = column.cast(value)
    return column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column


def portions(batch: Any, column: int, batch_bytes: int = BATCH_BYTES) -> list[Any]:
    """Cut a record batch into slices of about as much text as a batch should hold."""
    size = batch.column(column).nbytes
    if size <= 2 * batch_bytes or batch.num_rows <= 1:
        return [batch]
    step = max(1, batch.num_rows * batch_bytes // size)
    return [batch.slice(first, step) for first in range(0, batch.num_rows, step)]
