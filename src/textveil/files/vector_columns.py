"""Arrow columns of vectors as tables of numbers and back.

Vectors are lists of numbers, of fixed size or not, or the fixed-length bytes that `packed` parquet files hold, which a
field's metadata tells apart from other bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.files.arrow_columns import is_list
from textveil.files.arrow_numbers import column_of_numbers, numbers_of
from textveil.files.batches import Mask
from textveil.files.selection import Selection, listed

Numbers = NDArray[Any]

_PACKED = b"textveil.vectors"


def vector_place(schema: pa.Schema, selection: Selection, where: str) -> int:
    """Return the index of the column that holds the vectors."""
    place = selection.find(schema.names, where)
    if not is_vector(schema.field(place)):
        vectors = listed([field.name for field in schema if is_vector(field)])
        raise InvalidInputError(
            f"column {schema.names[place]!r} of {where} is {schema.field(place).type}, not lists of numbers; "
            f"columns of vectors: {vectors or 'none'}"
        )
    return place


def is_vector(field: pa.Field) -> bool:
    """Whether a column holds vectors."""
    kind = _storage(field.type)
    if pa.types.is_fixed_size_binary(kind):
        return _packed_as(field) is not None
    return is_list(kind) and bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def dimension_of(field: pa.Field) -> int | None:
    """Return the dimension that a column's type says, None if only its lists can tell."""
    kind, packed_as = _storage(field.type), _packed_as(field)
    if packed_as is not None:
        return int(kind.byte_width) // packed_as.itemsize
    return int(kind.list_size) if pa.types.is_fixed_size_list(kind) else None


def first_length(column: pa.Array) -> int | None:
    """Return the length of the first list of a column, None if all are null."""
    lists = _stored(column).drop_null()
    return pc.list_value_length(lists[:1])[0].as_py() if len(lists) else None


def vectors_of(column: pa.Array, field: pa.Field, dimension: int, *, where: str, first: int) -> Numbers:
    """Return the vectors of a column that are not null, one a row.

    Parameters
    ----------
    column : some records of the column
    field : what it is
    dimension : what every vector must have
    where : the file, for messages
    first : the number of the first record, from 1
    """
    stored = _stored(column)
    present = first + np.flatnonzero(numbers_of(stored.is_valid()))
    there, packed_as = stored.drop_null(), _packed_as(field)
    if packed_as is not None:
        data = there.buffers()[1]
        whole = np.frombuffer(data if data is not None else b"", dtype=packed_as)
        vectors = whole.reshape(-1, dimension)[there.offset : there.offset + len(there)]
        return checked(vectors, where, present)
    lengths = numbers_of(pc.list_value_length(there))
    if (lengths != dimension).any():
        bad = int(np.flatnonzero(lengths != dimension)[0])
        raise InvalidInputError(
            f"{where}, record {present[bad]}: its vector has {lengths[bad]} numbers, but others have {dimension}; "
            "all must have the same number"
        )
    numbers = there.flatten()
    if numbers.null_count:
        bad = int(np.flatnonzero(numbers_of(numbers.is_null()))[0]) // dimension
        raise InvalidInputError(f"{where}, record {present[bad]}: a number of its vector is null; remove the record")
    return checked(numbers_of(numbers).reshape(-1, dimension), where, present)


def checked(vectors: Numbers, where: str, records: NDArray[np.int64]) -> Numbers:
    """Return vectors if all are finite; `records` are their numbers in the file."""
    finite = np.isfinite(vectors)
    if not finite.all():
        bad = records[np.flatnonzero(~finite.all(axis=1))[0]]
        raise InvalidInputError(f"{where}, record {bad}: its vector has a NaN or an infinity; remove the record")
    return vectors


def vector_field(name: str, dimension: int, dtype: np.dtype[Any], *, packed: bool) -> pa.Field:
    """Return the field of released vectors."""
    if packed:
        return pa.field(name, pa.binary(dimension * dtype.itemsize), metadata={_PACKED: dtype.name})
    return pa.field(name, pa.list_(pa.from_numpy_dtype(dtype), dimension))


def vector_column(vectors: Numbers, present: Mask, kind: pa.DataType) -> pa.Array:
    """Return a column that holds the vectors where `present` says so, and null elsewhere."""
    missing = None if present.all() else column_of_numbers(~present)
    if missing is not None:
        whole = np.zeros((len(present), vectors.shape[1]), dtype=vectors.dtype)
        whole[present] = vectors
        vectors = whole
    if pa.types.is_fixed_size_binary(kind):
        bitmap = None if missing is None else column_of_numbers(present).buffers()[1]
        return pa.Array.from_buffers(kind, len(present), [bitmap, pa.py_buffer(np.ascontiguousarray(vectors))])
    return pa.FixedSizeListArray.from_arrays(column_of_numbers(vectors.reshape(-1)), type=kind, mask=missing)


def _storage(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _stored(column: pa.Array) -> pa.Array:
    return column.storage if isinstance(column.type, pa.BaseExtensionType) else column


def _packed_as(field: pa.Field) -> np.dtype[Any] | None:
    """Return the numbers that the bytes of a packed column are."""
    name = (field.metadata or {}).get(_PACKED)
    if not pa.types.is_fixed_size_binary(field.type) or name not in (b"float16", b"float32", b"float64"):
        return None
    dtype = np.dtype(name.decode()).newbyteorder("<")
    return dtype if field.type.byte_width and field.type.byte_width % dtype.itemsize == 0 else None
