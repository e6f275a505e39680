"""Train a recoder (paper 4, section 4.3): sentence vectors are moved so that clusters of documents are kept and spread.

Public documents are clustered by the mean of their sentences' vectors. A perceptron recodes the sentences, and a linear
head must tell a document's cluster from the mean of what comes out; the head is then thrown away. Needs torch; what is
trained does not. What differs from the paper: docs/recoding.md.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.encoders.recoder import Recoder
from textveil.errors import InvalidInputError, MissingDependencyError, require_count, require_positive
from textveil.learn.checkpoints import Checkpoint
from textveil.learn.clusters import cluster
from textveil.mechanisms.documents import sums
from textveil.noise.transforms import normals
from textveil.progress import progress
from textveil.randomness import RandomSource, Streams

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Every tenth document is kept aside to measure on.
_ASIDE = 10
_BETAS, _TINY = (0.9, 0.999), 1e-8


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to train.

    Parameters
    ----------
    clusters : of documents
    layers, hidden : of the perceptron, and the numbers in between; by default as many as a vector has
    dimension : of a recoded vector; by default that of the encoder
    epochs : passes over all documents
    batch : documents of one step
    rate : the learning rate of Adam; it falls to a hundredth in a straight line
    sharpness : the head sees the mean of the unit vectors times this
    seed : of everything random
    """

    clusters: int = 50
    layers: int = 4
    hidden: int | None = None
    dimension: int | None = None
    epochs: int = 8
    batch: int = 64
    rate: float = 1e-3
    sharpness: float = 10.0
    seed: int = 0

    def __post_init__(self) -> None:
        require_count("clusters", self.clusters, least=2)
        for name in ("layers", "epochs", "batch"):
            require_count(name, getattr(self, name))
        for name in ("hidden", "dimension"):
            if getattr(self, name) is not None:
                require_count(name, getattr(self, name))
        require_positive("rate", self.rate)
        require_positive("sharpness", self.sharpness)
        require_count("seed", self.seed, least=0)

    def shapes(self, takes: int) -> list[tuple[int, ...]]:
        """Return the shapes of all weights: those of the layers, then the head's."""
        inner = [self.hidden or takes] * (self.layers - 1)
        sizes = [takes, *inner, self.dimension or takes, self.clusters]
        return [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]


@dataclass(frozen=True)
class Moment:
    """Where training stands: how many of the documents kept aside get their own cluster from the head."""

    epoch: int
    seconds: float
    loss: float
    right: float

    def __str__(self) -> str:
        return f"epoch {self.epoch}, {self.seconds:.0f} s: loss {self.loss:.4f}, {self.right:.1%} of clusters right"


def train(
    vectors: Floats,
    offsets: Ids,
    recipe: Recipe | None = None,
    *,
    encoder: str,
    checkpoint: Path | None = None,
    report: Callable[[Moment], None] = lambda moment: None,
) -> Recoder:
    """Train a recoder on public documents.

    The same seed gives the same recoder on the same machine with the same number of torch's threads.

    Parameters
    ----------
    vectors : of the sentences of all documents, one document after the other
    offsets : where each document begins, and the last ends; each has a sentence at least
    recipe : how
    encoder : the digest of the encoder that the vectors come from
    checkpoint : a file in which the training is kept every minute and when it is interrupted, and from which it goes on
        if the file exists. It is left at the end, to be deleted once the result is saved
    report : is called after each epoch
    """
    chosen = recipe or Recipe()
    trainer = Trainer(vectors, offsets, chosen)
    kept = Checkpoint(checkpoint, _digest(vectors, offsets, chosen, encoder))
    state, first, seconds = kept.restored() or (trainer.start(), 0, 0.0)
    try:
        with progress("training", chosen.epochs - first) as step:
            for epoch in range(first, chosen.epochs):
                started = time.perf_counter()
                loss = trainer.epoch(state, epoch)
                seconds += time.perf_counter() - started
                report(Moment(epoch + 1, seconds, loss, trainer.right(state)))
                step(1, f"epoch {epoch + 1}, loss {loss:.4f}")
                kept.keep(state, epoch + 1, seconds, last=epoch + 1 == chosen.epochs)
    except KeyboardInterrupt:
        raise kept.interrupted() from None
    weights = trainer.weights(state[0])[:-2]
    return Recoder(weights[::2], weights[1::2], encoder)


