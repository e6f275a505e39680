"""Reading relations from tables: two columns, or three with counts; tabs or commas; plain or compressed."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from textveil.errors import InvalidInputError
from textveil.vocabulary.reading import Reader, reading

# First rows that name the columns and are no relation.
_HEADERS = {
    ("id1", "id2"),
    ("child", "parent"),
    ("hyponym", "hypernym"),
    ("lower", "upper"),
    ("source", "target"),
    ("instance", "class"),
}


class Table(NamedTuple):
    """Rows (lower, upper, count), and whether the file has counts at all."""

    rows: list[tuple[str, str, int]]
    counted: bool


def read_table(path: Path) -> Table:
    """Read pairs, one a line; a third column of whole numbers counts how often a pair was seen.

    Columns are cut at tabs if the first line has one, else at commas. A first line that names columns (id1 id2,
    hyponym hypernym, child parent, ...) is passed over; a third column of words is too.
    """
    rows: list[tuple[str, str, int]] = []
    counted: bool | None = None
    with reading(path) as reader:
        for number, fields in _fields(reader):
            if len(fields) < 2 or not fields[0] or not fields[1]:
                reader.refuse("a relation needs two names, cut by a tab or a comma", number)
            if not rows and (fields[0].lower(), fields[1].lower()) in _HEADERS:
                continue
            if counted is None:
                counted = len(fields) > 2 and _number(fields[2]) is not None
            rows.append((fields[0], fields[1], _count(reader, number, fields) if counted else 1))
    if not rows:
        raise InvalidInputError(f"{path}: has no relations; give pairs such as dog<tab>animal, one a line")
    return Table(rows, bool(counted))


def read_words(path: Path) -> frozenset[str]:
    """Read a list of words, one a line."""
    with reading(path) as reader:
        words = frozenset(_text(reader, number, line).strip() for number, line in reader.lines())
    if not words - {""}:
        raise InvalidInputError(f"{path}: has no words; give one a line")
    return words


def _fields(reader: Reader) -> Iterator[tuple[int, list[str]]]:
    tabs: bool | None = None
    for number, line in reader.lines():
        text = _text(reader, number, line)
        if not text.strip():
            continue
        if tabs is None:
            tabs = "\t" in text
        fields = text.split("\t") if tabs else next(csv.reader([text], skipinitialspace=True))
        yield number, [field.strip() for field in fields]


def _text(reader: Reader, number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        reader.refuse("not UTF-8; convert the file", number)


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


def _count(reader: Reader, number: int, fields: list[str]) -> int:
    value = _number(fields[2]) if len(fields) > 2 else None
    if value is None or not value >= 0 or not value.is_integer():
        reader.refuse("the third column holds counts, so it must be a whole number >= 0 in every line", number)
    return int(value)
