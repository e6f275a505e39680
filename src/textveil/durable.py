"""Files that survive a crash: brought to the disk, and replaced whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Write a file so that it has all of its content, or keeps its old one, whenever the machine stops.

    What a killed run has left half written gives way, so that only one program may write a file at a time.
    """
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    with _in_place_of(path, beside, 0o666) as file:
        file.write(content)


@contextmanager
def replacing(path: Path, *, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Give a file to write that takes the place of `path` when it is whole; programs that do so at once don't meet.

    Parameters
    ----------
    path : the file
    mode : permissions, less the umask
    """
    with _in_place_of(path, path.with_name(f".{uuid4().hex}.new"), mode) as file:
        yield file


@contextmanager
def _in_place_of(path: Path, beside: Path, mode: int) -> Iterator[IO[bytes]]:
    if path.exists() and not path.is_file():
        # Nothing may take the place of a device or a pipe.
        with path.open("wb") as file:
            yield file
        return
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
