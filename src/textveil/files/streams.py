"""Bytes from a plain file, a gzip file or standard input; bytes to a file that can be cut back."""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from textveil.errors import InvalidInputError
from textveil.files.batches import Mark, Position
from textveil.files.stored import Place

_SKIP_BYTES = 1 << 20


class ByteReader:
    """Reads the bytes of a file from a place on, decompressed if need be.

    Parameters
    ----------
    path : a file, or None for standard input
    gzipped : whether to decompress
    skip : bytes (decompressed) to pass over
    """

    def __init__(self, path: Place | None, *, gzipped: bool, skip: int = 0) -> None:
        self._name = "standard input" if path is None else str(path)
        self._raw: BinaryIO = sys.stdin.buffer if path is None else path.open("rb")
        self._is_owner = path is not None
        self._stream: Any = gzip.GzipFile(fileobj=self._raw, mode="rb") if gzipped else self._raw
        self._gzipped = gzipped
        if not gzipped and path is not None:
            self._raw.seek(skip)
            return
        # gzip can't be entered in the middle: what was done already is decompressed once more.
        while skip:
            passed = len(self.read(min(skip, _SKIP_BYTES)))
            if not passed:
                raise InvalidInputError(f"{self._name} is shorter than when the run began; begin again")
            skip -= passed

    def read(self, count: int) -> bytes:
        """Return the next bytes, fewer only at the end."""
        try:
            data: bytes = self._stream.read(count)
        except (gzip.BadGzipFile, zlib.error):
            raise InvalidInputError(
                f"{self._name} is not whole gzip data; compress it again, or drop .gz if it is plain"
            ) from None
        except EOFError:
            raise InvalidInputError(f"{self._name} ends in the middle of its gzip data; copy it again") from None
        return data

    @property
    def done(self) -> int:
        """Bytes of the file itself that are behind."""
        return self._raw.tell() if self._is_owner else 0

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._gzipped:
            self._stream.close()
        if self._is_owner:
            self._raw.close()


class ByteSink:
    """A file that grows by pieces and can be cut back to where it was synced.

    Parameters
    ----------
    path : the file
    keep : bytes of the file to keep, the rest is cut off
    """

    def __init__(self, path: Path, *, keep: int = 0) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        size = os.fstat(descriptor).st_size
        if size < keep:
            self._file.close()
            raise InvalidInputError(f"{path} is shorter ({size} bytes) than the journal says ({keep}): discard it")
        self._file.truncate(keep)
        self._file.seek(keep)

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Write a prepared piece at the end."""
        left = memoryview(piece).cast("B") if len(piece) else memoryview(b"")
        while left:
            left = left[self._file.write(left) :]

    def sync(self, position: Position) -> Mark | None:
        """Bring all to the disk and return that it is there."""
        return Mark(position=position, size=self._to_disk())

    def finish(self) -> None:
        """Bring all to the disk and close."""
        self._to_disk()
        self._file.close()

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()

    def _to_disk(self) -> int:
        os.fsync(self._file.fileno())
        return self._file.tell()


class OutputStream:
    """Standard output, with the sha256 of what went out."""

    def __init__(self) -> None:
        self._stream = sys.stdout.buffer
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """The digest of all that was written."""
        return self._digest.hexdigest()

    def pack(self, piece: Any) -> Any:
        """Return the piece as it is."""
        return piece

    def append(self, piece: Any) -> None:
        """Write a prepared piece."""
        self._stream.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def sync(self, position: Position) -> None:
        """Hand on what is written; a stream can't be cut back."""
        self._stream.flush()

    def finish(self) -> None:
        """Hand on all that is written."""
        self._stream.flush()

    def close(self) -> None:
        """Leave standard output open."""
