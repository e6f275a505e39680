"""JSON strings to UTF-8 and back.

Half a surrogate pair becomes the three bytes that UTF-8 would have for it, and an escape again when written.
"""

from __future__ import annotations

import numpy as np

from textveil.compiled import compiled
from textveil.files.json_syntax import hex_digit
from textveil.files.spans import Bytes, Integers, copy_bytes
from textveil.hashing import Packed

_QUOTE, _BACKSLASH, _U = 34, 92, 117
_UNESCAPED = np.arange(256, dtype=np.uint8)
_ESCAPED = np.zeros(256, dtype=np.uint8)
for _letter, _meant in zip(b"bfnrt", b"\b\f\n\r\t", strict=True):
    _UNESCAPED[_letter], _ESCAPED[_meant] = _meant, _letter
_ESCAPED[_QUOTE], _ESCAPED[_BACKSLASH] = _QUOTE, _BACKSLASH
_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


def unescaped(data: Bytes, starts: Integers, ends: Integers) -> Packed:
    """Return what well-formed strings, quotes included, stand for."""
    offsets = np.empty(len(starts) + 1, dtype=np.int64)
    decoded = np.empty(int((ends - starts).sum()), dtype=np.uint8)
    size = unescape(data, starts, ends, decoded, offsets)
    return Packed(decoded[:size], offsets)


def escaped(texts: Packed) -> Packed:
    """Return texts as strings, quotes included."""
    offsets = np.empty(len(texts) + 1, dtype=np.int64)
    # An escape has at most six bytes.
    room = len(texts.data) + 5 * _special(texts.data, 0, len(texts.data)) + 2 * len(texts)
    encoded = np.empty(room, dtype=np.uint8)
    size = _escape(texts.data, texts.offsets, encoded, offsets)
    return Packed(encoded[:size], offsets)


@compiled
def _code_unit(data, place):  # type: ignore[no-untyped-def]
    unit = 0
    for k in range(4):
        unit = unit * 16 + hex_digit(data[place + k])
    return unit


@compiled
def _put_utf8(code, decoded, at):  # type: ignore[no-untyped-def]
    if code < 0x80:
        decoded[at] = code
        return at + 1
    if code < 0x800:
        decoded[at] = 0xC0 | (code >> 6)
        decoded[at + 1] = 0x80 | (code & 63)
        return at + 2
    if code < 0x10000:
        decoded[at] = 0xE0 | (code >> 12)
        decoded[at + 1] = 0x80 | ((code >> 6) & 63)
        decoded[at + 2] = 0x80 | (code & 63)
        return at + 3
    decoded[at] = 0xF0 | (code >> 18)
    decoded[at + 1] = 0x80 | ((code >> 12) & 63)
    decoded[at + 2] = 0x80 | ((code >> 6) & 63)
    decoded[at + 3] = 0x80 | (code & 63)
    return at + 4


@compiled
def unescape(data, starts, ends, decoded, offsets):  # type: ignore[no-untyped-def]
    """Write what strings stand for, and where each begins; return the size of all."""
    at = 0
    for span in range(starts.size):
        offsets[span] = at
        place, end = starts[span] + 1, ends[span] - 1
        while place < end:
            if data[place] != _BACKSLASH:
                decoded[at] = data[place]
                at += 1
                place += 1
                continue
            if data[place + 1] != _U:
                decoded[at] = _UNESCAPED[data[place + 1]]
                at += 1
                place += 2
                continue
            code = _code_unit(data, place + 2)
            place += 6
            if 0xD800 <= code < 0xDC00 and place + 5 < end and data[place] == _BACKSLASH and data[place + 1] == _U:
                low = _code_unit(data, place + 2)
                if 0xDC00 <= low < 0xE000:
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                    place += 6
            at = _put_utf8(code, decoded, at)
    offsets[starts.size] = at
    return at


@compiled
def _special(data, first, last):  # type: ignore[no-untyped-def]
    """How many bytes may need an escape."""
    count, view = 0, data[first:last]
    for k in range(last - first):
        count += (view[k] < 32) | (view[k] == _QUOTE) | (view[k] == _BACKSLASH) | (view[k] == 0xED)
    return count


@compiled
def _put_escape(unit, encoded, at):  # type: ignore[no-untyped-def]
    encoded[at], encoded[at + 1] = _BACKSLASH, _U
    for k in range(4):
        encoded[at + 2 + k] = _HEX[(unit >> (12 - 4 * k)) & 15]
    return at + 6


@compiled
def _escape(data, offsets, encoded, moved):  # type: ignore[no-untyped-def]
    at = 0
    for text in range(offsets.size - 1):
        moved[text] = at
        encoded[at] = _QUOTE
        at += 1
        place, end = offsets[text], offsets[text + 1]
        if _special(data, place, end) == 0:
            copy_bytes(data, place, encoded, at, end - place)
            at += end - place
            place = end
        while place < end:
            code = data[place]
            if _ESCAPED[code]:
                encoded[at], encoded[at + 1] = _BACKSLASH, _ESCAPED[code]
                at += 2
            elif code < 32:
                at = _put_escape(np.int64(code), encoded, at)
            elif code == 0xED and place + 2 < end and data[place + 1] >= 0xA0:
                low = (np.int64(data[place + 1] & 63) << 6) | np.int64(data[place + 2] & 63)
                at = _put_escape(0xD000 | low, encoded, at)
                place += 2
            else:
                encoded[at] = code
                at += 1
            place += 1
        encoded[at] = _QUOTE
        at += 1
    moved[offsets.size - 1] = at
    return at
