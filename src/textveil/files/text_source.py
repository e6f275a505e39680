"""Reading txt, csv, tsv and jsonl: pieces of about 2 MiB that end where a record ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from textveil.errors import InvalidInputError
from textveil.files.batches import BATCH_BYTES, MOST_RECORD_BYTES, Batch, Mask, Position
from textveil.files.spans import Bytes, Layout, Spans, splice
from textveil.files.stored import Place
from textveil.files.streams import ByteReader
from textveil.hashing import Packed

_FIRST_BYTES = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class TextSource:
    """One file, or standard input, whose records are bytes with a text in them.

    Parameters
    ----------
    path : the file, None for standard input
    layout : how texts lie in its bytes
    gzipped : whether to decompress
    batch_bytes : about how much to read at once
    """

    def __init__(self, path: Place | None, layout: Layout, *, gzipped: bool, batch_bytes: int = BATCH_BYTES) -> None:
        self._path = path
        self.layout = layout
        self._gzipped = gzipped
        self._batch_bytes = batch_bytes
        self._where = "standard input" if path is None else str(path)
        self.rows: int | None = None
        self.head = self._begin()
        self.dimension: int | None = None

    @property
    def reveals(self) -> tuple[str, ...]:
        """What passes through unchanged."""
        return self.layout.reveals

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The columns that hold text and pass through unchanged."""
        return self.layout.kept_texts

    @property
    def gaps(self) -> bool:
        """Whether a record may have no text."""
        return self.layout.gaps

    @property
    def beginning(self) -> Bytes:
        """The first bytes after the header, which were looked at already."""
        return np.frombuffer(self._first, dtype=np.uint8)[len(self.head) :]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns there are, where the format has them."""
        return self.layout.columns

    def _begin(self) -> bytes:
        """Read as much of the beginning as the layout needs, and return what is before the first record."""
        self._reader = ByteReader(self._path, gzipped=self._gzipped)
        try:
            self._first, header = self._look()
        finally:
            # Standard input can't be opened again: it is read on from here.
            if self._path is not None:
                self._reader.close()
        return self._first[:header]

    def _look(self) -> tuple[bytes, int]:
        """Return the first bytes, and how many of them are before the first record."""
        first, wanted = b"", _FIRST_BYTES
        while True:
            more = self._reader.read(wanted - len(first))
            final, first = len(more) < wanted - len(first), first + more
            self._check_encoding(first)
            mark = len(_BYTE_ORDER_MARK) if first.startswith(_BYTE_ORDER_MARK) else 0
            header = self.layout.begin(np.frombuffer(first, dtype=np.uint8)[mark:], final=final)
            if header is not None:
                return first, mark + header
            if final or wanted > MOST_RECORD_BYTES:
                raise self._error(0, "the first record does not end")
            wanted *= 2

    def batches(self, start: Position | None = None) -> Iterator[Batch]:
        """Read the records from a position on."""
        start = start or Position(bytes=len(self.head), lines=self.head.count(b"\n"))
        if self._path is None:
            # Standard input can be read once; what was looked at is kept.
            reader, carried = self._reader, self._first[len(self.head) :]
        else:
            reader, carried = ByteReader(self._path, gzipped=self._gzipped, skip=start.bytes), b""
        try:
            yield from self._read(reader, carried, start)
        finally:
            reader.close()

    def present(self, batch: Batch) -> Mask:
        """Return which records have a text."""
        present = np.zeros(batch.rows, dtype=bool)
        present[batch.rest[1].records] = True
        return present

    def fill(self, batch: Batch, texts: Packed) -> Bytes:
        """Return the bytes of a batch with new texts."""
        data, spans = batch.rest
        return splice(data, spans, self.layout.encode(texts, spans))

    def _read(self, reader: ByteReader, carried: bytes, start: Position) -> Iterator[Batch]:
        wanted = self._batch_bytes
        while True:
            more = reader.read(max(wanted - len(carried), 1))
            final = len(more) < max(wanted - len(carried), 1)
            data = np.frombuffer(carried + more, dtype=np.uint8)
            if final and not len(data):
                return
            spans = self.layout.scan(data, final=final)
            if spans.fault is not None:
                raise self._error(start.lines + _line_breaks(data[: spans.fault.place]), spans.fault.reason)
            if not spans.consumed and not final:
                if len(data) > MOST_RECORD_BYTES:
                    raise self._error(start.lines, f"a record is longer than {MOST_RECORD_BYTES >> 20} MiB; divide it")
                carried, wanted = data.tobytes(), 2 * len(data)
                continue
            batch = self._batch(data[: spans.consumed], spans, start, reader.done)
            yield batch
            if final:
                return
            carried, wanted, start = data[spans.consumed :].tobytes(), self._batch_bytes, batch.position

    def _batch(self, data: Bytes, spans: Spans, start: Position, done: int) -> Batch:
        texts = self.layout.decode(data, spans)
        position = Position(
            bytes=start.bytes + len(data),
            lines=start.lines + _line_breaks(data),
            rows=start.rows + spans.rows,
            items=start.items + len(texts),
        )
        return Batch(items=texts, rows=spans.rows, rest=(data, spans), start=start, position=position, done=done)

    def _check_encoding(self, first: bytes) -> None:
        name = _OTHER_ENCODINGS.get(first[:2])
        if name:
            raise InvalidInputError(f"{self._where} is {name}; convert it to UTF-8, with iconv -f {name} -t UTF-8 say")

    def _error(self, lines: int, reason: str) -> InvalidInputError:
        return InvalidInputError(f"{self._where}, line {lines + 1}: {reason}")


def _line_breaks(data: Bytes) -> int:
    return int(np.count_nonzero(data == 10))
