"""The files of a run: one file, standard input, or all files of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textveil.errors import InvalidInputError
from textveil.files.formats import Format, Kind
from textveil.files.opening import may_hold
from textveil.files.selection import Holds
from textveil.files.stored import Place, StoredPath


@dataclass(frozen=True)
class Shard:
    """One file of a run.

    Parameters
    ----------
    path : the file, None for standard input
    name : its path within the folder, "" for a single file
    format : its format
    """

    path: Place | None
    name: str
    format: Format


@dataclass(frozen=True)
class Shards:
    """The files of a run in order, and what was left out of their folder since its extension says no fit format."""

    files: Sequence[Shard]
    left_out: Sequence[str] = ()


def shards_of(path: Place | None, name: str | None = None, holds: Holds | None = None) -> Shards:
    """Find the files of a run.

    Parameters
    ----------
    path : a file, a folder, or None for standard input
    name : of the format of all, if their extensions are not to say it
    holds : what files of a folder must be able to hold; by default either
    """
    if path is None:
        return Shards([Shard(None, "", Format.named(name) if name else Format(Kind.TXT))])
    if not path.exists():
        raise InvalidInputError(f"there is no file or folder {path}; check the path")
    if not path.is_dir():
        return Shards([Shard(path, "", Format.of(Path(path.name), name))])
    files, left_out = [], []
    for within in _files_in(path):
        # As Spark and its kin have it: .hidden and _SUCCESS are no data.
        if any(part.startswith((".", "_")) for part in within.parts):
            continue
        found = Format.guessed(within)
        fit = found is not None and (holds is None or may_hold(found.kind, holds))
        if name is None and not fit:
            left_out.append(within.as_posix())
        else:
            files.append(Shard(path / within.as_posix(), within.as_posix(), Format.of(within, name)))
    if not files:
        raise InvalidInputError(f"the folder {path} has no file of a known format; give format= to read all of them")
    return Shards(files, left_out)


def _files_in(folder: Place) -> list[Path]:
    if isinstance(folder, StoredPath):
        return sorted(map(Path, folder.files()))
    return sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
