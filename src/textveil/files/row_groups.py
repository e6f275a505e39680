"""Rows of a table in groups that depend on the rows alone, not on the pieces in which they came.

Pieces end where so many bytes of the private input were read. A file that showed their ends would tell the lengths of
private texts, so its groups, and the pages and dictionaries inside them, are made anew from what is released.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.files.arrow_columns import is_list
from textveil.files.arrow_numbers import numbers_of

_WIDE = {
    pa.string(): pa.large_string(),
    pa.string_view(): pa.large_string(),
    pa.binary(): pa.large_binary(),
    pa.binary_view(): pa.large_binary(),
}
_LEAST_BYTES = 8


class RowGroups:
    """Takes record batches and gives their rows back in groups.

    Parameters
    ----------
    most_bytes : a group ends with the row that fills it
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0

    def add(self, piece: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Take a piece and return the groups that it fills."""
        ends, start = self._bytes + np.cumsum(_row_bytes(piece)), 0
        full = self._most
        while (stop := int(np.searchsorted(ends, full)) + 1) <= len(ends):
            self._waiting.append(piece.slice(start, stop - start))
            yield self._joined()
            start, full = stop, int(ends[stop - 1]) + self._most
        if start < len(ends):
            self._waiting.append(piece.slice(start))
            self._bytes = int(ends[-1]) - (full - self._most)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """Return the last group, unless there is none."""
        if self._waiting:
            yield self._joined()

    def _joined(self) -> pa.RecordBatch:
        columns = zip(*(part.columns for part in self._waiting), strict=True)
        try:
            joined = [_renewed(pa.concat_arrays(parts)) for parts in columns]
        except pa.ArrowInvalid:
            raise InvalidInputError("a few records of a column pass 2 GiB; make its type large_string") from None
        schema, self._waiting, self._bytes = self._waiting[0].schema, [], 0
        return pa.RecordBatch.from_arrays(joined, schema=schema)


def _renewed(column: pa.Array) -> pa.Array:
    """Return a column without what other rows left in it: words of a dictionary, texts behind a view."""
    kind = column.type
    if pa.types.is_dictionary(kind) and not kind.ordered:
        return column.dictionary_decode().dictionary_encode().cast(kind)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return column.cast(_WIDE[kind]).cast(kind)
    return column


def _row_bytes(piece: pa.RecordBatch) -> NDArray[np.int64]:
    """Return about how many bytes each row takes."""
    sizes = np.full(piece.num_rows, _LEAST_BYTES * piece.num_columns, dtype=np.int64)
    for column in piece.columns:
        lengths = _lengths(column)
        if lengths is not None:
            sizes += lengths
    return sizes


def _lengths(column: pa.Array) -> NDArray[np.int64] | None:
    """Return the bytes of each text or list, 0 for nulls; None for values of another type."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _lengths(column.storage)
    if pa.types.is_dictionary(kind):
        of_values, present = _lengths(column.dictionary), numbers_of(column.is_valid())
        if of_values is None:
            return None
        places = numbers_of(column.indices)[present]
        if len(places) and not 0 <= places.min() <= places.max() < len(of_values):
            raise InvalidInputError("a column has values that are not in its dictionary; write the file anew")
        lengths = np.zeros(len(column), dtype=np.int64)
        lengths[present] = of_values[places]
        return lengths
    if is_list(kind):
        width = kind.value_type.bit_width // 8 if pa.types.is_primitive(kind.value_type) else _LEAST_BYTES
        return numbers_of(pc.list_value_length(column)).astype(np.int64) * width
    if kind in _WIDE:
        column = column.cast(_WIDE[kind])
    is_bytes = pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type)
    if not is_bytes and not pa.types.is_fixed_size_binary(kind):
        return None
    return numbers_of(pc.binary_length(column)).astype(np.int64)
