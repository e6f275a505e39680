"""Writing npy: a header of fixed size, whose number of rows is set at the end, then the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from textveil.files.streams import ByteSink

_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER_BYTES = 128


class ArraySink(ByteSink):
    """An npy file that grows by rows and can be cut back to where it was synced.

    Parameters
    ----------
    path : the file
    dimension : numbers of a row
    dtype : of the numbers
    keep : bytes of the file to keep, the rest is cut off
    """

    def __init__(self, path: Path, dimension: int, dtype: np.dtype[Any], *, keep: int = 0) -> None:
        super().__init__(path, keep=keep)
        self._dimension = dimension
        self._dtype = dtype
        if not keep:
            self.append(self._header(0))

    def finish(self) -> None:
        """Say in the header how many rows there are, bring all to the disk and close."""
        size = self._file.tell()
        rows = (size - _HEADER_BYTES) // (self._dimension * self._dtype.itemsize)
        self._file.seek(0)
        self.append(self._header(rows))
        self._file.seek(size)
        super().finish()

    def _header(self, rows: int) -> bytes:
        facts = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': ({rows}, {self._dimension}), }}"
        room = _HEADER_BYTES - len(_MAGIC) - 2
        return _MAGIC + room.to_bytes(2, "little") + facts.ljust(room - 1).encode() + b"\n"
