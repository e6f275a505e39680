"""What files are read and written by: batches of texts or vectors, positions, sources and sinks.

A source reads one file as batches of items (texts, or vectors), each with the rest of its rows set aside, and puts what
is released where the old items were. A sink appends the pieces so made. Both know their position, so that a run can
stop and go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.hashing import Packed

BATCH_BYTES = 2 << 20
MOST_RECORD_BYTES = 256 << 20
NOTHING = Packed.of([])

Mask = NDArray[np.bool_]
# Texts in UTF-8, or the rows of a table of numbers.
Items: TypeAlias = Packed | NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Position:
    """How far a file has been read: give it back to go on from there.

    Parameters
    ----------
    bytes : of the input, decompressed
    lines : line breaks passed, for messages
    rows : records passed
    items : records passed that have a text or vector; they number the noise
    """

    bytes: int = 0
    lines: int = 0
    rows: int = 0
    items: int = 0


@dataclass(frozen=True, kw_only=True)
class Mark:
    """How much of a file is on the disk: give it back to go on from there.

    Parameters
    ----------
    position : of the input; all before it is written
    size : of the file
    skip : bytes, of what is made from the position on, that are written too
    """

    position: Position
    size: int
    skip: int = 0


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Some records of a file.

    Parameters
    ----------
    items : the private texts, without quotes, escapes or line ends, or vectors; records without one are left out
    rows : the number of records
    rest : what the source needs to put items back
    start, position : before the first record and after the last
    done : bytes of the input file behind, for a progress bar
    """

    items: Items
    rows: int
    rest: Any
    start: Position
    position: Position
    done: int


class Source(Protocol):
    """One file to read."""

    @property
    def reveals(self) -> tuple[str, ...]:
        """What passes through unchanged."""
        ...

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The columns that hold text and pass through unchanged."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns there are, where the format has them."""
        ...

    @property
    def head(self) -> bytes:
        """What stands before the first record and is copied as it is."""
        ...

    @property
    def dimension(self) -> int | None:
        """Numbers of a vector; None for texts, or where there is no vector to tell."""
        ...

    @property
    def gaps(self) -> bool:
        """Whether a record may have no text or vector."""
        ...

    @property
    def rows(self) -> int | None:
        """The number of records, where the file says so."""
        ...

    def batches(self, start: Position | None = None) -> Iterator[Batch]:
        """Read the records from a position on."""
        ...

    def present(self, batch: Batch) -> Mask:
        """Return which records of a batch have an item."""
        ...

    def fill(self, batch: Batch, items: Any) -> Any:
        """Return the records of a batch with new items, for the sink; from any thread."""
        ...


class Sink(Protocol):
    """One file to write."""

    def pack(self, piece: Any) -> Any:
        """Prepare a piece; from any thread."""
        ...

    def append(self, piece: Any) -> None:
        """Write a prepared piece at the end."""
        ...

    def sync(self, position: Position) -> Mark | None:
        """Bring what was appended, up to a position of the input, to the disk and return where a run can go on.

        None says that there is nothing new to go on from, or that the file must be redone from its start.
        """
        ...

    def finish(self) -> None:
        """Write what the format needs at its end, bring all to the disk and close."""
        ...

    def close(self) -> None:
        """Leave the file as it is."""
        ...
