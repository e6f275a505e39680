"""Arrow's numbers as NumPy's, and NumPy's as Arrow's.

Arrow's own ways import pandas where it is installed, which takes a third of a second in every process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def numbers_of(column: pa.Array) -> NDArray[Any]:
    """Return the booleans or numbers of a column, false or 0 for nulls, not to be written to.

    They are copies for booleans and where there are nulls, and else what Arrow has in memory.
    """
    data, kind, count = column.buffers()[1], column.type.to_pandas_dtype(), len(column)
    if data is None:
        return np.zeros(count, dtype=kind)
    if pa.types.is_boolean(column.type):
        first, bit = divmod(column.offset, 8)
        bits: NDArray[np.uint8] = np.unpackbits(
            np.frombuffer(data, dtype=np.uint8)[first:], count=bit + count, bitorder="little"
        )
        values: NDArray[Any] = bits[bit:].view(np.bool_)
    else:
        values = np.frombuffer(data, dtype=kind, count=column.offset + count)[column.offset :]
    if column.null_count:
        # What lies in memory where nulls are may be anything.
        values = np.where(numbers_of(column.is_valid()), values, values.dtype.type(0))
    values.flags.writeable = False
    return values


def column_of_numbers(values: NDArray[Any]) -> pa.Array:
    """Return a column of numbers or booleans; that of numbers which lie one after the other is not a copy."""
    flat: NDArray[Any] = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    data = pa.py_buffer(np.ascontiguousarray(flat))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, data])
