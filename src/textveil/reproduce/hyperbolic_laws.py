"""The words and the laws that the hyperbolic paper's texts are rewritten with.

Its vocabulary came from WebIsADb, which can't be had; Hearst patterns (Roller et al. 2018) stand for it, filtered and
trained by the same recipe. A law takes numbers of words and a source, and returns numbers of words.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.cache import cache_folder
from textveil.durable import write_whole
from textveil.hashing import Packed
from textveil.learn.hierarchies import read_hierarchy
from textveil.learn.poincare import Recipe, train
from textveil.measure.tasks.tables import rows_of
from textveil.mechanisms.exponential import Exponential
from textveil.noise.hyperbolic_published import metropolis_noise
from textveil.noise.transforms import uniforms
from textveil.randomness import RandomSource
from textveil.receipts import digest_of
from textveil.reproduce.repeats import folder_digest, public_source
from textveil.text.assembly import AS_IT_IS, Assembly, Case
from textveil.text.protection import STOP_WORDS, Protection
from textveil.text.scanning import Lookup, scan
from textveil.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Law = Callable[[Ids, RandomSource], Ids]
Mask = NDArray[np.bool_]

# How texts are written.
ORIGINAL, NO_NOISE, PUBLISHED, EXPONENTIAL, ANY_WORD = "original", "no noise", "published", "Exponential", "any word"
# The control: original texts, with nothing to be learnt of them.
SHUFFLED = "original, labels shuffled"

# Measured here, so not called published. The paper does not name the covariance of its chain's proposals.
_SHOWN = {PUBLISHED: "paper's mechanism, identity proposals"}
IDLE = (
    "With proposals of the identity covariance the chain never moves at epsilon 8 in 100 dimensions ([Claim 8]"
    "(mechanisms/hyperbolic.md)), so that every word stays as without noise."
)

PAPER_TABLES, _PAPER = "reference/paper_tables.tsv.gz", "2-hyperbolic"
HEARST = "hyper/hearst_counts.tsv.xz"
GLOVE = "vectors/glove.6B.300d.80k_plus_tasks.words.txt.gz"
# The paper's dimension and filters, but for pairs seen twice instead of ten times: there are far fewer texts behind
# them. Its 126,000 pairs become 99,663.
RECIPE = Recipe(dimension=100, epochs=150)
LEAST_SEEN, LEAST_LINKS = 2, 3
STEPS, DRAWS = 600, 8
# Where one part of a table is enough: epsilons that Tables III and VI have in common.
QUICK_EPSILONS = (1.0, 8.0)
# Norm at which points outside the ball are put: inside, where the paper prints outside.
_INSIDE = 1 - 1e-4
_AT_ONCE = 2048


def shown_as(way: str) -> str:
    """Return how a way of writing is called in tables."""
    return _SHOWN.get(way, way)


def keys_of(
    names: Sequence[str], ways: Mapping[str, Sequence[float | None]], *, quick: bool
) -> list[tuple[str, str, float | None]]:
    """Return the cells of a table: each name, way of writing and epsilon, but for some epsilons if it must be quick."""
    return [
        (name, way, epsilon)
        for name in names
        for way in ways
        for epsilon in ways[way]
        if not quick or epsilon in (None, *QUICK_EPSILONS)
    ]


def shared_draws() -> str:
    """Say what intervals over runs leave out."""
    return (
        f"Of the paper's mechanism {DRAWS} draws of the noise at each epsilon serve all words, texts and runs, and "
        "Tables III and VI alike; the intervals are over runs and leave out what other draws would change."
    )


def hearst_words(folder: Path, *, recipe: Recipe = RECIPE) -> Vocabulary:
    """Return the words of Hearst patterns that GloVe has as points of the ball, trained once and then kept.

    Parameters
    ----------
    folder : that of the data
    recipe : of the training; with one thread, so that anyone gets the same points but for their last bits
    """
    name = digest_of([folder_digest(folder, (HEARST, GLOVE)), repr(recipe), LEAST_SEEN, LEAST_LINKS])[:32]
    kept = cache_folder() / "hearst" / f"{name}.npz"
    if kept.is_file():
        return Vocabulary.load(kept)
    with gzip.open(folder / GLOVE, "rt", encoding="utf-8", newline="\n") as file:
        common = frozenset(line.rstrip("\n") for line in file)
    hierarchy = read_hierarchy(
        folder / HEARST,
        cycles=True,
        minimum_count=LEAST_SEEN,
        minimum_links=LEAST_LINKS,
        within=common,
        without=STOP_WORDS,
    )
    kept.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = kept.with_suffix(".checkpoint")
    points = train(hierarchy.relations, recipe, threads=1, checkpoint=checkpoint, every=recipe.epochs)
    vocabulary = hierarchy.vocabulary(points)
    vocabulary.save(kept)
    checkpoint.unlink(missing_ok=True)
    return vocabulary


def tabled(outputs: Ids) -> Law:
    """Return the law by which a word becomes one of the words in its row of a table, each as likely."""

    def law(ids: Ids, source: RandomSource) -> Ids:
        places = uniforms(source.streams(b"place in the table", ids).words(1))[:, 0] * outputs.shape[1]
        drawn: Ids = outputs[ids, places.astype(np.int64)]
        return drawn

    return law


def unchanged(vocabulary: Vocabulary) -> Law:
    """Return the law without noise: only words outside the vocabulary change."""
    return tabled(np.arange(len(vocabulary))[:, None])


def any_word(vocabulary: Vocabulary) -> Law:
    """Return the paper's floor: every word of the vocabulary is as likely, whatever the word was."""
    return tabled(np.broadcast_to(np.arange(len(vocabulary)), (len(vocabulary),) * 2))


