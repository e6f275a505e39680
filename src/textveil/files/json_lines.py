"""jsonl: one object a line; the string under one top-level key is the text, all other bytes stay as they are.

Where documents are read, there may be a list of strings, the sentences, in the place of the string.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.files.framing import as_list, as_texts
from textveil.files.json_strings import escaped, unescape, unescaped
from textveil.files.json_syntax import MOST_DEPTH, skip_colon, skip_space, skip_string, skip_value
from textveil.files.selection import Holds, Selection, listed
from textveil.files.spans import Bytes, Fault, Spans
from textveil.hashing import Packed

_NOT_JSON, _NOT_TEXT, _TWICE = 1, 2, 3
_NO_TEXT = -1
_QUOTE, _OPEN_BRACKET, _CLOSE_BRACKET = 34, 91, 93


class JsonLines:
    """Objects, one of whose members is the text; it may be null or missing."""

    gaps = True

    def __init__(self, selection: Selection, where: str) -> None:
        self._where = where
        self.key = selection.column
        self._holds = selection.holds
        self._lists = selection.holds is Holds.DOCUMENTS
        wanted = "string, nor a list of strings, nor null" if self._lists else "string nor null"
        self.columns: tuple[str, ...] = ()
        self.kept_texts: tuple[str, ...] = ()
        self._name = np.frombuffer(str(self.key).encode(errors="surrogatepass") or b"\0", dtype=np.uint8)
        self._reasons = {
            _NOT_JSON: f"is not a JSON object (or is nested deeper than {MOST_DEPTH}); each line must be one",
            _NOT_TEXT: f"the value of {self.key!r} is neither a {wanted}; convert it, or choose another key "
            "(vectors are not read from jsonl: give parquet, Arrow or npy)",
            _TWICE: f"has the key {self.key!r} twice; keep one",
        }

    @property
    def reveals(self) -> tuple[str, ...]:
        """Name the keys that stay, as far as the first records show them."""
        others = [name for name in self.columns if name != self.key]
        seen = f" (at the beginning {listed(others)})" if others else ""
        return (f"every key but {self.key!r}, unchanged{seen}", "which records have no text")

    def begin(self, data: Bytes, *, final: bool) -> int | None:
        """Look for the key in the first records."""
        spans = self.scan(data, final=final)
        if spans.fault is not None or (spans.rows == 0 and not final):
            # A fault is told, with its line, when the records are read.
            return None if spans.fault is None else 0
        keys = _keys(data[: spans.consumed].tobytes())
        self.columns = tuple(keys)
        self.kept_texts = tuple(name for name, texts in keys.items() if texts and name != self.key)
        there = (
            f"{self._where} has the keys {listed(self.columns)}" if self.columns else f"{self._where} has no records"
        )
        if not isinstance(self.key, str):
            raise InvalidInputError(f"{there}; name the one that holds the texts with column= (got {self.key!r})")
        if self.columns and self.key not in self.columns:
            raise InvalidInputError(f"no key {self.key!r}: {there}; give one of these")
        return 0

    def scan(self, data: Bytes, *, final: bool) -> Spans:
        """Find the string of each object."""
        feeds = np.flatnonzero(data == 10)
        if final and (not len(feeds) or feeds[-1] + 1 < len(data)):
            feeds = np.append(feeds, len(data))
        room = len(feeds)
        starts, ends, records = (np.empty(room, np.int64) for _ in range(3))
        stack = np.empty(MOST_DEPTH, np.uint8)
        count, rows, fault, place = _scan(data, feeds, self._name, self._lists, stack, starts, ends, records)
        return Spans(
            starts=starts[:count],
            ends=ends[:count],
            quoted=np.ones(count, dtype=bool),
            records=records[:count],
            rows=int(rows),
            consumed=min(int(feeds[-1]) + 1, len(data)) if room else 0,
            fault=Fault(place=int(place), reason=self._reasons[fault]) if fault else None,
        )

    def decode(self, data: Bytes, spans: Spans) -> Packed:
        """Return the strings without quotes and escapes, and lists as one item each."""
        if not (data[spans.starts] == _OPEN_BRACKET).any():
            return as_texts(unescaped(data, spans.starts, spans.ends), self._holds)
        return Packed.of(
            [_item(data[start:end].tobytes()) for start, end in zip(spans.starts, spans.ends, strict=True)]
        )

    def encode(self, texts: Packed, spans: Spans) -> Packed:
        """Return the texts as strings."""
        return escaped(texts)


def _item(value: bytes) -> bytes:
    """Return what a string, or a list of strings, stands for."""
    read = json.loads(value.decode(errors="replace"))
    return as_list(read) if isinstance(read, list) else read.encode(errors="surrogatepass")


def _keys(lines: bytes) -> dict[str, bool]:
    """Return the keys of some objects, in order, and whether there is text under them."""
    keys: dict[str, bool] = {}
    for line in lines.split(b"\n"):
        if line.strip(b" \t\r"):
            record = json.loads(line.decode(errors="replace"), parse_int=len, parse_float=len)
            for key, value in record.items():
                keys[key] = keys.get(key, False) or _has_text(value)
    return keys


def _has_text(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_text, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str)


@compiled
def _same_escaped_name(data, start, end, name):  # type: ignore[no-untyped-def]
    plain, offsets = np.empty(end - start, np.uint8), np.empty(2, np.int64)
    size = unescape(data, np.array([start]), np.array([end]), plain, offsets)
    return np.array_equal(plain[:size], name)


@compiled
def _same_name(data, start, end, name):  # type: ignore[no-untyped-def]
    """Whether a string, however escaped, is the name looked for."""
    escaped, same = False, end - start - 2 == name.size
    for k in range(end - start - 2):
        code = data[start + 1 + k]
        escaped |= code == 92
        if same:
            same = code == name[k]
    return _same_escaped_name(data, start, end, name) if escaped else same


@compiled
def _only_strings(data, place, end):  # type: ignore[no-untyped-def]
    """Whether a well-formed value is a list of strings."""
    if data[place] != _OPEN_BRACKET:
        return False
    place = skip_space(data, place + 1, end)
    if data[place] == _CLOSE_BRACKET:
        return True
    while data[place] == _QUOTE:
        place = skip_space(data, skip_string(data, place, end), end)
        if data[place] == _CLOSE_BRACKET:
            return True
        place = skip_space(data, place + 1, end)
    return False


@compiled
def _in_object(data, place, end, name, lists, stack):  # type: ignore[no-untyped-def] # noqa: PLR0911 - each fault leaves at once
    """Return (fault, start and end of the text) of the object between two places."""
    start, stop, seen = _NO_TEXT, _NO_TEXT, False
    if data[place] != 123:
        return _NOT_JSON, start, stop
    place = skip_space(data, place + 1, end)
    closed = place < end and data[place] == 125
    while not closed:
        place = skip_space(data, place, end)
        after_name = skip_string(data, place, end)
        value = skip_colon(data, after_name, end)
        if value < 0 or value >= end:
            return _NOT_JSON, start, stop
        after = skip_value(data, value, end, stack)
        if after < 0:
            return _NOT_JSON, start, stop
        if _same_name(data, place, after_name, name):
            if seen:
                return _TWICE, start, stop
            seen = True
            if data[value] == _QUOTE or (lists and _only_strings(data, value, after)):
                start, stop = value, after
            elif data[value] != 110:
                return _NOT_TEXT, start, stop
        place = skip_space(data, after, end)
        if place >= end or (data[place] != 44 and data[place] != 125):
            return _NOT_JSON, start, stop
        closed = data[place] == 125
        if not closed:
            place += 1
    return (0 if skip_space(data, place + 1, end) == end else _NOT_JSON), start, stop


@compiled
def _scan(data, feeds, name, lists, stack, starts, ends, records):  # type: ignore[no-untyped-def]
    """Return (texts, rows, fault, its place); empty lines are no rows."""
    count, rows, begin = 0, 0, 0
    for line in range(feeds.size):
        end = feeds[line]
        place = skip_space(data, begin, end)
        if place < end:
            fault, start, stop = _in_object(data, place, end, name, lists, stack)
            if fault:
                return count, rows, fault, begin
            if start >= 0:
                starts[count], ends[count], records[count] = start, stop, rows
                count += 1
            rows += 1
        begin = end + 1
    return count, rows, 0, 0
