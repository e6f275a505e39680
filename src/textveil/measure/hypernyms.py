"""How often a word is replaced by a more general one: its hypernym, by relations that are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from textveil.errors import InvalidInputError
from textveil.measure.passes import KnownLaw, blocks_of


@dataclass(frozen=True)
class Replacements:
    """What words become, as shares of all words that were looked at; the shares add up to 1.

    Parameters
    ----------
    unchanged : the word itself
    general : a hypernym, near or far
    special : a hyponym, near or far
    other : anything else
    words : how many words were looked at: those that have a hypernym
    exact : whether the shares are those of the law, or counted in released text
    """

    unchanged: float
    general: float
    special: float
    other: float
    words: int
    exact: bool

    def __str__(self) -> str:
        source = "by the law" if self.exact else "as released"
        return (
            f"Of {self.words:,} words with a hypernym, {source}: {self.unchanged:.2%} stay, {self.general:.2%} become "
            f"a hypernym, {self.special:.2%} a hyponym, {self.other:.2%} something else."
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>"


def expected_replacements(
    mechanism: KnownLaw, relations: Iterable[tuple[str, str]], words: Iterable[str] | None = None
) -> Replacements:
    """Return the shares that are expected of a mechanism whose law is known.

    Parameters
    ----------
    mechanism : such as Exponential
    relations : pairs (word, hypernym); hypernyms of hypernyms follow
    words : which words are released, each as often as it stands here; by default every word of the vocabulary once
    """
    vocabulary, above = mechanism.vocabulary, hypernyms_of(relations)
    below = _turned(above)
    asked = [word for word in (vocabulary.words if words is None else words) if word in above and word in vocabulary]
    _require_some(len(asked))
    sums = np.zeros(3)
    for block in blocks_of(vocabulary.ids(asked), len(vocabulary)):
        for own, row in zip(block, mechanism.transition_rows(block), strict=True):
            word = vocabulary.words[own]
            general = [one for one in above[word] if one in vocabulary]
            special = [one for one in below.get(word, set()) - above[word] if one in vocabulary]
            sums += row[own], row[vocabulary.ids(general)].sum(), row[vocabulary.ids(special)].sum()
    stay, rise, fall = (sums / len(asked)).tolist()
    return Replacements(stay, rise, fall, max(0.0, 1 - stay - rise - fall), words=len(asked), exact=True)


def counted_replacements(
    originals: Sequence[str], released: Sequence[str], relations: Iterable[tuple[str, str]]
) -> Replacements:
    """Return the shares in released text, word by word.

    Parameters
    ----------
    originals : private; what is counted here is not protected, so keep it to yourself
    released : in the same order
    relations : pairs (word, hypernym); hypernyms of hypernyms follow
    """
    if len(originals) != len(released):
        raise InvalidInputError(f"give a released word for each ({len(originals)} originals, {len(released)} released)")
    above = hypernyms_of(relations)
    counts = {"unchanged": 0, "general": 0, "special": 0, "other": 0}
    for before, after in zip(originals, released, strict=True):
        if before in above:
            counts[_kind(before, after, above)] += 1
    total = _require_some(sum(counts.values()))
    return Replacements(**{name: count / total for name, count in counts.items()}, words=total, exact=False)


def hypernyms_of(relations: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return for each word that has any all its hypernyms, near and far; a word is not its own, cycles or not."""
    direct: dict[str, set[str]] = {}
    for lower, upper in relations:
        direct.setdefault(lower, set()).add(upper)
    return {word: frozenset(_reached(word, direct) - {word}) for word in direct}


def _reached(word: str, direct: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [word]
    while waiting:
        for upper in direct.get(waiting.pop(), ()):
            if upper not in seen:
                seen.add(upper)
                waiting.append(upper)
    return seen


def _turned(above: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    below: dict[str, set[str]] = {}
    for lower, uppers in above.items():
        for upper in uppers:
            below.setdefault(upper, set()).add(lower)
    return below


def _kind(before: str, after: str, above: dict[str, frozenset[str]]) -> str:
    if after == before:
        return "unchanged"
    if after in above[before]:
        return "general"
    return "special" if before in above.get(after, ()) else "other"


def _require_some(count: int) -> int:
    if count == 0:
        raise InvalidInputError("none of these words has a hypernym in the relations given; give others")
    return count
