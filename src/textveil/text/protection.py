"""Which words are protected. What is not protected is released as it is, and is said so.

By default every word is. Leaving words out is a choice of the user's, and each way of it says what it reveals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.randomness import fresh_key
from textveil.text.scanning import Bytes, Lookup, Table, Words, are_in, table_of

Mask = NDArray[np.bool_]


class Protection(Protocol):
    """Says which words of a text are protected."""

    @property
    def reveals(self) -> tuple[str, ...]:
        """What leaving words out shows."""
        ...

    def spec(self) -> object:
        """Return the choice as plain values, so that different choices never share noise."""
        ...

    def mask(self, text: Bytes, words: Words, lookup: Lookup) -> Mask:
        """Return True for each word that is protected."""
        ...


@dataclass(frozen=True)
class EveryWord:
    """All words are protected: the default."""

    reveals: tuple[str, ...] = field(default=(), init=False)

    def spec(self) -> object:
        """Return "every word"."""
        return "every word" if type(self) is EveryWord else _of_another_class(self)

    def mask(self, text: Bytes, words: Words, lookup: Lookup) -> Mask:
        """Return True for every word."""
        return np.ones(len(words), dtype=bool)


@dataclass(frozen=True)
class AllBut:
    """Every word but a public list (stop words) is protected."""

    words: tuple[str, ...] = ()
    reveals: tuple[str, ...] = field(
        default=("the stop words as they are, capitals included, and where they stand",), init=False
    )

    def spec(self) -> object:
        """Return the list."""
        plain = {"all but": list(self.words)}
        return plain if type(self) is AllBut else {"of": _of_another_class(self), **plain}

    def mask(self, text: Bytes, words: Words, lookup: Lookup) -> Mask:
        """Return False for the words of the list."""
        # Only a listed word itself stays, not others that are looked up as it ("can't" as "can").
        mask = ~are_in(self._table, text, words)
        others = {word.casefold() for word in self.words if not word.isascii()}
        if others:
            for place in np.flatnonzero(np.isin(words.ids, [lookup.find(word) for word in others])):
                word = text[words.starts[place] : words.ends[place]].tobytes().decode(errors="replace")
                mask[place] &= word.casefold() not in others
        return mask

    @cached_property
    def _table(self) -> Table:
        return table_of({word.casefold(): number for number, word in enumerate(self.words) if word.isascii()})


@dataclass(frozen=True)
class Where:
    """The words for which a function of the word answers yes are protected.

    What a function does can't be told from its name, so each `Where` counts as another choice: a keyed release
    repeats only with the same object.
    """

    predicate: Callable[[str], bool]
    reveals: tuple[str, ...] = field(
        default=("every word that the predicate leaves out, as it is, and where it stands",), init=False
    )
    token: str = field(default_factory=lambda: fresh_key().hex(), repr=False)

    def spec(self) -> object:
        """Return which choice this is."""
        return {"where": self.token}

    def mask(self, text: Bytes, words: Words, lookup: Lookup) -> Mask:
        """Return what the predicate says of each word."""
        found = (
            text[first:last].tobytes().decode(errors="replace")
            for first, last in zip(words.starts.tolist(), words.ends.tolist(), strict=True)
        )
        return np.fromiter((bool(self.predicate(word)) for word in found), dtype=bool, count=len(words))


def _of_another_class(protection: Protection) -> str:
    """Describe a choice that is made otherwise than by the class it comes from: no spec brings that back."""
    return f"a class {type(protection).__qualname__}"


def protection_of(spec: object) -> Protection:
    """Return the choice that a spec describes."""
    match spec:
        case "every word":
            return EveryWord()
        case {"all but": [*words], **more} if not more:
            return AllBut(tuple(map(str, words)))
    raise InvalidInputError(
        "the spec does not hold the function or class that chose which words are protected; make the TextRewriter "
        "with protect="
    )


def mask_of_spans(words: Words, spans: Sequence[tuple[int, int]]) -> Mask:
    """Return True for each word that a span of bytes touches."""
    mask = np.zeros(len(words), dtype=bool)
    for start, end in spans:
        first = int(np.searchsorted(words.ends, start, side="right"))
        last = int(np.searchsorted(words.starts, end, side="left"))
        mask[first:last] = True
    return mask


def spans_of_bytes(texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """Return the spans of characters of each text as spans of its bytes."""
    if len(spans) != len(texts):
        raise InvalidInputError(f"give a list of spans for each text ({len(texts)} texts, {len(spans)} lists of spans)")
    moved = []
    for text, own in zip(texts, spans, strict=True):
        moved.append(list[tuple[int, int]]())
        for span in own:
            if not (isinstance(span, tuple | list) and len(span) == 2):
                raise InvalidInputError(
                    "a span is a pair (start, end); for a list of texts give a list of spans for each"
                )
            start, end = span
            if not (isinstance(start, Integral) and isinstance(end, Integral)):
                raise InvalidInputError("a span is a pair of whole numbers (start, end)")
            if not 0 <= start <= end <= len(text):
                raise InvalidInputError("a span must lie within its text: 0 <= start <= end <= length of the text")
            moved[-1].append((_size(text[: int(start)]), _size(text[: int(end)])))
    return moved


def _size(text: str) -> int:
    return len(text.encode("utf-8", errors="surrogatepass"))


STOP_WORDS = tuple(
    """
    a about above after again against all am an and any are as at be because been before being below between both but
    by can could did do does doing down during each few for from further had has have having he her here hers herself
    him himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or
    other our ours ourselves out over own same she should so some such than that the their theirs them themselves then
    there these they this those through to too under until up very was we were what when where which while who whom why
    will with would you your yours yourself yourselves
    """.split()  # noqa: SIM905 -- a list of strings would fill a page
)
