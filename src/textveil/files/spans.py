"""Bytes with holes: where texts lie in a piece of a file, and putting others there.

Whatever is not a text (line ends, other columns, white space) is never parsed into values: it is copied byte by byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.hashing import Packed

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is wrong with a piece of a file, and at which byte; never what stands there."""

    place: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Spans:
    """Where the texts of a piece lie.

    Parameters
    ----------
    starts, ends : of each text as written, quotes included
    quoted : whether each is in quotes
    records : which record each is of, from 0
    rows : complete records, with and without a text
    consumed : bytes up to the end of the last complete record
    fault : what is wrong, if anything
    """

    starts: Integers
    ends: Integers
    quoted: NDArray[np.bool_]
    records: Integers
    rows: int
    consumed: int
    fault: Fault | None = None


class Layout(Protocol):
    """How texts lie in the bytes of a format."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns found by `begin`."""
        ...

    @property
    def gaps(self) -> bool:
        """Whether a record may have no text."""
        ...

    @property
    def reveals(self) -> tuple[str, ...]:
        """What passes through unchanged."""
        ...

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The columns that hold text and pass through unchanged."""
        ...

    def begin(self, data: Bytes, *, final: bool) -> int | None:
        """Find the column in the first bytes and return how many of them are header, None if more are needed."""
        ...

    def scan(self, data: Bytes, *, final: bool) -> Spans:
        """Find the texts of all complete records; `final` says that no more bytes follow."""
        ...

    def decode(self, data: Bytes, spans: Spans) -> Packed:
        """Return the texts as they were before they were written."""
        ...

    def encode(self, texts: Packed, spans: Spans) -> Packed:
        """Return texts as they are written."""
        ...


def gather(data: Bytes, starts: Integers, ends: Integers) -> Packed:
    """Return the bytes of all spans one after the other."""
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    gathered = np.empty(int(offsets[-1]), dtype=np.uint8)
    _gather(data, starts, offsets, gathered)
    return Packed(gathered, offsets)


def splice(data: Bytes, spans: Spans, texts: Packed) -> Bytes:
    """Return the bytes with each span replaced by its new text."""
    kept = len(data) - int((spans.ends - spans.starts).sum())
    output = np.empty(kept + int(texts.offsets[-1] - texts.offsets[0]), dtype=np.uint8)
    _splice(data, spans.starts, spans.ends, texts.data, texts.offsets, output)
    return output


@compiled
def copy_bytes(source, first, target, at, count):  # type: ignore[no-untyped-def]
    """Copy some bytes; views and a counter from zero let the compiler use vector registers."""
    old, new = source[first : first + count], target[at : at + count]
    for k in range(count):
        new[k] = old[k]


@compiled
def _gather(data, starts, offsets, gathered):  # type: ignore[no-untyped-def]
    for span in range(starts.size):
        copy_bytes(data, starts[span], gathered, offsets[span], offsets[span + 1] - offsets[span])


@compiled
def _splice(data, starts, ends, new, offsets, output):  # type: ignore[no-untyped-def]
    read, written = 0, 0
    for span in range(starts.size):
        kept, size = starts[span] - read, offsets[span + 1] - offsets[span]
        copy_bytes(data, read, output, written, kept)
        copy_bytes(new, offsets[span], output, written + kept, size)
        read, written = ends[span], written + kept + size
    copy_bytes(data, read, output, written, data.size - read)
