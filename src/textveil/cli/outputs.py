"""What commands write besides releases: never over what they read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from textveil.errors import InvalidInputError


def refuse_inputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse to write over a file that is read, whatever links lead to it."""
    read = [path for path in inputs if path is not None and path.exists()]
    for output in outputs:
        if output is not None and output.exists() and any(os.path.samefile(output, path) for path in read):
            raise InvalidInputError(f"{output} is what is read, and would be written over; give another output")


def refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Refuse a file that is there, unless it may go."""
    if not target.absolute().parent.is_dir():
        raise InvalidInputError(f"there is no folder {target.parent} for the output; make it")
    if (target.is_file() or target.is_dir()) and not overwrite:
        raise InvalidInputError(f"{target} exists; give --overwrite to replace it, or another output")
