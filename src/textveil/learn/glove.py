"""Word vectors from a corpus, after GloVe (Pennington et al. 2014): small, repeatable, in the dimension asked for.

Two vectors of a word and two biases are fitted so that v_i . u_j + b_i + c_j is the logarithm of how often i and j
stand near each other, a pair k words apart counting 1 / k. The vector of a word is v + u. Learn from public text only.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.learn.glove_kernel import count_near, one_epoch
from textveil.noise.transforms import uniforms
from textveil.progress import progress
from textveil.randomness import RandomSource

Singles = NDArray[np.float32]

# Room for the counts of some words with all others, in numbers.
_ROOM = 1 << 25
# Pairs that are counted this often or more weigh the same; below, their weight falls with this power.
_MOST_COUNT = 10.0
_POWER = 0.75


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How vectors are made.

    Parameters
    ----------
    dimension : of a vector
    window : how far apart two words may be
    least : words that are rarer are left out
    words : at most so many, the commonest
    epochs : passes over all pairs
    rate : of the first steps; AdaGrad makes them smaller
    seed : public, of the first vectors and of the order of pairs
    """

    dimension: int
    window: int = 10
    least: int = 5
    words: int = 20_000
    epochs: int = 15
    rate: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("dimension", "window", "least", "epochs"):
            require_count(name, getattr(self, name))
        require_count("words", self.words, least=2)
        require_count("seed", self.seed, least=0)
        require_positive("rate", self.rate)


class WordVectors(NamedTuple):
    """Words, the commonest first, their vectors, and the mean loss of a pair in each epoch."""

    words: list[str]
    vectors: Singles
    losses: list[float]


class Counts(NamedTuple):
    """How often words are near each other: one number for each pair of words that ever are."""

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    often: Singles


@dataclass(frozen=True)
class Corpus:
    """The words of public texts, counted once for vectors of any dimension.

    Parameters
    ----------
    words : those that are common enough, the commonest first
    ids : their numbers, one text after the other
    texts : the number of the text of each
    """

    words: list[str]
    ids: NDArray[np.int32]
    texts: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]], *, least: int = 5, words: int = 20_000) -> Corpus:
        """Take texts that were cut into words; see `Recipe` for the rest."""
        cut = [list(text) for text in texts]
        counts = Counter(word for text in cut for word in text)
        common = [(word, count) for word, count in counts.items() if count >= least]
        chosen = [word for word, _ in sorted(common, key=lambda found: (-found[1], found[0]))[:words]]
        if len(chosen) < 2:
            raise InvalidInputError(f"the corpus must have at least two words that occur {least} times; give more text")
        rows = {word: row for row, word in enumerate(chosen)}
        kept = [[rows[word] for word in text if word in rows] for text in cut]
        ids = np.array([row for text in kept for row in text], dtype=np.int32)
        owners = np.repeat(np.arange(len(kept), dtype=np.int32), [len(text) for text in kept])
        return cls(chosen, ids, owners)

    def counts(self, window: int) -> Counts:
        """Count pairs, some words with all others at a time."""
        height = max(1, _ROOM // len(self.words))
        parts = []
        for first in range(0, len(self.words), height):
            near = np.zeros((min(height, len(self.words) - first), len(self.words)), dtype=np.float32)
            count_near(self.ids, self.texts, first, window, near)
            rows, columns = np.nonzero(near)
            parts.append(((rows + first).astype(np.int32), columns.astype(np.int32), near[rows, columns]))
        first_words, second_words, often = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Counts(first_words, second_words, often)


def train(texts: Iterable[Sequence[str]] | Corpus, recipe: Recipe) -> WordVectors:
    """Return vectors of the common words of public texts, the same ones for the same texts and recipe.

    Parameters
    ----------
    texts : each a list of words, or a `Corpus` of them
    recipe : how; `least` and `words` count where `texts` is no `Corpus` yet
    """
    corpus = texts if isinstance(texts, Corpus) else Corpus.of(texts, least=recipe.least, words=recipe.words)
    counts = corpus.counts(recipe.window)
    if not len(counts.often):
        raise InvalidInputError("no two words of the corpus are near each other; give texts of more than one word")
    order = _stream(recipe.seed, b"order", len(counts.often)).argsort(kind="stable")
    pairs = Counts(counts.first[order], counts.second[order], counts.often[order])
    logs = np.log(pairs.often)
    weights = np.minimum(1.0, (pairs.often / _MOST_COUNT) ** _POWER).astype(np.float32)
    shape = (2 * len(corpus.words), recipe.dimension)
    vectors = ((uniforms(_stream(recipe.seed, b"start", shape[0] * shape[1])) - 0.5) / recipe.dimension).reshape(shape)
    fitted, biases = vectors.astype(np.float32), np.zeros(shape[0], dtype=np.float32)
    squares, bias_squares = np.ones_like(fitted), np.ones_like(biases)
    losses = []
    with progress(f"word vectors, dimension {recipe.dimension}", recipe.epochs) as step:
        for _ in range(recipe.epochs):
            loss = one_epoch(
                pairs.first, pairs.second, logs, weights, np.float32(recipe.rate), fitted, biases, squares, bias_squares
            )
            losses.append(float(loss) / len(logs))
            step()
    return WordVectors(corpus.words, fitted[: len(corpus.words)] + fitted[len(corpus.words) :], losses)


def _stream(seed: int, purpose: bytes, count: int) -> NDArray[np.uint64]:
    """Return uniform 64-bit numbers that anyone can repeat: what is learnt is public."""
    source = RandomSource.keyed(hashlib.sha256(b"textveil glove %d" % seed).digest())
    words: NDArray[np.uint64] = source.streams(purpose, np.arange(1)).words(count)[0]
    return words
