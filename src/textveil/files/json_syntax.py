"""The grammar of JSON (RFC 8259), strictly, as compiled code that only finds where things end.

Strict, because a line that two readers understand differently could hide a text from us and show it to others. NaN and
Infinity are let through as Python writes them.
"""

from __future__ import annotations

import numpy as np

from textveil.compiled import compiled

MOST_DEPTH = 512
MALFORMED = -1

_QUOTE, _BACKSLASH, _COMMA, _COLON = 34, 92, 44, 58
_OPEN_BRACE, _CLOSE_BRACE, _OPEN_BRACKET, _CLOSE_BRACKET = 123, 125, 91, 93
_ESCAPES = np.zeros(256, dtype=np.bool_)
_ESCAPES[np.frombuffer(b'"\\/bfnrt', dtype=np.uint8)] = True
_PLAIN = np.arange(256) >= 32
_PLAIN[[_QUOTE, _BACKSLASH]] = False
_WORDS = np.frombuffer(
    b"true\0\0\0\0\0false\0\0\0\0null\0\0\0\0\0NaN\0\0\0\0\0\0Infinity\0-Infinity", dtype=np.uint8
).reshape(6, 9)


@compiled
def skip_space(data, place, end):  # type: ignore[no-untyped-def]
    """Return where the next sign stands."""
    while place < end and (data[place] == 32 or data[place] == 9 or data[place] == 13):
        place += 1
    return place


@compiled
def hex_digit(code):  # type: ignore[no-untyped-def]
    """Return the value of a hexadecimal digit, -1 if it is none."""
    if 48 <= code <= 57:
        return np.int64(code) - 48
    code = code | 32
    return np.int64(code) - 87 if 97 <= code <= 102 else np.int64(-1)


@compiled
def skip_string(data, place, end):  # type: ignore[no-untyped-def] # noqa: PLR0911 - each fault leaves at once
    """Return where a string that begins here ends, after its quote."""
    if place >= end or data[place] != _QUOTE:
        return MALFORMED
    place += 1
    while True:
        while place < end and _PLAIN[data[place]]:
            place += 1
        if place >= end:
            return MALFORMED
        if data[place] == _QUOTE:
            return place + 1
        if data[place] != _BACKSLASH:
            return MALFORMED
        place += 1
        if place >= end:
            return MALFORMED
        if data[place] == 117:
            if place + 4 >= end:
                return MALFORMED
            for k in range(1, 5):
                if hex_digit(data[place + k]) < 0:
                    return MALFORMED
            place += 5
        elif _ESCAPES[data[place]]:
            place += 1
        else:
            return MALFORMED


@compiled
def _skip_digits(data, place, end):  # type: ignore[no-untyped-def]
    first = place
    while place < end and 48 <= data[place] <= 57:
        place += 1
    return place if place > first else MALFORMED


@compiled
def _skip_number(data, place, end):  # type: ignore[no-untyped-def]
    if data[place] == 45:
        place += 1
    if place < end and data[place] == 48:
        place += 1
    else:
        place = _skip_digits(data, place, end)
    if 0 <= place < end and data[place] == 46:
        place = _skip_digits(data, place + 1, end)
    if 0 <= place < end and data[place] | 32 == 101:
        place += 1
        if place < end and (data[place] == 43 or data[place] == 45):
            place += 1
        place = _skip_digits(data, place, end)
    return place


@compiled
def _skip_word(data, place, end):  # type: ignore[no-untyped-def]
    for word in range(_WORDS.shape[0]):
        k = 0
        while k < 9 and _WORDS[word, k] != 0 and place + k < end and data[place + k] == _WORDS[word, k]:
            k += 1
        if k == 9 or _WORDS[word, k] == 0:
            return place + k
    return MALFORMED


@compiled
def skip_colon(data, place, end):  # type: ignore[no-untyped-def]
    """Return where the value of a member begins, given where its name ends."""
    if place < 0:
        return MALFORMED
    place = skip_space(data, place, end)
    if place >= end or data[place] != _COLON:
        return MALFORMED
    return skip_space(data, place + 1, end)


@compiled
def _skip_name(data, place, end):  # type: ignore[no-untyped-def]
    return skip_colon(data, skip_string(data, skip_space(data, place, end), end), end)


@compiled
def skip_value(data, place, end, stack):  # type: ignore[no-untyped-def] # noqa: PLR0911 - as above
    """Return where a value ends; `stack` is room for the brackets that are open."""
    depth = 0
    while True:
        place = skip_space(data, place, end)
        if place >= end:
            return MALFORMED
        code = data[place]
        if code in (_OPEN_BRACE, _OPEN_BRACKET):
            # In ASCII the closing bracket is two after the opening one.
            inside = skip_space(data, place + 1, end)
            if inside < end and data[inside] == code + 2:
                place = inside + 1
            else:
                if depth == stack.size:
                    return MALFORMED
                stack[depth] = code + 2
                depth += 1
                place = _skip_name(data, inside, end) if code == _OPEN_BRACE else inside
                if place < 0:
                    return MALFORMED
                continue
        elif code == _QUOTE:
            place = skip_string(data, place, end)
        elif 48 <= code <= 57 or (code == 45 and place + 1 < end and data[place + 1] != 73):
            place = _skip_number(data, place, end)
        else:
            place = _skip_word(data, place, end)
        if place < 0:
            return MALFORMED
        while depth > 0:
            place = skip_space(data, place, end)
            if place >= end:
                return MALFORMED
            if data[place] == stack[depth - 1]:
                place += 1
                depth -= 1
                continue
            if data[place] != _COMMA:
                return MALFORMED
            place += 1
            if stack[depth - 1] == _CLOSE_BRACE:
                place = _skip_name(data, place, end)
                if place < 0:
                    return MALFORMED
            break
        if depth == 0:
            return place
