"""Documents of 20 Newsgroups and IMDB as vectors of their sentences, cut into train, validation and test.

As in the paper, headers are gone and documents have at least two sentences. The paper does not say which nine
categories it made of the twenty groups, so these are ours. To keep encoding short we take part of its documents, the
same in every run, and of each document the first sentences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.cache import cache_folder
from textveil.encoders import public_vectors
from textveil.encoders.encoder import Encoder
from textveil.mechanisms.documents import sums
from textveil.reproduce.sentdp.files import rows_of, unescaped
from textveil.text.sentences import sentences_in

Vectors = NDArray[Any]
Labels = NDArray[np.int64]

CATEGORIES = {
    "comp.": "computers",
    "misc.forsale": "for sale",
    "rec.autos": "vehicles",
    "rec.motorcycles": "vehicles",
    "rec.sport": "sports",
    "sci.crypt": "electronics",
    "sci.electronics": "electronics",
    "sci.med": "medicine",
    "sci.space": "space",
    "talk.politics": "politics",
    "alt.atheism": "religion",
    "soc.religion": "religion",
    "talk.religion": "religion",
}
LEAST_SENTENCES, MOST_SENTENCES = 2, 32


class Sizes(NamedTuple):
    """How many documents are taken."""

    train: int
    validation: int
    test: int


class Document(NamedTuple):
    """A class and the sentences."""

    label: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class Part:
    """Documents with their classes.

    Parameters
    ----------
    texts : the sentences of each document
    vectors : of all sentences, one document after the other
    offsets : where each document begins, and the last ends
    labels : numbers of the classes
    """

    texts: Sequence[Sequence[str]]
    vectors: Vectors
    offsets: NDArray[np.int64]
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Sentences of each document."""
        return np.diff(self.offsets)

    @property
    def documents(self) -> list[Vectors]:
        """The vectors of each document's sentences."""
        return np.split(self.vectors, self.offsets[1:-1])

    @property
    def means(self) -> Vectors:
        """The mean of each document's sentences: what stands for it without privacy."""
        return np.asarray(sums(self.vectors, self.offsets) / self.counts[:, None])

    def moved(self, vectors: NDArray[Any]) -> Part:
        """Return the same documents with other vectors for their sentences."""
        return replace(self, vectors=vectors)

    def first(self, count: int) -> Part:
        """Return the first documents only."""
        offsets = self.offsets[: count + 1]
        return Part(self.texts[:count], self.vectors[: offsets[-1]], offsets, self.labels[:count])


@dataclass(frozen=True)
class DataSet:
    """Public train and validation documents, and test documents that play the private ones."""

    name: str
    classes: Sequence[str]
    train: Part
    validation: Part
    test: Part


def newsgroups(folder: Path) -> list[Document]:
    """Return the training documents of 20 Newsgroups "by date", which is what the paper seems to have used."""
    found = []
    for split, group, body in rows_of(folder, "cls/newsgroups20.tsv.xz", "split", "group", "body"):
        if split == "train":
            label = next(category for prefix, category in CATEGORIES.items() if group.startswith(prefix))
            found.append(Document(label, sentences_in(unescaped(body))))
    return found


def imdb(folder: Path) -> list[Document]:
    """Return all reviews of IMDB."""
    names = {"0": "negative", "1": "positive"}
    return [
        Document(names[label], sentences_in(text.replace("<br />", "\n")))
        for label, text in rows_of(folder, "cls/imdb.tsv.xz", "label", "text")
    ]


def shuffled(documents: Sequence[Document]) -> list[Document]:
    """Return documents with enough sentences, each once, in an order that depends on their content alone."""
    named = {hashlib.sha256("\n".join(one.sentences).encode()).digest(): one for one in documents}
    kept = [(name, one) for name, one in sorted(named.items()) if len(one.sentences) >= LEAST_SENTENCES]
    return [Document(one.label, one.sentences[:MOST_SENTENCES]) for _, one in kept]


def encoded(name: str, documents: Sequence[Document], sizes: Sizes, encoder: Encoder) -> DataSet:
    """Return the first documents of a shuffled list as vectors, cut into parts.

    Parameters
    ----------
    name : of the data set
    documents : all of them
    sizes : of the parts; if there are too few documents, each part is smaller in proportion
    encoder : of the sentences. Vectors are kept on disk, since all of this is public
    """
    chosen = shuffled(documents)[: sum(sizes)]
    texts = [sentence for one in chosen for sentence in one.sentences]
    vectors = public_vectors(encoder, texts, cache=cache_folder() / "public-vectors").astype(np.float32)
    offsets = np.cumsum([0, *(len(one.sentences) for one in chosen)])
    classes, labels = np.unique([one.label for one in chosen], return_inverse=True)
    ends = np.cumsum([0, *sizes]) * len(chosen) // sum(sizes)

    def part(first: int, last: int) -> Part:
        return Part(
            [one.sentences for one in chosen[first:last]],
            vectors[offsets[first] : offsets[last]],
            offsets[first : last + 1] - offsets[first],
            labels[first:last].astype(np.int64),
        )

    return DataSet(name, classes.tolist(), *(part(first, last) for first, last in pairwise(ends.tolist())))
