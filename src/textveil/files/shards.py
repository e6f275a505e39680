"""The files of a run: one file, standard input, or all files of a folder."""

from __future__ import annotations

import os
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
    """The files of a run in order, and what was left out of their folder: no file, or of no format that fits."""

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
    for within, is_file in _found_in(path):
        # As Spark and its kin have it: .hidden and _SUCCESS are no data.
        if any(part.startswith((".", "_")) for part in within.parts):
            continue
        _require_name(within)
        if not is_file:
            left_out.append(within.as_posix())
            continue
        found = Format.guessed(within)
        fit = found is not None and (holds is None or may_hold(found.kind, holds))
        if name is None and not fit:
            left_out.append(within.as_posix())
        else:
            files.append(Shard(path / within.as_posix(), within.as_posix(), Format.of(within, name)))
    if not files and not left_out:
        raise InvalidInputError(f"the folder {path} is empty, or has only hidden files; give another input")
    if not files:
        raise InvalidInputError(f"the folder {path} has no file of a known format; give format= to read all of them")
    return Shards(files, left_out)


def _found_in(folder: Place) -> list[tuple[Path, bool]]:
    """Return all names in order, and whether each is a file: pipes and links to folders or to nothing are none."""
    if isinstance(folder, StoredPath):
        return [(Path(name), True) for name in sorted(folder.files())]
    found = []
    for place, folders, names in os.walk(folder, onerror=_refuse):
        links = [name for name in folders if Path(place, name).is_symlink()]
        found += [Path(place, name) for name in (*names, *links)]
    return sorted((path.relative_to(folder), path.is_file()) for path in found)


def _require_name(within: Path) -> None:
    """Refuse what receipts could not tell of."""
    try:
        within.as_posix().encode()
    except UnicodeEncodeError:
        shown = os.fsencode(within).decode("utf-8", errors="backslashreplace")
        raise InvalidInputError(f"the name of {shown} is not UTF-8, which receipts are written in; rename it") from None


def _refuse(error: OSError) -> None:
    raise error
