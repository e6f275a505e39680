"""Files that survive a crash: brought to the disk, and replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


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


def unfinished(path: Path) -> Path:
    """Return where a file is written before it gets its name."""
    return path.with_name(path.name + ".new")


def write_whole(path: Path, content: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that it has all of its content, or keeps its old one, whenever the machine stops.

    Parameters
    ----------
    path : the file
    content : all of it
    mode : permissions, less the umask
    """
    beside = unfinished(path)
    beside.unlink(missing_ok=True)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)
