"""csv and tsv (RFC 4180): one field of each row is the text; all other bytes stay as they are.

Rows must all have as many fields as the first: a stray delimiter would move private text into a column that passes
through. So must line ends be LF or CR LF, since readers differ about a lone CR.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.files.framing import as_texts
from textveil.files.selection import Selection, listed
from textveil.files.spans import Bytes, Fault, Spans, copy_bytes
from textveil.hashing import Packed

_QUOTE, _LINE_FEED, _RETURN = 34, 10, 13
_UNCLOSED, _AFTER_QUOTE, _LONE_RETURN, _RAGGED = 1, 2, 3, 4
_REASONS = {
    _UNCLOSED: "a quoted field that begins here never ends; close its quotes",
    _AFTER_QUOTE: 'something stands between a closing quote and the next delimiter; write a quote in a field as ""',
    _LONE_RETURN: "a carriage return without line feed stands outside quotes; convert the line ends to LF",
    _RAGGED: "has not as many fields as the first row; quote fields that hold the delimiter, or give delimiter=",
}


class Delimited:
    """Rows of fields, one of which, that at `place`, is the text."""

    gaps = False

    def __init__(self, selection: Selection, where: str, *, delimiter: str = ",") -> None:
        self._selection = selection
        self._where = where
        self.delimiter = np.uint8(ord(selection.delimiter or delimiter))
        self._stops = np.zeros(256, dtype=np.bool_)
        self._stops[np.array([self.delimiter, _LINE_FEED, _RETURN])] = True
        self.place = 0
        self._width = 0
        self.columns: tuple[str, ...] = ()

    @property
    def reveals(self) -> tuple[str, ...]:
        """Name the columns that stay."""
        return (f"columns unchanged: {listed(self.kept_texts)}",) if self.kept_texts else ()

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The other columns: any field of csv is text."""
        return tuple(name for place, name in enumerate(self.columns) if place != self.place)

    def begin(self, data: Bytes, *, final: bool) -> int | None:
        """Read the first row."""
        room = np.empty(int(np.count_nonzero(data == self.delimiter)) + 1, dtype=np.int64)
        starts, ends, quoted = room, np.empty_like(room), np.zeros(len(room), dtype=bool)
        fields, place, fault = _first_row(data, final, self.delimiter, self._stops, starts, ends, quoted)
        if fault:
            raise InvalidInputError(f"{self._where}, line 1: {_REASONS[fault]}")
        if fields < 0:
            return None
        if fields == 0:
            raise InvalidInputError(f"{self._where} has no first row, so it has no columns; give it a header")
        self._width = fields
        spans = Spans(
            starts=starts[:fields],
            ends=ends[:fields],
            quoted=quoted[:fields],
            records=np.zeros(fields, np.int64),
            rows=1,
            consumed=place,
        )
        names = tuple(_names(self.decode(data, spans)))
        header = self._has_header(names)
        self.columns = names if header else tuple(f"column {number}" for number in range(1, fields + 1))
        sure = self._selection.header is True
        self.place = self._selection.find(self.columns, self._where, named=header, shown=sure)
        return int(place) if header else 0

    def _has_header(self, names: tuple[str, ...]) -> bool:
        """A name that is found, or that can be nothing but a name, says that the first row is a header."""
        column, header = self._selection.column, self._selection.header
        if header is not None:
            return header
        if isinstance(column, str) and (column in names or not column.isdigit()):
            return True
        first = "" if column is not None else "say which column it is with --column (column=); if by its number, "
        raise InvalidInputError(
            f"{first}say whether the first row of {self._where} names its columns (--header, header=True), and so is "
            "released as it is, or is a record (--no-header, header=False)"
        )

    def scan(self, data: Bytes, *, final: bool) -> Spans:
        """Find the field of each row."""
        room = int(np.count_nonzero(data == _LINE_FEED)) + 1
        starts, ends, quoted = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.bool_)
        rows, consumed, fault, place = _scan(
            data, final, self.delimiter, self._stops, self.place, self._width, starts, ends, quoted
        )
        return Spans(
            starts=starts[:rows],
            ends=ends[:rows],
            quoted=quoted[:rows],
            records=np.arange(rows),
            rows=int(rows),
            consumed=int(consumed),
            fault=Fault(place=int(place), reason=_REASONS[fault]) if fault else None,
        )

    def decode(self, data: Bytes, spans: Spans) -> Packed:
        """Return fields without their quotes."""
        offsets = np.empty(len(spans.starts) + 1, dtype=np.int64)
        decoded = np.empty(int((spans.ends - spans.starts).sum()), dtype=np.uint8)
        size = _unquote(data, spans.starts, spans.ends, spans.quoted, decoded, offsets)
        return as_texts(Packed(decoded[:size], offsets), self._selection.holds)

    def encode(self, texts: Packed, spans: Spans) -> Packed:
        """Put quotes around fields that need them; where they were would tell of commas in the private texts."""
        offsets = np.empty(len(texts) + 1, dtype=np.int64)
        # A row of one empty field would read as no row at all.
        needs = (np.diff(texts.offsets) == 0) & (self._width == 1)
        encoded = np.empty(_quoted_size(texts.data, texts.offsets, self.delimiter, needs), dtype=np.uint8)
        _quote(texts.data, texts.offsets, needs, encoded, offsets)
        return Packed(encoded, offsets)


