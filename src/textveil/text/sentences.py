"""Cut a text into sentences, once, by a rule that looks only to the left.

A sentence ends at the white space after ., !, ? or an ellipsis (closing quotes and brackets may stand between), unless
the full stop belongs to initials or a common abbreviation; and at a blank line. Whether a place is such an end
depends on the sentence before it alone, never on what follows. So for a text a that stops at an end, and any b,

    sentences_in(a + b) == sentences_in(a) + sentences_in(b),

and whatever is put in the place of a sentence, as long as it stops as a sentence does, its neighbours stay as they
were. What mechanisms take is the LIST of sentences: it is never joined and cut again. Proof: docs/encoders.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(r"""[.!?…]["'”\u2019)\]]*(?=\s)|\n[^\S\n]*(?=\n)""")
# Initials and the like: "J.", "p.m.", "U.S.".
_LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "prof", "st", "vs", "cf", "fig", "gen", "sen", "rep", "rev", "lt"})
_LONGEST = 8


def sentences_in(text: str) -> list[str]:
    """Return the sentences of a text, without the white space around them; none if it has only that."""
    return [text[first:last] for first, last in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence begins and ends."""
    start = 0
    for stop in _ends(text):
        first, last = start, stop
        while first < last and text[first].isspace():
            first += 1
        while last > first and text[last - 1].isspace():
            last -= 1
        if first < last:
            yield first, last
        start = stop


def _ends(text: str) -> Iterator[int]:
    """Yield where each sentence stops: after the one character of white space that ends it, and at the end."""
    for match in _END.finditer(text):
        if not (match[0] == "." and _abbreviates(text, match.start())):
            yield match.end() + 1
    yield len(text)


def _abbreviates(text: str, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to initials or an abbreviation."""
    start = stop
    while start > 0 and stop - start < _LONGEST and not text[start - 1].isspace():
        start -= 1
    word = text[start:stop].lstrip("\"'“\u2018([")
    return _LETTERS.fullmatch(word) is not None or word.lower() in _ABBREVIATIONS
