"""Tables of public data sets: tab-separated text, packed by gzip or xz, with names in the first line."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from textveil.errors import InvalidInputError

_ESCAPED = re.compile(r"\\(n|\\)")


def rows_of(folder: Path, name: str, *columns: str) -> Iterator[list[str]]:
    """Yield these columns of each row of a table; its first line has their names.

    Parameters
    ----------
    folder : that of the data
    name : path of the table in it
    columns : by name
    """
    path = folder / name
    if not path.is_file():
        raise InvalidInputError(f"there is no file {name} in {folder}; --data must name the folder of the data sets")
    with (lzma if path.suffix == ".xz" else gzip).open(path, "rt", encoding="utf-8", newline="\n") as file:
        names = file.readline().rstrip("\n").split("\t")
        missing = [column for column in columns if column not in names]
        if missing:
            raise InvalidInputError(f"{name} has no column {missing[0]!r}; it has {', '.join(names)}")
        places = [names.index(column) for column in columns]
        for number, line in enumerate(file, start=2):
            cells = line.rstrip("\n").split("\t")
            if len(cells) != len(names):
                raise InvalidInputError(f"line {number} of {name} has {len(cells)} cells; its first has {len(names)}")
            yield [cells[place] for place in places]


def unescaped(text: str) -> str:
    """Return a text in which newlines were written as backslash-n, and backslashes as two."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else "\\", text)
