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

_SKIP_BYTES = 1 << 20


class ByteReader:
    """Reads the bytes of a file from a place on, decompressed if need be.

    Parameters
    ----------
    path : a file, or None for standard input
    gzipped : whether to decompress
    skip : bytes (decompressed) to pass over
    """

    def __init__(self, path: Path | None, *, gzipped: bool, skip: int = 0) -> None:
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

    With gzip each piece is a member of its own (RFC 1952 allows any number), so the file can be cut between them.

    Parameters
    ----------
    path : the file
    gzipped : whether to compress
    keep : bytes of the file to keep, the rest is cut off
    """

    def __init__(self, path: Path, *, gzipped: bool, keep: int = 0) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        size = os.fstat(descriptor).st_size
        if size < keep:
            self._file.close()
            raise InvalidInputError(f"{path} is shorter ({size} bytes) than the journal says ({keep}): discard it")
        self._file.truncate(keep)
        self._file.seek(keep)
        self._gzipped = gzipped

    def pack(self, piece: Any) -> Any:
        """Compress a piece if the file is compressed."""
        return compress(piece) if self._gzipped and len(piece) else piece

    def append(self, piece: Any) -> None:
        """Write a prepared piece at the end."""
        left = memoryview(piece).cast("B") if len(piece) else memoryview(b"")
        while left:
            left = left[self._file.write(left) :]

    def sync(self) -> int:
        """Bring all to the disk and return the size."""
        os.fsync(self._file.fileno())
        return self._file.tell()

    def finish(self) -> None:
        """Bring all to the disk and close."""
        if self._gzipped and self._file.tell() == 0:
            self.append(compress(b""))
        self.sync()
        self._file.close()

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()


class OutputStream:
    """Standard output, with the sha256 of what went out."""

    def __init__(self, *, gzipped: bool = False) -> None:
        self._stream = sys.stdout.buffer
        self._gzipped = gzipped
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """The digest of all that was written."""
        return self._digest.hexdigest()

    def pack(self, piece: Any) -> Any:
        """Compress a piece if the stream is compressed."""
        return compress(piece) if self._gzipped and len(piece) else piece

    def append(self, piece: Any) -> None:
        """Write a prepared piece."""
        self._stream.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def sync(self) -> None:
        """Hand on what is written; a stream can't be cut back."""
        self._stream.flush()

    def finish(self) -> None:
        """Hand on all that is written."""
        if self._gzipped and self.size == 0:
            self.append(compress(b""))
        self.sync()

    def close(self) -> None:
        """Leave standard output open."""


def compress(piece: Any) -> bytes:
    """Return one gzip member, the same for the same bytes."""
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    return compressor.compress(piece) + compressor.flush()
