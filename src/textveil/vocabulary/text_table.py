"""GloVe and word2vec text: a word and its numbers on each line, after a header line in word2vec's."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import NoReturn

import numpy as np

from textveil.vocabulary.lattice import MOST_DIMENSIONS, LatticeTable
from textveil.vocabulary.reading import Reader
from textveil.vocabulary.rows import RowError, Rows

_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")
_DECIMAL = re.compile(rb"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")
_TICK = 1023


def header(line: bytes) -> tuple[int, int] | None:
    """Return the count and dimension that a word2vec header line promises, or None."""
    match = _HEADER.fullmatch(line.removeprefix(b"\xef\xbb\xbf"))
    return (int(match[1]), int(match[2])) if match else None


def trailing_numbers(line: bytes) -> int:
    """Count the numbers at the end of a line, after its first field."""
    count = 0
    for field in reversed(line.split()[1:]):
        try:
            float(field)
        except ValueError:
            break
        count += 1
    return count


def dimension_of(lines: list[bytes]) -> int:
    """Return the dimension that most of these lines have: a word may hold spaces, and even numbers."""
    counts = Counter(trailing_numbers(line) for line in lines if line.strip())
    return counts.most_common(1)[0][0] if counts else 0


def read_text(
    reader: Reader, dimension: int, *, promised: int | None, limit: int | None, first_only: bool, step: float
) -> tuple[list[str], LatticeTable]:
    """Read the rows; `promised` is the count in the header, None where there is no header."""
    if not 1 <= dimension <= MOST_DIMENSIONS:
        reader.refuse(f"expected a word and 1 to {MOST_DIMENSIONS} numbers (found {dimension})", 1)
    rows = Rows(dimension, limit=limit, first_only=first_only, kind=np.float64, step=step)
    found = 0
    for number, line in reader.lines():
        if not line or line.isspace() or (number == 1 and promised is not None):
            continue
        if rows.full:
            break
        found += 1
        word, *numbers = line.rsplit(None, dimension)
        try:
            vector = array("d", map(float, numbers))
        except ValueError:
            vector = array("d")
        if len(vector) != dimension or _has_number_at_end(word):
            _refuse_line(reader, number, line, dimension)
        try:
            rows.add(word.lstrip(), vector.tobytes())
        except RowError as error:
            reader.refuse(str(error), number)
        if not number & _TICK:
            reader.tick()
    if promised is not None and promised != found and not rows.full:
        reader.refuse(f"the header promises {promised} words but {found} were found; is the file cut short?")
    return rows.finish()


def _has_number_at_end(word: bytes) -> bool:
    # A word may hold spaces; one that ends in a decimal number is a row with a number too many.
    return len(word.split(None, 1)) > 1 and _DECIMAL.fullmatch(word.rsplit(None, 1)[1]) is not None


def _refuse_line(reader: Reader, number: int, line: bytes, dimension: int) -> NoReturn:
    start = line[:60].decode(errors="replace")
    reader.refuse(
        f"expected a word and {dimension} numbers (found {trailing_numbers(line)} in {start!r}); "
        "correct or remove the line",
        number,
    )
