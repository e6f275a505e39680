"""How far a run is, so that it can go on after any crash.

Lines of JSON, each appended and brought to the disk only after the output that it tells of: there is one writer, and a
torn last line is simply not there, so a database would add nothing. The journal holds counts, sizes, names of files and
what is public of the release; nothing of the content.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from textveil.durable import sync_folder
from textveil.errors import InvalidInputError
from textveil.files import Mark, Position


@dataclass(frozen=True, kw_only=True)
class ReleasedFile:
    """One finished file of the output.

    Parameters
    ----------
    name : its path within the output folder, "" for a single file
    format : how it is written
    rows : records
    items : records with a text or vector
    size, sha256 : of the file
    column : which holds the vectors, where the format has columns
    """

    name: str
    format: str
    rows: int
    items: int
    size: int
    sha256: str
    column: str | None = None


@dataclass
class Progress:
    """What a journal tells.

    Parameters
    ----------
    plan : the fingerprint of the run, None for a new journal
    finished : files that are done, by name
    mark : how much is written of the first file, in the order of the input, that is not
    receipt : what was promised, once all files are done
    """

    plan: dict[str, Any] | None = None
    finished: dict[str, ReleasedFile] = field(default_factory=dict)
    mark: Mark | None = None
    receipt: dict[str, Any] | None = None

    def take(self, entry: dict[str, Any]) -> None:
        """Add what one line says."""
        if "plan" in entry:
            self.plan = entry["plan"]
        elif "position" in entry:
            self.mark = Mark(**{**entry, "position": Position(**entry["position"])})
        elif "finished" in entry:
            file = ReleasedFile(**entry["finished"])
            self.finished[file.name] = file
            self.mark = None
        elif "receipt" in entry:
            self.receipt = entry["receipt"]


def read_journal(path: Path) -> Progress:
    """Return what a journal tells; an absent one tells nothing."""
    progress = Progress()
    content = path.read_bytes() if path.exists() else b""
    for number, line in enumerate(content.split(b"\n")[:-1], start=1):
        try:
            progress.take(json.loads(line))
        except (ValueError, TypeError, KeyError):
            raise InvalidInputError(f"{path}, line {number} is damaged; delete the folder {path.parent}") from None
    return progress


class Journal:
    """A journal that is being written; `progress` is what it tells so far."""

    def __init__(self, path: Path) -> None:
        self.progress = read_journal(path)
        self._file = path.open("ab")
        # A line without its end was being written when the machine stopped.
        whole = path.read_bytes().rfind(b"\n") + 1
        self._file.truncate(whole)
        os.fsync(self._file.fileno())
        sync_folder(path.parent)

    def begin(self, plan: dict[str, Any]) -> None:
        """Write what run this is."""
        self._write({"plan": plan})

    def reached(self, mark: Mark) -> None:
        """Write how far the present file is; the output up to the mark must be on the disk."""
        self._write(asdict(mark))

    def finished(self, file: ReleasedFile) -> None:
        """Write that the present file is done; it must be on the disk."""
        self._write({"finished": vars(file)})

    def committed(self, receipt: dict[str, Any]) -> None:
        """Write the receipt: from here on the run only has to be tidied up."""
        self._write({"receipt": receipt})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.progress.take(entry)