def _names(fields: Packed) -> list[str]:
    data, offsets = fields.data.tobytes(), fields.offsets.tolist()
    return [data[first:last].decode(errors="replace") for first, last in pairwise(offsets)]


@compiled
def _field(data, place, final, stops):  # type: ignore[no-untyped-def]
    """Return (where the field ends, fault), or (-1, 0) if its end is not there yet."""
    size = data.size
    if place < size and data[place] == _QUOTE:
        first = place
        place += 1
        while place < size:
            if data[place] != _QUOTE:
                place += 1
            elif place + 1 < size and data[place + 1] == _QUOTE:
                place += 2
            else:
                break
        if place >= size:
            return (first, _UNCLOSED) if final else (-1, 0)
        place += 1
    else:
        while place < size and not stops[data[place]]:
            place += 1
    if place == size:
        return (place, 0) if final else (-1, 0)
    code = data[place]
    if code != _RETURN:
        return place, 0 if stops[code] else _AFTER_QUOTE
    if place + 1 == size and not final:
        return -1, 0
    return (place, 0) if place + 1 < size and data[place + 1] == _LINE_FEED else (place, _LONE_RETURN)


@compiled
def _after_row(data, place):  # type: ignore[no-untyped-def]
    if place < data.size and data[place] == _RETURN:
        place += 1
    return place + 1 if place < data.size else place


@compiled
def _first_row(data, final, delimiter, stops, starts, ends, quoted):  # type: ignore[no-untyped-def]
    """Return (fields, where the row ends, fault); fields is -1 if the row's end is not there yet."""
    fields, place = 0, 0
    if data.size == 0:
        return (0, 0, 0) if final else (-1, 0, 0)
    while True:
        end, fault = _field(data, place, final, stops)
        if fault or end < 0:
            return -1, place, fault
        starts[fields], ends[fields] = place, end
        quoted[fields] = place < data.size and data[place] == _QUOTE
        fields += 1
        if end == data.size or data[end] != delimiter:
            return fields, _after_row(data, end), 0
        place = end + 1


@compiled
def _scan(data, final, delimiter, stops, column, width, starts, ends, quoted):  # type: ignore[no-untyped-def]
    """Return (rows, bytes of complete rows, fault, its place). Empty lines are no rows."""
    rows, place, size = 0, 0, data.size
    while place < size:
        begin, fields = place, 0
        while True:
            end, fault = _field(data, place, final, stops)
            if fault:
                return rows, begin, fault, place
            if end < 0:
                return rows, begin, 0, 0
            if fields == column:
                starts[rows], ends[rows] = place, end
                quoted[rows] = place < size and data[place] == _QUOTE
            fields += 1
            if end == size or data[end] != delimiter:
                break
            place = end + 1
        place = _after_row(data, end)
        if end > begin:
            if fields != width:
                return rows, begin, _RAGGED, begin
            rows += 1
    return rows, place, 0, 0


@compiled
def _quotes(data, first, last):  # type: ignore[no-untyped-def]
    count, view = 0, data[first:last]
    for k in range(last - first):
        count += view[k] == _QUOTE
    return count


@compiled
def _unquote(data, starts, ends, quoted, decoded, offsets):  # type: ignore[no-untyped-def]
    at = 0
    for span in range(starts.size):
        offsets[span] = at
        place, end = starts[span], ends[span]
        if quoted[span]:
            place, end = place + 1, end - 1
        if not quoted[span] or _quotes(data, place, end) == 0:
            copy_bytes(data, place, decoded, at, end - place)
            at += end - place
            continue
        while place < end:
            decoded[at] = data[place]
            at += 1
            place += 2 if data[place] == _QUOTE else 1
    offsets[starts.size] = at
    return at


@compiled
def _quoted_size(data, offsets, delimiter, needs):  # type: ignore[no-untyped-def]
    """Mark the fields that need quotes and return the size of all."""
    size = 0
    for field in range(offsets.size - 1):
        first, last = offsets[field], offsets[field + 1]
        quotes, others, view = _quotes(data, first, last), 0, data[first:last]
        for k in range(last - first):
            others += (view[k] == delimiter) | (view[k] == _LINE_FEED) | (view[k] == _RETURN)
        if quotes + others:
            needs[field] = True
        size += last - first + (quotes + 2 if needs[field] else 0)
    return size


@compiled
def _quote(data, offsets, needs, encoded, moved):  # type: ignore[no-untyped-def]
    at = 0
    for field in range(offsets.size - 1):
        moved[field] = at
        first, last = offsets[field], offsets[field + 1]
        if not needs[field]:
            copy_bytes(data, first, encoded, at, last - first)
            at += last - first
            continue
        encoded[at] = _QUOTE
        at += 1
        if _quotes(data, first, last) == 0:
            copy_bytes(data, first, encoded, at, last - first)
            at += last - first
        else:
            for place in range(first, last):
                encoded[at] = data[place]
                at += 1
                if data[place] == _QUOTE:
                    encoded[at] = _QUOTE
                    at += 1
        encoded[at] = _QUOTE
        at += 1
    moved[offsets.size - 1] = at
