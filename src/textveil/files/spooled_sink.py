"""Writing a format that needs its end (parquet, Arrow) so that a run which took hours can still go on from its middle.

Record batches wait in a file that can be cut back, the spool, and are put into their format when all are there. The
spool stays until it is used again or deleted, so that a crash in the last step loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from textveil.errors import InvalidInputError
from textveil.files.batches import Sink
from textveil.files.streams import ByteSink

_SIZE_BYTES = 8


class SpooledSink(ByteSink):
    """Record batches, each as an Arrow stream of its own after its size.

    Parameters
    ----------
    spool : the file where they wait
    make : opens the sink of the format
    keep : bytes of the spool to keep, the rest is cut off
    """

    def __init__(self, spool: Path, make: Callable[[], Sink], *, keep: int = 0) -> None:
        super().__init__(spool, keep=keep)
        self._spool = spool
        self._make = make

    def pack(self, piece: Any) -> bytes:
        """Return a record batch as bytes."""
        output = pa.BufferOutputStream()
        with pa.ipc.new_stream(output, piece.schema) as writer:
            writer.write_batch(piece)
        content: bytes = output.getvalue().to_pybytes()
        return len(content).to_bytes(_SIZE_BYTES, "little") + content

    def finish(self) -> None:
        """Put all record batches into the format."""
        sink = self._make()
        try:
            for piece in self._pieces():
                sink.append(sink.pack(piece))
            sink.finish()
        except BaseException:
            sink.close()
            raise
        self.close()

    def _pieces(self) -> Iterator[Any]:
        left = self._file.tell()
        self._file.seek(0)
        while left:
            size = int.from_bytes(self._file.read(_SIZE_BYTES), "little")
            left -= _SIZE_BYTES + size
            try:
                if left < 0:
                    raise EOFError
                with pa.ipc.open_stream(self._file.read(size)) as reader:
                    piece = reader.read_next_batch()
            except (EOFError, StopIteration, pa.ArrowException):
                raise InvalidInputError(
                    f"{self._spool} is damaged; begin again with --discard (or delete its folder)"
                ) from None
            yield piece
