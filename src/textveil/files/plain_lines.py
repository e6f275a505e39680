"""txt: one record a line. Every byte but the texts themselves stays, CR LF and a missing last line end included."""

from __future__ import annotations

import numpy as np

from textveil.errors import InvalidInputError
from textveil.files.framing import as_texts
from textveil.files.selection import Selection
from textveil.files.spans import Bytes, Spans, gather
from textveil.hashing import Packed

_LINE_FEED, _RETURN = 10, 13


class PlainLines:
    """Lines as texts."""

    columns: tuple[str, ...] = ()
    reveals: tuple[str, ...] = ()
    kept_texts: tuple[str, ...] = ()
    gaps = False

    def __init__(self, selection: Selection, where: str) -> None:
        self._holds = selection.holds
        if selection.column is not None:
            raise InvalidInputError(
                f"{where} is read as txt, which has no columns (got column {selection.column!r}); "
                "leave --column out, or give --format (format=)"
            )

    def begin(self, data: Bytes, *, final: bool) -> int:
        """Return 0: lines have no header."""
        return 0

    def scan(self, data: Bytes, *, final: bool) -> Spans:
        """Find the lines."""
        feeds = np.flatnonzero(data == _LINE_FEED)
        consumed = int(feeds[-1]) + 1 if len(feeds) else 0
        starts = np.zeros(len(feeds), dtype=np.int64)
        starts[1:] = feeds[:-1] + 1
        ends = feeds - ((feeds > starts) & (data[np.maximum(feeds - 1, 0)] == _RETURN))
        if final and consumed < len(data):
            starts, ends = np.append(starts, consumed), np.append(ends, len(data))
            consumed = len(data)
        return Spans(
            starts=starts,
            ends=ends,
            quoted=np.zeros(len(starts), dtype=bool),
            records=np.arange(len(starts)),
            rows=len(starts),
            consumed=consumed,
        )

    def decode(self, data: Bytes, spans: Spans) -> Packed:
        """Return the lines without their ends."""
        return as_texts(gather(data, spans.starts, spans.ends), self._holds)

    def encode(self, texts: Packed, spans: Spans) -> Packed:
        """Return the texts, which must each stay one line."""
        if (texts.data == _LINE_FEED).any():
            raise InvalidInputError(
                "a released text holds a line break, so it can't be a line of txt; use jsonl or csv"
            )
        return texts
