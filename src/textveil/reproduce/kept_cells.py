"""Finished cells of a table, kept on disk: a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from textveil.cache import cache_folder
from textveil.receipts import digest_of

# Cells of other versions of the code are not found again.
_VERSION = 1


class KeptCells:
    """Cells by name; each is computed once.

    Parameters
    ----------
    table : its name
    subject : all that the cells depend on, as plain values; data by its sha256
    """

    def __init__(self, table: str, subject: Any) -> None:
        self._path = cache_folder() / "cells" / f"{table}-{digest_of([_VERSION, subject])[:32]}.jsonl"
        self._cells = dict(_read(self._path))

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """Return a cell, computed now if it was not before."""
        if name not in self._cells:
            self.add(name, compute())
        return self._cells[name]

    def __getitem__(self, name: str) -> Any:
        return self._cells[name]

    def add(self, name: str, cell: Any) -> None:
        """Keep a cell."""
        self._cells[name] = cell
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps([name, cell]))


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the cells of a file; lines that a crash cut off are left out."""
    if not path.is_file():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(json.JSONDecodeError):
            name, cell = json.loads(line)
            yield name, cell
