"""What a claim says that an output shows anyway, in words that are known here.

An item of `reveals` names a thing if it, or what stands between its commas, begins with one of the thing's names. An
item that only speaks of such things ("nothing outside the vocabulary") names none.
"""

from __future__ import annotations

import re
from enum import Enum

from textveil.guarantees import Guarantee


class Shown(Enum):
    """What an output may show anyway, with the names that it goes by."""

    CAPITALS = (
        "capital letters",
        "capitals",
        "capitalisation",
        "capitalization",
        "case",
        "case of letters",
        "letter case",
    )
    SPACES = ("layout", "white space", "whitespace", "spaces", "spacing")
    PUNCTUATION = ("layout", "punctuation")
    LENGTH = ("length", "lengths", "number of words", "number of its words", "number of tokens")
    SAME_WORDS = (
        "which positions of a text hold the same word",
        "which positions hold the same word",
        "which words are the same",
        "where a word recurs",
        "where words recur",
    )
    UNKNOWN_WORDS = (
        "unknown words",
        "every unknown word",
        "words outside the vocabulary",
        "every word outside the vocabulary",
        "every word that the predicate leaves out",
        "everything outside the given spans",
    )
    TIME = ("time", "timing", "how long a release takes")

    def is_named_in(self, claim: Guarantee) -> bool:
        """Whether a claim names this among what it reveals."""
        return any(_begins(part, name) for item in claim.reveals for part in _parts(item) for name in self.value)


def _parts(item: str) -> list[str]:
    parts = re.split(r"[,:;()]|\band\b", item.lower())
    return [re.sub(r"^(the|its|their|all)\s+", "", part.strip()) for part in (item.lower(), *parts)]


def _begins(part: str, name: str) -> bool:
    return re.match(rf"{re.escape(name)}\b", part) is not None
