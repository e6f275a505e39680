"""Writing gzip: members of a fixed number of bytes, so that they tell nothing but what is released.

A member for each piece would show where pieces end, which depends on the lengths of the private texts. So a run that
goes on may have to begin within a member: it makes some bytes again that are on the disk already, and skips them.
"""

from __future__ import annotations

import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from textveil.compiled import thread_count
from textveil.files.batches import Mark, Position
from textveil.files.streams import ByteSink

_MEMBER_BYTES = 256 << 10


class GzipSink(ByteSink):
    """A gzip file that grows by members (RFC 1952 allows any number) and can be cut back between them.

    Parameters
    ----------
    path : the file
    keep : bytes of the file to keep, the rest is cut off
    skip : bytes to leave out of what is appended, since they are among those kept
    """

    def __init__(self, path: Path, *, keep: int = 0, skip: int = 0) -> None:
        super().__init__(path, keep=keep)
        self._skip = skip
        self._given = 0
        self._waiting = bytearray()
        self._pool = ThreadPoolExecutor(thread_count())
        self._members: deque[Future[bytes]] = deque()
        self._marks: deque[tuple[int, Position]] = deque()

    def append(self, piece: Any) -> None:
        """Take a piece and write the members that are whole."""
        content = memoryview(piece).cast("B") if len(piece) else memoryview(b"")
        self._waiting += content[max(0, self._skip - self._given) :]
        self._given += len(content)
        while len(self._waiting) >= _MEMBER_BYTES:
            self._members.append(self._pool.submit(compress, bytes(self._waiting[:_MEMBER_BYTES])))
            del self._waiting[:_MEMBER_BYTES]
        self._write_members(leave=3 * thread_count())

    def sync(self, position: Position) -> Mark | None:
        """Bring all whole members to the disk and return the last position that they reach, unless it was told."""
        self._write_members()
        size = self._to_disk()
        self._marks.append((self._given, position))
        written, reached = max(self._given, self._skip) - len(self._waiting), None
        while self._marks and self._marks[0][0] <= written:
            given, position = self._marks.popleft()
            reached = Mark(position=position, size=size, skip=written - given)
        return reached

    def finish(self) -> None:
        """Write the last member, bring all to the disk and close."""
        self._write_members()
        if self._waiting or self._file.tell() == 0:
            super().append(compress(bytes(self._waiting)))
        super().finish()
        self._pool.shutdown()

    def close(self) -> None:
        """Close the file as it is."""
        self._pool.shutdown(cancel_futures=True)
        super().close()

    def _write_members(self, leave: int = 0) -> None:
        while len(self._members) > leave:
            super().append(self._members.popleft().result())


def compress(content: bytes) -> bytes:
    """Return one gzip member, the same for the same bytes."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    return compressor.compress(content) + compressor.flush()
