"""Making the output public: whole, or not at all.

The journal's receipt line is the point of no return. Each step after it can be done twice, so that a crash between
them is finished by the next run.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from textveil.durable import replacing, sync_folder
from textveil.errors import InvalidInputError
from textveil.files import StoredPath
from textveil.files.selection import listed
from textveil.jobs.partial import PartialFolder
from textveil.jobs.receipt import RECEIPT_SUFFIX, FileReceipt, receipt_path


def refuse_existing(target: Path, stored: StoredPath | None = None) -> None:
    """Raise if there is an output, here or in a store, or its receipt, already."""
    if stored is not None:
        if stored.exists() or stored.beside(RECEIPT_SUFFIX).exists():
            raise InvalidInputError(f"{stored} exists, or its receipt does; give another output")
        return
    for path in (target, receipt_path(target)):
        if os.path.lexists(path):
            raise InvalidInputError(
                f"{path} exists; give overwrite=True (--overwrite) to replace it, or another output"
            )


def refuse_foreign(target: Path) -> None:
    """Raise if a folder would be replaced that is no release, or holds more: whoever owns it may not mean that."""
    if not target.is_dir():
        return
    if not receipt_path(target).exists():
        raise InvalidInputError(
            f"{target} is a folder that no release made, since it has no receipt beside it, so it is not replaced; "
            "give another output, or delete it yourself"
        )
    released = {file.name for file in FileReceipt.load(receipt_path(target)).files}
    there = [path for path in target.rglob("*") if path.is_symlink() or not path.is_dir()]
    if others := sorted({path.relative_to(target).as_posix() for path in there} - released):
        raise InvalidInputError(
            f"{target} holds files that no release made, so it is not replaced: {listed(others)}; move them away, or "
            "give another output"
        )


def commit(partial: PartialFolder, receipt: FileReceipt, *, overwrite: bool, stored: StoredPath | None = None) -> None:
    """Put the output and its receipt in place, and delete the key and the partial folder.

    In a store the files are in place already, and it is the receipt that makes them a release.
    """
    target, content = partial.target, (receipt.to_json() + "\n").encode()
    if stored is not None:
        stored.beside(RECEIPT_SUFFIX).put_bytes(content)
        partial.clear()
        return
    if partial.output.exists():
        if not overwrite:
            refuse_existing(target)
        # A folder can't take the place of another in one step, so the old one is moved away first.
        if target.exists() and (target.is_dir() or partial.output.is_dir()):
            target.rename(partial.replaced)
        partial.output.replace(target)
        sync_folder(target.parent)
    # What a crash has left of it.
    partial.receipt.unlink(missing_ok=True)
    with replacing(receipt_path(target), beside=partial.receipt) as file:
        file.write(content)
    partial.clear()


def as_plain(receipt: FileReceipt) -> dict[str, object]:
    """Return a receipt as the journal keeps it."""
    plain: dict[str, object] = json.loads(receipt.to_json())
    return plain
