"""Files that survive a crash: brought to the disk, and replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4


def sync_file(path: Path) -> None:
    """Bring a file's content to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Bring a folder's names to the disk, so that a new or renamed file is still there after a crash."""
    sync_file(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it has all of its content, or keeps its old one, whenever the machine stops."""
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path, *, mode: int | None = None, beside: Path | None = None) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of `path` when it is whole; programs that do so at once don't meet.

    What a link leads to is replaced, not the link.

    Parameters
    ----------
    path : the file
    mode : permissions; by default those of the file that is there, else what the umask leaves of all
    beside : where it is written before, on the same file system; by default under a name of its own in the same folder
    """
    if path.exists() and (not path.is_file() or is_printed_to(path)):
        with path.open("wb") as file:
            yield file
        return
    path = Path(os.path.realpath(path))
    beside = beside or path.with_name(f".{uuid4().hex[:16]}.new")
    flags, permissions = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode
    try:
        with os.fdopen(os.open(beside, flags, permissions), "wb") as file:
            if mode is None and path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def is_printed_to(path: Path) -> bool:
    """Whether this process prints into a file: whoever reads it holds the file, not its name."""
    facts = path.stat()
    for descriptor in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), facts):
                return True
    return False
