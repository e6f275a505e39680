"""Who wrote this? Koppel, Schler and Argamon (2011): pieces of text compared by random halves of their letter groups.

The commonest groups of four letters in the texts of known authors are the features. In each of many rounds half of them
are drawn, and of each author a piece as long as the text in question; the author of the piece most like the text gets a
vote, and most votes win. Likeness is the sum of the smaller counts over the sum of the larger. The details are those of
the reproduction by Potthast et al. (2016), which the literature on private text attacks with: pieces are cut at words
and written without spaces.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, over_threads
from textveil.errors import InvalidInputError, require_count
from textveil.noise.transforms import uniforms
from textveil.randomness import RandomSource, Streams

Counts = NDArray[np.int64]

FEATURES, ROUNDS, LEAST_WORDS = 20_000, 100, 500
_LETTERS = 4
_BITS = 16
# Features between two places up to which all are counted beforehand.
_STRIDE = 8192


class Attribution(NamedTuple):
    """Whom the votes name, and their share; nobody if a text has no word."""

    author: str | None
    share: float


class Grams(NamedTuple):
    """The features in a text, in order; words a up to b hold those from begins[a] up to ends[b - 1]."""

    features: NDArray[np.int32]
    begins: Counts
    ends: Counts


class Authorship:
    """Attribute texts to the authors of known ones.

    Parameters
    ----------
    known : what each author wrote; authors of fewer words than `least_words` are not considered
    features : how many groups of letters are looked at, the commonest
    rounds : of votes
    least_words : see `known`
    """

    def __init__(
        self,
        known: Mapping[str, str],
        *,
        features: int = FEATURES,
        rounds: int = ROUNDS,
        least_words: int = LEAST_WORDS,
    ) -> None:
        words = {author: text.split() for author, text in known.items()}
        least = require_count("least_words", least_words)
        words = {author: found for author, found in words.items() if len(found) >= least}
        if len(words) < 2:
            raise InvalidInputError(
                f"at least two authors must have {least} words each (got {len(words)} of {len(known)}); give more text "
                "or a smaller least_words"
            )
        self.authors = tuple(words)
        self._rounds = require_count("rounds", rounds)
        self._features = _commonest(words.values(), require_count("features", features, least=2))
        grams = [self._grams(found) for found in words.values()]
        before = np.cumsum([0, *(len(one.features) for one in grams)])
        self._known = Grams(
            np.concatenate([one.features for one in grams]),
            np.concatenate([one.begins + first for one, first in zip(grams, before, strict=False)]),
            np.concatenate([one.ends + first for one, first in zip(grams, before, strict=False)]),
        )
        self._marks = _marks(self._known.features, len(self._features), _STRIDE)
        self._words = np.array([len(one.begins) for one in grams], dtype=np.int64)

    def attribute(self, texts: Sequence[str], *, source: RandomSource) -> list[Attribution]:
        """Return the author of each text by most votes; the first of equals.

        Parameters
        ----------
        texts : in question
        source : of the halves of the features, the same for all texts, and of the pieces
        """
        halves = _halves(source.streams(b"halves", np.arange(self._rounds)), len(self._features))
        # One stream a text, whatever is in it: rewritten texts meet the same pieces.
        pieces = source.streams(b"pieces", np.arange(len(texts)))

        def one(place: int) -> Attribution:
            return self._attribute(texts[place].split(), halves, pieces.select(np.array([place])))

        return list(over_threads(one, range(len(texts))))

    def _attribute(self, words: list[str], halves: NDArray[np.uint8], stream: Streams) -> Attribution:
        length = min(len(words), int(self._words.min()))
        if not length:
            return Attribution(None, 0.0)
        grams = self._grams(words[:length])
        text = grams.features[: grams.ends[-1]]
        chances = uniforms(stream.words(self._rounds * len(self.authors))).reshape(self._rounds, -1)
        votes = np.zeros(len(self.authors), dtype=np.int64)
        _vote(text, *self._known, self._marks, _STRIDE, self._words, length, halves, chances, votes)
        return Attribution(self.authors[int(votes.argmax())], float(votes.max() / self._rounds))

    def _grams(self, words: Sequence[str]) -> Grams:
        """Return the features of words written without spaces."""
        letters, bounds = _letters(words)
        groups = letters.copy()
        for place in range(1, _LETTERS):
            groups[:-place] |= letters[place:] << np.uint64(_BITS * place)
        places = np.minimum(np.searchsorted(self._features, groups), len(self._features) - 1)
        is_feature = self._features[places] == groups
        before = np.concatenate([[0], np.cumsum(is_feature)])
        begins, ends = bounds[:-1], np.maximum(bounds[1:] - _LETTERS + 1, bounds[:-1])
        return Grams(places[is_feature].astype(np.int32), before[begins], before[ends])


def _letters(words: Sequence[str]) -> tuple[NDArray[np.uint64], Counts]:
    """Return the code points of words, those of rare scripts as one, and where each word begins and ends."""
    points = np.frombuffer("".join(words).encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    bounds = np.cumsum([0, *map(len, words)])
    return np.minimum(points, 2**_BITS - 1).astype(np.uint64), bounds


def _commonest(texts: Collection[Sequence[str]], count: int) -> NDArray[np.uint64]:
    """Return the commonest groups of letters within words, in the order of their numbers; short words are one group."""
    found = np.concatenate([_groups_within(words) for words in texts])
    groups, often = np.unique(found, return_counts=True)
    commonest: NDArray[np.uint64] = np.sort(groups[np.argsort(-often, kind="stable")[:count]])
    return commonest


def _groups_within(words: Sequence[str]) -> NDArray[np.uint64]:
    letters, bounds = _letters(words)
    counts = np.maximum(np.diff(bounds) - _LETTERS + 1, 1)
    before = np.cumsum(counts) - counts
    places = np.repeat(bounds[:-1] - before, counts) + np.arange(counts.sum())
    last = np.repeat(bounds[1:], counts) - 1
    groups: NDArray[np.uint64] = letters[places]
    for ahead in range(1, _LETTERS):
        inside = places + ahead <= last
        groups[inside] |= letters[places[inside] + ahead] << np.uint64(_BITS * ahead)
    return groups


def _halves(streams: Streams, features: int) -> NDArray[np.uint8]:
    """Return which features each round looks at: half of them."""
    order = np.argsort(streams.words(features), axis=1, kind="stable")
    chosen = np.zeros(order.shape, dtype=np.uint8)
    np.put_along_axis(chosen, order[:, : features // 2], 1, axis=1)
    return chosen


@compiled
def _marks(known, features, stride):  # type: ignore[no-untyped-def]
    """Return how often each feature occurs in the first stride, 2 stride, ... of the known ones, from 0 on."""
    marks = np.zeros((len(known) // stride + 1, features), dtype=np.int32)
    for mark in range(1, len(marks)):
        marks[mark] = marks[mark - 1]
        for place in range((mark - 1) * stride, mark * stride):
            marks[mark, known[place]] += 1
    return marks


@compiled
def _vote(text, known, begins, ends, marks, stride, words, length, halves, chances, votes):  # type: ignore[no-untyped-def]
    """Add the votes of all rounds for one text."""
    wanted = np.zeros(halves.shape[1], dtype=np.int32)
    seen = np.zeros(halves.shape[1], dtype=np.int32)
    taken = np.empty(len(text), dtype=np.int32)
    for turn in range(len(halves)):
        half = halves[turn]
        wanted[:] = 0
        of_text = 0
        for feature in text:
            wanted[feature] += half[feature]
            of_text += half[feature]
        most, winner, first = -1.0, 0, 0
        for author in range(len(words)):
            room = words[author] - length
            word = first + min(room, int(chances[turn, author] * (room + 1)))
            start, stop = begins[word], max(begins[word], ends[word + length - 1])
            if stop - start < 2 * stride:
                shared, of_piece = _compare_short(known, start, stop, half, wanted, taken)
            else:
                shared, of_piece = _compare_long(known, start, stop, marks, stride, half, wanted, seen)
            likeness = shared / max(1, of_text + of_piece - shared)
            if likeness > most:
                most, winner = likeness, author
            first += words[author]
        votes[winner] += 1


@compiled
def _compare_short(known, start, stop, half, wanted, taken):  # type: ignore[no-untyped-def]
    """Return how many features of a half the piece has in common with the text, and how many it has."""
    shared, of_piece = 0, 0
    for place in range(start, stop):
        feature = known[place]
        of_piece += half[feature]
        if wanted[feature] > 0:
            wanted[feature] -= 1
            taken[shared] = feature
            shared += 1
    for place in range(shared):
        wanted[taken[place]] += 1
    return shared, of_piece


@compiled
def _compare_long(known, start, stop, marks, stride, half, wanted, seen):  # type: ignore[no-untyped-def]
    """Return the same, from the marks within the piece and its two ends."""
    low, high = -(-start // stride), stop // stride
    for place in range(start, low * stride):
        seen[known[place]] += 1
    for place in range(high * stride, stop):
        seen[known[place]] += 1
    shared, of_piece = 0, 0
    for feature in range(len(half)):
        count = seen[feature] + marks[high, feature] - marks[low, feature]
        of_piece += half[feature] * count
        shared += min(count, wanted[feature])
        seen[feature] = 0
    return shared, of_piece
