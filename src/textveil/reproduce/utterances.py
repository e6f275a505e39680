"""Utterances with intents, from public benchmark files, and what a classifier learns from them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from textveil.learn.autoencoder.requests import Utterance
from textveil.learn.autoencoder.tokens import words_of
from textveil.randomness import RandomSource
from textveil.receipts import digest_of
from textveil.reproduce.sentdp.files import rows_of

_LONGEST = 1000


@dataclass(frozen=True)
class Corpus:
    """Utterances in three parts that share no utterance.

    Parameters
    ----------
    name : of the data set
    public : what the auto-encoder is trained on; its intents are not looked at
    private : what is rewritten
    test : what the classifier is asked, as it is
    """

    name: str
    public: list[Utterance]
    private: list[Utterance]
    test: list[Utterance]

    @property
    def digest(self) -> str:
        """The sha256 of all utterances and intents."""
        return digest_of([self.name, self.public, self.private, self.test])


def read_corpus(folder: Path, name: str, *, seed: int, most: int | None = None) -> Corpus:
    """Return a data set, its training part dealt out at random as public and private.

    Parameters
    ----------
    folder : holds cls/snips.tsv.gz and cls/atis.tsv.gz
    name : "snips" or "atis"
    seed : of the dealing
    most : utterances of the training part that are used
    """
    parts: dict[str, list[Utterance]] = {}
    for split, intent, tokens in rows_of(folder, f"cls/{name}.tsv.gz", "split", "intent", "tokens"):
        # Few utterances have several intents; the first counts.
        parts.setdefault(split, []).append(Utterance(folded(tokens), intent.partition(";")[0]))
    test = parts["test"]
    seen = {each.text for each in test}
    once = {each.text: each for each in parts["train"] if each.text not in seen}
    dealt = [list(once.values())[place] for place in shuffled(len(once), f"{name} {seed}")][:most]
    half = len(dealt) // 2
    return Corpus(name, dealt[:half], dealt[half:], test)


def described(folder: Path, name: str) -> dict[str, int]:
    """Count the utterances of all parts of a data set, each once, and their words as the file has them."""
    texts = {tuple(tokens.split()) for (tokens,) in rows_of(folder, f"cls/{name}.tsv.gz", "tokens")}
    lengths = [len(text) for text in texts]
    return {
        "different utterances": len(texts),
        "different words": len({word for text in texts for word in text}),
        "fewest words": min(lengths),
        "most words": max(lengths),
    }


def folded(text: str) -> str:
    """Return the words of a text in lower case, as every model here sees them."""
    return " ".join(words_of(text, _LONGEST))


def shuffled(count: int, purpose: str) -> list[int]:
    """Return the numbers below `count` in a random order that anyone can repeat."""
    source = public_source(f"shuffle {purpose}")
    return [int(place) for place in np.argsort(source.streams(b"order", np.arange(1)).words(count)[0], kind="stable")]


def public_source(purpose: str) -> RandomSource:
    """Return a source that anyone can repeat: nothing here is private."""
    return RandomSource.keyed(hashlib.sha256(f"textveil reproduce utterances {purpose}".encode()).digest())


def accuracy(learned: Sequence[str], intents: Sequence[str], test: Sequence[Utterance]) -> float:
    """Return how often naive Bayes on words and pairs of words, learned from texts, finds the right intent.

    It only counts, so that a label that is often wrong costs it little: on rewritten utterances it does better than a
    logistic regression.
    """
    names = sorted(set(intents))
    seen = [_features(text) for text in learned]
    places = {feature: place for place, feature in enumerate(sorted(set().union(*seen)))}
    counts = np.ones((len(names), max(1, len(places))))
    for features, intent in zip(seen, intents, strict=True):
        counts[names.index(intent), [places[feature] for feature in features]] += 1
    surprise = np.log(counts / counts.sum(axis=1, keepdims=True))
    often = np.log([list(intents).count(name) for name in names])
    right = 0
    for each in test:
        known = [places[feature] for feature in _features(each.text) if feature in places]
        right += names[int(np.argmax(surprise[:, known].sum(axis=1) + often))] == each.intent
    return right / len(test)


def _features(text: str) -> set[str]:
    words = text.split()
    return {*words, *map(" ".join, pairwise(words))}