def exponential(vocabulary: Vocabulary, epsilon: float) -> Law:
    """Return the law of `Exponential`, which is proved at every epsilon."""
    mechanism = Exponential(vocabulary, epsilon=epsilon, calibrated=True)
    return lambda ids, source: mechanism.release_ids(ids, source=source)


def published(vocabulary: Vocabulary, epsilon: float, source: RandomSource) -> Law:
    """Return the published mechanism's law, by the words nearest to `DRAWS` draws of its noise around each word.

    The noise does not depend on the word, so the same draws serve all words. Its chain takes 600 steps a draw, too
    many to walk for every word of a novel.
    """
    noise = metropolis_noise(source.streams(b"chain", np.arange(DRAWS)), vocabulary.dimension, epsilon, STEPS)
    if not noise.any():
        return unchanged(vocabulary)
    kept = cache_folder() / "hearst" / f"{digest_of([vocabulary.digest, noise.tobytes().hex()])[:32]}.npy"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, _as_file(words_around(vocabulary, np.arange(len(vocabulary)), noise)))
    return tabled(np.load(kept).astype(np.int64))


def words_around(vocabulary: Vocabulary, ids: Ids, noise: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the words nearest to each of some words when each noise is added to it."""
    outputs = np.empty((len(ids), len(noise)), dtype=np.int32)
    height = max(1, _AT_ONCE // len(noise))
    for first in range(0, len(ids), height):
        part = vocabulary.points[ids[first : first + height]].astype(np.float64)
        moved = (part[:, None] + noise).reshape(-1, vocabulary.dimension)
        norms = np.linalg.norm(moved, axis=1, keepdims=True)
        inside = moved * np.where(norms >= 1, _INSIDE / np.maximum(norms, 1), 1.0)
        outputs[first : first + height] = nearest_in_ball(vocabulary, inside).reshape(-1, len(noise))
    return outputs


def _as_file(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def nearest_in_ball(vocabulary: Vocabulary, points: NDArray[np.float64]) -> Ids:
    """Return the word nearest to each point: the least |x - y|^2 / (1 - |y|^2) over words y.

    One product of matrices: `Vocabulary.nearest` keeps more digits and takes ten times as long.
    """
    words = vocabulary.block(0, len(vocabulary))
    squares = np.einsum("ij,ij->i", words, words)
    products = points @ (words / (1 - squares)[:, None]).T
    lengths = np.einsum("ij,ij->i", points, points)
    return np.asarray(np.argmin(np.outer(lengths, 1 / (1 - squares)) + squares / (1 - squares) - 2 * products, axis=1))


class Texts:
    """Texts whose words are found once, to be rewritten by many laws.

    Parameters
    ----------
    texts : public, or in the place of private ones
    vocabulary : of the laws; words outside it enter as its unknown word
    protect : which words are rewritten; by default all but stop words
    """

    def __init__(self, texts: Sequence[str], vocabulary: Vocabulary, protect: Protection | None = None) -> None:
        lookup = Lookup(vocabulary)
        self._packed = Packed.of([text.encode() for text in texts])
        self._words = scan(self._packed, lookup)
        self._mask = protect.mask(self._packed.data, self._words, lookup) if protect else not_stop_words(self._packed)
        self._assembly = Assembly(vocabulary, case=Case.LOWER, unknown_text=None)

    @property
    def share(self) -> float:
        """How many of the words are rewritten."""
        return float(self._mask.mean())

    def rewritten(self, law: Law, source: RandomSource) -> list[str]:
        """Return the texts with each protected word replaced by what the law draws."""
        ids = np.full(len(self._words), AS_IT_IS, dtype=np.int64)
        ids[self._mask] = law(self._words.ids[self._mask], source)
        data, offsets = self._assembly.put(self._packed.data, self._words, ids, self._packed.offsets)
        whole = data.tobytes()
        bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        return [whole[start:end].decode() for start, end in bounds]


def not_stop_words(texts: Packed) -> Mask:
    """Return which words of texts are not stop words, whether a vocabulary has them or not."""
    stop_words = Vocabulary([*STOP_WORDS, "unk"], np.arange(len(STOP_WORDS) + 1.0)[:, None])
    return np.asarray(scan(texts, Lookup(stop_words)).ids == stop_words.unknown_id)


class Ways:
    """The laws, each made when it is first needed."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._made: dict[tuple[str, float | None], Law] = {}

    def law(self, way: str, epsilon: float | None) -> Law:
        """Return the law of a way of writing at an epsilon."""
        if (way, epsilon) not in self._made:
            self._made[way, epsilon] = self._make(way, epsilon)
        return self._made[way, epsilon]

    def _make(self, way: str, epsilon: float | None) -> Law:
        if epsilon is None:
            return unchanged(self.vocabulary) if way == NO_NOISE else any_word(self.vocabulary)
        if way == EXPONENTIAL:
            return exponential(self.vocabulary, epsilon)
        return published(self.vocabulary, epsilon, public_source("published chain", epsilon))


def paper_cells(folder: Path, table: str) -> dict[tuple[str, str], str]:
    """Return the cells of a table of the paper, by their row and column, from reference/paper_tables.tsv.gz."""
    columns = ("paper", "table", "row", "column", "value")
    rows = rows_of(folder, PAPER_TABLES, *columns)
    return {(row, column): value for paper, name, row, column, value in rows if (paper, name) == (_PAPER, table)}
