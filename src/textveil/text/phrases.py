"""Phrases that are likely in public text, and the words between them, which are protected.

A query such as "will it be colder in ohio" is a likely phrase around a slot. A model counts word sequences of up to a
few words in PUBLIC text and keeps those that occur often enough (the variable-length n-grams of Chen, Acs and
Castelluccia, 2012, without their noise, which public text does not need). Words that follow each other with a chance
above a threshold form phrases; every other word is protected. Definitions: docs/measuring.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from textveil.errors import InvalidInputError, require_count
from textveil.receipts import digest_of
from textveil.text.protection import Mask
from textveil.text.scanning import Bytes, Lookup, Words
from textveil.text.tokens import words_in

# Stands before the first word of a text.
_START = ""


@dataclass(frozen=True, eq=False)
class PhraseModel:
    """How often short sequences of words occur in public text.

    Make it with `PhraseModel.of_public_text`. It is part of the mechanism, so it must not be made from the texts that
    are to be protected: counts of private text would be released through the choice of what is protected, and nothing
    accounts for that.

    Parameters
    ----------
    counts : sequences of 1 to `longest` words -> how often, none rarer than it was asked to be
    longest : words of the longest sequence
    """

    counts: dict[tuple[str, ...], int]
    longest: int

    @classmethod
    def of_public_text(cls, texts: Iterable[str], *, longest: int = 4, at_least: int = 5) -> PhraseModel:
        """Count sequences; one that is rarer than `at_least` is not kept, and neither is any that contains it.

        Parameters
        ----------
        texts : public
        longest : words of the longest sequence
        at_least : how often a sequence must occur
        """
        if isinstance(texts, str):
            raise InvalidInputError("texts must be a list of public texts, not one str")
        longest, at_least = require_count("longest", longest, least=2), require_count("at_least", at_least)
        sequences = [[_START, *_folded_words(text)] for text in texts]
        kept: dict[tuple[str, ...], int] = {}
        for length in range(1, longest + 1):
            found = Counter(
                tuple(words[start : start + length])
                for words in sequences
                for start in range(len(words) - length + 1)
                if length == 1 or tuple(words[start : start + length - 1]) in kept
            )
            kept |= {gram: count for gram, count in found.items() if count >= at_least}
        return cls(kept, longest)

    def chance(self, word: str, before: Sequence[str]) -> float:
        """Return the chance of a word after others: by the longest end of them of which anything that follows is kept.

        A word that is not among what follows it has chance 0.
        """
        for length in range(min(len(before), self.longest - 1), 0, -1):
            context = tuple(before[-length:])
            if context in self._followed:
                return self.counts.get((*context, word), 0) / self.counts[context]
        return 0.0

    def in_phrases(self, words: Sequence[str], threshold: float) -> list[bool]:
        """Return which words of a text are part of a phrase of likely transitions.

        A phrase grows while the next word is likely after it. One word alone is none, but the start of a text counts as
        a word. Whether a word is in a phrase depends on that phrase and its next word only.
        """
        inside, phrase = [False] * len(words), [_START]
        for place, word in enumerate(words):
            if self.chance(word, phrase) >= threshold:
                inside[place] = True
                if place and len(phrase) == 1:
                    inside[place - 1] = True
                phrase.append(word)
            else:
                phrase = [word]
        return inside

    @cached_property
    def _followed(self) -> frozenset[tuple[str, ...]]:
        return frozenset(gram[:-1] for gram in self.counts)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the counts."""
        return digest_of([self.longest, sorted((*gram, str(count)) for gram, count in self.counts.items())])


@dataclass(frozen=True, eq=False)
class UnlikelyWords:
    """The words outside likely phrases are protected; the phrases are released as they are.

    Parameters
    ----------
    model : made from public text
    threshold : how likely a word must be after the words before it to belong to a phrase
    """

    model: PhraseModel
    threshold: float = 0.02
    reveals: tuple[str, ...] = (
        "every phrase that a public model finds likely, as it is, and where it stands; and that the words between are "
        "in none",
    )

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise InvalidInputError(f"threshold must be above 0 and at most 1 (got {self.threshold!r})")

    def spec(self) -> object:
        """Return the model by its digest, and the threshold."""
        return {"unlikely words": self.model.digest, "threshold": float(self.threshold)}

    def mask(self, text: Bytes, words: Words, lookup: Lookup) -> Mask:
        """Return True for each word outside phrases."""
        mask = np.ones(len(words), dtype=bool)
        edges = np.flatnonzero(np.diff(words.owners)) + 1
        for part in np.split(np.arange(len(words)), edges):
            spans = zip(words.starts[part].tolist(), words.ends[part].tolist(), strict=True)
            found = [_folded(text[first:last].tobytes().decode(errors="replace")) for first, last in spans]
            mask[part] = ~np.array(self.model.in_phrases(found, self.threshold), dtype=bool)
        return mask

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the (start, end) of each run of protected words, to look at or to edit: `release(..., spans=...)`."""
        places = list(words_in(text))
        inside = self.model.in_phrases([_folded(text[a:b]) for a, b in places], self.threshold)
        runs: list[tuple[int, int]] = []
        for place, (first, last) in enumerate(places):
            if inside[place]:
                continue
            if place and runs and not inside[place - 1]:
                runs[-1] = (runs[-1][0], last)
            else:
                runs.append((first, last))
        return runs


def _folded_words(text: str) -> Iterator[str]:
    for first, last in words_in(text):
        yield _folded(text[first:last])


def _folded(word: str) -> str:
    return word.casefold().replace("\u2019", "'")
