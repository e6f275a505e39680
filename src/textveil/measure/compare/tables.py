"""Texts with classes from a table: tab-separated or csv, as it is or packed by gzip or xz."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
from pathlib import Path
from typing import IO, Any

from textveil.errors import InvalidInputError


def read_texts(path: Path, *, text: str, label: str, most: int | None = None) -> tuple[list[str], list[str]]:
    """Return the texts and the classes of a table whose first line names its columns.

    Parameters
    ----------
    path : .tsv or .csv, also with .gz or .xz; cells of a .tsv are not quoted
    text, label : names of the columns
    most : so many rows at most, evenly spread over the table
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if ".tsv" not in suffixes and ".csv" not in suffixes:
        raise InvalidInputError(f"--data must be a .tsv or .csv file, also with .gz or .xz (got {path.name})")
    tabs = ".tsv" in suffixes
    with _opened(path) as file, io.TextIOWrapper(file, "utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t" if tabs else ",", quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL)
        names = next(rows, [])
        for column in (text, label):
            if column not in names:
                raise InvalidInputError(
                    f"{path.name} has no column {column!r}; it has {', '.join(names)}: name others by --text-column "
                    "and --label-column"
                )
        places = names.index(text), names.index(label)
        found = [(row[places[0]], row[places[1]]) for row in rows if len(row) == len(names)]
    if most is not None and len(found) > most:
        found = [found[place * len(found) // most] for place in range(most)]
    return [row[0] for row in found], [row[1] for row in found]


def _opened(path: Path) -> IO[Any]:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return lzma.open(path, "rb") if path.suffix.lower() == ".xz" else path.open("rb")
