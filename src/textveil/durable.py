"""Files that survive a crash: brought to the disk, and replaced whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

# Of the names of files that are not whole.
_LETTERS = 16
_UNFINISHED = re.compile(rf"\.[0-9a-f]{{{_LETTERS}}}\.new")


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

    A device, a pipe and a file that this process prints into are written on.

    Parameters
    ----------
    path : the file; what a link leads to is replaced, not the link
    mode : permissions; by default those of the file that is there, else what the umask leaves of all
    beside : where it is written before, on the same file system, which takes the place of a link itself; by default
        under a name of its own in the same folder
    """
    printed = printed_to(path)
    if printed is not None or (path.exists() and not path.is_file()):
        with path.open("wb") if printed is None else _after_what_was_printed(printed) as file:
            yield file
        return
    if beside is None:
        path = Path(os.path.realpath(path))
        beside = path.with_name(f".{uuid4().hex[:_LETTERS]}.new")
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


def printed_to(path: Path) -> int | None:
    """Return where this process prints into a file, if it does: whoever reads it holds the file, not its name."""
    if path.is_file():
        for descriptor in (1, 2):
            with suppress(OSError):
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return descriptor
    return None


def delete_unfinished(folder: Path) -> None:
    """Delete what was being written in a folder when processes that are gone now were killed."""
    for path in folder.rglob(".*.new"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _after_what_was_printed(descriptor: int) -> IO[bytes]:
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    return os.fdopen(os.dup(descriptor), "wb")