class Trainer:
    """The documents with their clusters, and steps of Adam on a state: weights, and two means of their gradients."""

    def __init__(self, vectors: Floats, offsets: Ids, recipe: Recipe) -> None:
        self._torch, self._recipe = _torch(), recipe
        if len(vectors) == 0 or (np.diff(offsets) < 1).any():
            raise InvalidInputError("there must be documents, each with a sentence at least; leave empty ones out")
        self._vectors, self._offsets = vectors.astype(np.float32), offsets
        self._shapes = recipe.shapes(vectors.shape[1])
        means = sums(vectors, offsets) / np.diff(offsets)[:, None]
        self._labels = cluster(means, recipe.clusters, seed=recipe.seed).labels
        documents = np.arange(len(offsets) - 1)
        self._seen, self._aside = documents[documents % _ASIDE > 0], documents[::_ASIDE]

    def start(self) -> Floats:
        """Return normal weights of deviation sqrt(2 / numbers in), offsets of 0, and no gradients yet."""
        parts = [np.zeros(shape) for shape in self._shapes]
        for number, part in enumerate(parts):
            if part.ndim == 2:
                drawn = normals(self._streams("weights", number, len(part)), part.shape[1])
                part[:] = drawn * np.sqrt(2 / len(part))
        flat = np.concatenate([part.ravel() for part in parts])
        return np.stack([flat, np.zeros_like(flat), np.zeros_like(flat)])

    def weights(self, flat: Any) -> list[Any]:
        """Return the parts of all weights that lie one after the other."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes]).tolist()
        starts = [0, *ends[:-1]]
        return [flat[a:b].reshape(shape) for a, b, shape in zip(starts, ends, self._shapes, strict=True)]

    def epoch(self, state: Floats, epoch: int) -> float:
        """Make one pass over the documents, change the state, and return the mean loss of a document."""
        torch, recipe = self._torch, self._recipe
        keys = self._streams("order", epoch, 1).words(len(self._seen))[0]
        order = self._seen[np.argsort(keys, kind="stable")]
        batches = np.array_split(order, -(-len(order) // recipe.batch))
        flat, first, second = (torch.tensor(row, dtype=torch.float32) for row in state)
        total = 0.0
        for number, documents in enumerate(batches):
            flat.requires_grad_(True)
            loss = torch.nn.functional.cross_entropy(self._scores(flat, documents), self._targets(documents))
            (slope,) = torch.autograd.grad(loss, flat)
            done = epoch + number / len(batches)
            steps = epoch * len(batches) + number + 1
            with torch.no_grad():
                first.lerp_(slope, 1 - _BETAS[0])
                second.lerp_(slope * slope, 1 - _BETAS[1])
                size = (second / (1 - _BETAS[1] ** steps)).sqrt() + _TINY
                rate = recipe.rate * (1 - 0.99 * done / recipe.epochs) / (1 - _BETAS[0] ** steps)
                flat = flat - rate * first / size
            total += float(loss.detach()) * len(documents)
        state[:] = [row.numpy() for row in (flat, first, second)]
        return total / len(self._seen)

    def right(self, state: Floats) -> float:
        """Return the share of the documents kept aside whose cluster the head tells."""
        flat = self._torch.tensor(state[0], dtype=self._torch.float32)
        guessed = self._scores(flat, self._aside).argmax(dim=1)
        return float((guessed == self._targets(self._aside)).float().mean())

    def _scores(self, flat: Any, documents: Ids) -> Any:
        """Return what the head says to each cluster for some documents."""
        torch, functional = self._torch, self._torch.nn.functional
        counts = np.diff(self._offsets)[documents]
        owners = np.repeat(np.arange(len(documents)), counts)
        rows = np.arange(len(owners)) + np.repeat(self._offsets[documents] - (np.cumsum(counts) - counts), counts)
        *layers, head, head_offset = self.weights(flat)
        numbers = torch.from_numpy(self._vectors[rows])
        for matrix, offset in zip(layers[:-2:2], layers[1:-2:2], strict=True):
            numbers = torch.relu(torch.addmm(offset, numbers, matrix))
        units = functional.normalize(torch.addmm(layers[-1], numbers, layers[-2]), dim=1)
        totals = torch.zeros(len(documents), units.shape[1]).index_add(0, torch.from_numpy(owners), units)
        means = totals / torch.from_numpy(counts)[:, None]
        return torch.addmm(head_offset, self._recipe.sharpness * means, head)

    def _targets(self, documents: Ids) -> Any:
        return self._torch.from_numpy(self._labels[documents])

    def _streams(self, what: str, number: int, count: int) -> Streams:
        """Streams of numbers that are public and the same for a resumed run."""
        source = RandomSource.keyed(hashlib.sha256(b"textveil recoder %d" % self._recipe.seed).digest())
        return source.streams(f"{what} {number}".encode(), np.arange(count))


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingDependencyError("training a recoder needs torch; run: pip install 'textveil[torch]'") from None
    return torch


def _digest(vectors: Floats, offsets: Ids, recipe: Recipe, encoder: str) -> str:
    content = hashlib.sha256(f"recoder {encoder} {sorted(asdict(recipe).items())}".encode())
    content.update(np.ascontiguousarray(vectors).tobytes() + offsets.astype("<i8").tobytes())
    return content.hexdigest()
