"""Where a run may write: what would replace the input, a device or a file that nobody said may go is refused."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from textveil.durable import printed_to
from textveil.errors import InvalidInputError
from textveil.files import Kind, Place, Shards, StoredPath
from textveil.jobs.receipt import RECEIPT_SUFFIX

if TYPE_CHECKING:
    from textveil.engines import Engine

# Of a file.
_LONGEST_NAME = 255


def check_names(names: list[str]) -> None:
    """Refuse files that would take each other's place."""
    for before, name in pairwise(sorted(names)):
        if before == name:
            raise InvalidInputError(f"two files of the folder would both be written as {name}; rename one")
    folders = {str(folder) for name in names for folder in PurePath(name).parents}
    if both := sorted(folders.intersection(names)):
        raise InvalidInputError(f"{both[0]} would be written both as a file and as a folder; rename one")


def check_engine(source: Place | None, target: Place | None, engine: Engine | None, *, overwrite: bool) -> None:
    """Refuse what workers can't do, and what only workers can."""
    if engine is not None and (source is None or target is None):
        raise InvalidInputError("an engine reads and writes files: give them, and no standard input or output")
    if not isinstance(target, StoredPath):
        return
    if engine is None:
        raise InvalidInputError(f"{target} is written by workers, each its file; give an engine (--engine ray)")
    if overwrite:
        raise InvalidInputError(f"{target} can't be replaced in one step, as a store has none; give another output")


def check_places(source: Place | None, target: Place | None, receipt: object) -> None:
    """Refuse an output where none can be written, or in the input."""
    if target is None:
        if source is not None and source.is_dir():
            raise InvalidInputError("a folder can't be written to standard output; give an output folder")
        return
    if receipt is not None:
        raise InvalidInputError("receipt= is for standard output; the receipt of a file goes beside it")
    if isinstance(target, Path) and not target.parent.is_dir():
        raise InvalidInputError(f"there is no folder {target.parent} for the output; make it")
    if len(os.fsencode(target.name + RECEIPT_SUFFIX)) > _LONGEST_NAME:
        raise InvalidInputError("the name of the output is too long for its receipt, which has an ending more; cut it")
    if source is None:
        return
    inside, outside = PurePath(whole_name(target)), PurePath(whole_name(source))
    if inside == outside:
        raise InvalidInputError(f"the output {target} is the input; give another output, since the input is kept")
    if source.is_dir() and inside.is_relative_to(outside):
        raise InvalidInputError(f"the output {target} is inside the input folder; give one outside of it")


def check_receipt(source: Place | None, receipt: str | os.PathLike[str] | None, *, overwrite: bool) -> None:
    """Refuse to write a receipt over a file that nobody said may go; a device may be written to."""
    if receipt is None:
        return
    path = Path(receipt)
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InvalidInputError(f"there is no folder {path.parent} for the receipt; make it")
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder; name the file of the receipt, {path}/NAME")
    if source is not None and whole_name(path) == whole_name(source):
        raise InvalidInputError(f"the receipt {path} is the input; give another file, since the input is kept")
    if path.is_file() and not overwrite and printed_to(path) is None:
        raise InvalidInputError(
            f"{path} exists; give overwrite=True (--overwrite) to replace it, or another file for the receipt"
        )


def check_mixture(source: Place | None, shards: Shards, column: object) -> None:
    """Refuse texts without columns beside tables, of which a column was named."""
    kinds = {shard.format.kind for shard in shards.files}
    if column is not None and Kind.TXT in kinds and len(kinds) > 1:
        raise InvalidInputError(
            f"the folder {source} has txt, which has no columns, beside tables; release them from folders of their own"
        )


def check_kind(target: Place | None, shards: Shards) -> None:
    """Refuse to replace a file by a folder, a folder by a file, or a device by anything."""
    if not isinstance(target, Path) or not target.exists():
        return
    if not (target.is_file() or target.is_dir()):
        raise InvalidInputError(
            f"{target} is a device or a pipe, which no file takes the place of; give a file, or - for standard output"
        )
    if target.is_dir() and not shards.files[0].name:
        raise InvalidInputError(f"{target} is a folder, and the output of one file is a file: name it, {target}/NAME")
    if not target.is_dir() and shards.files[0].name:
        raise InvalidInputError(f"{target} is a file, and the output of a folder is a folder; give another output")


def whole_name(place: Place) -> str:
    """Return the name from the root on, of a file here without links."""
    here = place.local if isinstance(place, StoredPath) else place
    return str(place) if here is None else str(here.resolve())
