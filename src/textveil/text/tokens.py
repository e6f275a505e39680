r"""What is a word: the rule, in Python, for any script.

Text is cut at white space. What punctuation surrounds a piece is layout. A piece that holds a digit, or one
of @ _ \ ~ # $ % ^ ` anywhere inside, or a lone full stop, or "://", is one word as a whole: numbers, dates, e-mail
addresses, URLs, file names. Any other piece is cut at its punctuation (hyphens, slashes, commas, ...), but not at an
apostrophe between letters. Layout (white space and punctuation) is released as it is; words are protected, and
so is everything that is neither, such as emoji.

`textveil.text.scanning` does the same for ASCII at full speed; a test holds the two together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

GLUE = "@_\\~#$%^`"
_PIECE = re.compile(r"[^\x00-\x20\x7f]+")
_APOSTROPHES = "'\u2019"


def words_in(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each word of a text begins and ends."""
    for piece in _PIECE.finditer(text):
        yield from _words_of_piece(text, piece.start(), piece.end())


def _words_of_piece(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and _is_layout(text[start]):
        start += 1
    while start < end and _is_layout(text[end - 1]):
        end -= 1
    if start == end:
        return
    if _is_one_word(text, start, end):
        yield start, end
        return
    begun = None
    for place in range(start, end):
        inside = not _is_layout(text[place]) or (begun is not None and _joins_letters(text, place, end))
        if inside and begun is None:
            begun = place
        elif not inside and begun is not None:
            yield begun, place
            begun = None
    if begun is not None:
        yield begun, end


def _joins_letters(text: str, place: int, end: int) -> bool:
    """Whether this is an apostrophe between two letters."""
    inside = text[place] in _APOSTROPHES and place + 1 < end
    return inside and not _is_layout(text[place - 1]) and not _is_layout(text[place + 1])


def _is_one_word(text: str, start: int, end: int) -> bool:
    for place in range(start, end):
        character = text[place]
        if character in GLUE or character.isdigit():
            return True
        if character == "." and text[place - 1] != "." and text[place + 1] != ".":
            return True
        if character == ":" and text[place + 1 : place + 3] == "//":
            return True
    return False


def _is_layout(character: str) -> bool:
    """White space, control characters and punctuation; symbols only if they are ASCII."""
    if character < "\x80":
        return not character.isalnum()
    return unicodedata.category(character)[0] in "PZ"
