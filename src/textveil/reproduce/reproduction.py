"""What a reproduction gives: numbers, tables to read and, for a figure, the picture."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from textveil.errors import InvalidInputError


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """Numbers of a paper, computed again.

    Parameters
    ----------
    numbers : all of them, as plain values
    tables : the same to read
    draw : makes the picture, where there is one
    """

    numbers: dict[str, Any]
    tables: tuple[Table, ...]
    draw: Callable[[], Any] | None = None

    def save(self, path: Path) -> list[Path]:
        """Write the picture, if the path is that of one, and the numbers beside it as JSON; return what was written."""
        numbers = path.with_suffix(".json")
        written = [numbers]
        if path != numbers:
            from textveil.measure.picture import save_picture

            if self.draw is None:
                raise InvalidInputError(f"there is no picture of this, only numbers: use {numbers.name}")
            save_picture(self.draw(), path)
            written = [path, numbers]
        _write(numbers, json.dumps(self.numbers, indent=1) + "\n")
        return written


def _write(path: Path, text: str) -> None:
    """Write a file, all or nothing."""
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(partial).chmod(0o644)
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
