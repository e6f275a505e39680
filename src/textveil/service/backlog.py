"""What has been released and not yet sent: as much as memory may hold, then a release waits for the caller to read."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator

import anyio


class UnreadError(Exception):
    """The caller does not read what was released for it."""


class Backlog:
    """The pieces of an answer between the thread that makes them and the caller that reads them.

    Parameters
    ----------
    most : bytes that may wait
    patience : how many seconds a caller may read nothing, once so much waits or nothing more comes
    """

    def __init__(self, most: int, patience: float) -> None:
        self._most, self._patience = most, patience
        self._inlet, self._outlet = anyio.create_memory_object_stream[bytes | Exception](math.inf)
        self._waiting, self._fewer = 0, anyio.Event()

    async def put(self, piece: bytes) -> None:
        """Add a piece, and wait while too much waits."""
        self._inlet.send_nowait(piece)
        self._waiting += len(piece)
        await self._read_down_to(self._most)

    def fail(self, error: Exception) -> None:
        """Say what went wrong."""
        self._inlet.send_nowait(error)

    def end(self) -> None:
        """Say that nothing comes any more."""
        self._inlet.close()

    async def all_read(self) -> None:
        """Wait as long as the caller reads what is left."""
        await self._read_down_to(0)

    async def pieces(self) -> AsyncGenerator[bytes | Exception]:
        """Yield what was put, in order; when the next is asked for, the last has been sent."""
        try:
            async for piece in self._outlet:
                yield piece
                self._take(0 if isinstance(piece, Exception) else len(piece))
        finally:
            self._outlet.close()
            self._take(self._waiting)

    async def _read_down_to(self, most: int) -> None:
        while self._waiting > most:
            self._fewer = anyio.Event()
            with anyio.move_on_after(self._patience) as waited:
                await self._fewer.wait()
            if waited.cancelled_caught:
                raise UnreadError

    def _take(self, size: int) -> None:
        self._waiting -= size
        self._fewer.set()
