"""Arrow's numbers as NumPy's.

Arrow's own way imports pandas where it is installed, which takes a worker longer than a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def numbers_of(column: pa.Array) -> NDArray[Any]:
    """Return the booleans or numbers of a column, false or 0 for nulls; those of one without nulls are not copied."""
    data, first, end = column.buffers()[1], column.offset, column.offset + len(column)
    if data is None:
        return np.zeros(len(column), dtype=column.type.to_pandas_dtype())
    if pa.types.is_boolean(column.type):
        bits: NDArray[np.uint8] = np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=end, bitorder="little")
        values: NDArray[Any] = bits[first:].view(np.bool_)
    else:
        values = np.frombuffer(data, dtype=column.type.to_pandas_dtype(), count=end)[first:]
    # What lies in memory where nulls are may be anything.
    return np.where(numbers_of(column.is_valid()), values, values.dtype.type(0)) if column.null_count else values
