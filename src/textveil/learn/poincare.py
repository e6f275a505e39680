"""Poincaré embeddings (Nickel and Kiela, 2017): a hierarchy in hyperbolic space, distances showing who lies above whom.

Riemannian stochastic gradient descent with negative sampling, on several threads, resumable. Recipe and results:
docs/learning.md.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import thread_count
from textveil.errors import InvalidInputError, require_count, require_positive, require_probability
from textveil.learn import poincare_kernel as kernel
from textveil.learn.checkpoints import Checkpoint, interrupted_between_epochs
from textveil.learn.reconstruction import Reconstruction, reconstruction
from textveil.learn.relations import Ids, Relations
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.spaces.poincare import MOST_DIMENSIONS

Points = NDArray[np.float64]

_START_WIDTH = 1e-3
_TABLE_SIZE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to train. The defaults are for the nouns of WordNet; small hierarchies need fewer negatives.

    Parameters
    ----------
    dimension
        Of the ball.
    epochs
        Passes over all nodes.
    negatives
        Drawn per node and pass, shared by its pairs.
    rate
        The learning rate; it is held for `hold` of the epochs and then falls to a hundredth in a straight line.
    burn_in, burn_in_rate, burn_in_negatives
        The first share of the epochs, in which the upper nodes find their directions; its rate and negatives.
    degree_power
        Negatives are drawn proportionally to (1 + nodes below)^power; `burn_in_power` during burn-in.
    kin, kin_from
        In the epochs after this share of them, this share of the negatives are relatives of the node: other nodes
        below one of its ancestors or below itself. They are the ones that are hardest to tell from ancestors.
    seed
        Of everything random; with one thread the same seed gives the same points.
    """

    dimension: int = 10
    epochs: int = 600
    negatives: int = 50
    rate: float = 0.1
    hold: float = 0.3
    burn_in: float = 0.167
    burn_in_rate: float = 0.015
    burn_in_negatives: int = 10
    burn_in_power: float = 0.75
    degree_power: float = 0.6
    kin: float = 0.5
    kin_from: float = 0.7
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("dimension", "epochs", "negatives", "burn_in_negatives"):
            require_count(name, getattr(self, name))
        require_count("seed", self.seed, least=0)
        for name in ("rate", "burn_in_rate"):
            require_positive(name, getattr(self, name))
        for name in ("hold", "burn_in", "kin", "kin_from"):
            require_probability(name, getattr(self, name))
        if self.dimension > MOST_DIMENSIONS:
            raise InvalidInputError(f"dimension must be at most {MOST_DIMENSIONS} (got {self.dimension})")

    def is_early(self, epoch: int) -> bool:
        """Whether an epoch, counted from 0, belongs to the burn-in."""
        return epoch < round(self.burn_in * self.epochs)

    def rate_of(self, epoch: int) -> float:
        """Return the learning rate of an epoch."""
        if self.is_early(epoch):
            return self.burn_in_rate
        left = min(1.0, (1 - epoch / self.epochs) / (1 - self.hold))
        return self.rate * (0.01 + 0.99 * left)

    def kin_of(self, epoch: int) -> int:
        """Return how many negatives of an epoch are relatives."""
        late = not self.is_early(epoch) and epoch >= self.kin_from * self.epochs
        return int(self.negatives * self.kin) if late else 0


@dataclass(frozen=True)
class Moment:
    """One point of the curve: where training stands after some epochs and seconds of training."""

    epoch: int
    seconds: float
    loss: float
    quality: Reconstruction

    def __str__(self) -> str:
        return f"epoch {self.epoch}, {self.seconds:.0f} s: loss {self.loss:.4f}, {self.quality}"


def train(
    relations: Relations,
    recipe: Recipe | None = None,
    *,
    threads: int | None = None,
    checkpoint: Path | None = None,
    every: int = 50,
    sample: int = 1000,
    report: Callable[[Moment], None] = lambda moment: None,
) -> Points:
    """Train points of the Poincaré ball, one row a name of the relations.

    With one thread the result is the same every time on the same machine. Several threads share the points without
    locks, so that their result differs a little from run to run.

    Parameters
    ----------
    relations
        Public.
    recipe
        How.
    threads
        By default all cores.
    checkpoint
        A file in which the training is kept every minute and when it is interrupted, and from which it goes on if the
        file exists. It is left at the end, to be deleted once the result is saved.
    every, sample, report
        After each `every` epochs and after the last, `report` is called with the quality on `sample` nodes.
    """
    chosen = recipe or Recipe()
    require_count("every", every)
    require_count("sample", sample)
    count = thread_count() if threads is None else require_count("threads", threads)
    kept = Checkpoint(checkpoint, _digest(relations, chosen))
    points, first, seconds = kept.restored() or (starting_points(len(relations.names), chosen), 0, 0.0)
    trainer = Trainer(relations, chosen, points, count)
    try:
        with (
            interrupted_between_epochs() as stop_if_asked,
            ThreadPoolExecutor(count) as pool,
            progress("training", chosen.epochs - first) as step,
        ):
            for epoch in range(first, chosen.epochs):
                started = time.perf_counter()
                loss = trainer.epoch(epoch, pool)
                seconds += time.perf_counter() - started
                done = epoch + 1
                if done % every == 0 or done == chosen.epochs:
                    quality = reconstruction(trainer.inside, relations, sample=sample, threads=count)
                    report(Moment(done, seconds, loss, quality))
                step(1, f"epoch {done}, loss {loss:.4f}")
                kept.keep(points, done, seconds, last=done == chosen.epochs)
                stop_if_asked()
    except KeyboardInterrupt:
        raise kept.interrupted() from None
    return trainer.inside.copy()


class Trainer:
    """What stays the same from epoch to epoch."""

    def __init__(self, relations: Relations, recipe: Recipe, points: Points, threads: int) -> None:
        self._relations, self._recipe, self._points, self._threads = relations, recipe, points, threads
        degrees = 1.0 + np.diff(relations.below[0])
        self._early, self._late = (_table(degrees**power) for power in (recipe.burn_in_power, recipe.degree_power))
        self._lanes = (0.0,) * points.shape[1]

    @property
    def inside(self) -> Points:
        """The points without their padding."""
        return self._points[:, : self._recipe.dimension]

    def epoch(self, epoch: int, pool: ThreadPoolExecutor) -> float:
        """Make one pass over all nodes, and return the mean loss of a pair."""
        recipe, relations = self._recipe, self._relations
        seeds = _seeds(recipe.seed, epoch, 1 + self._threads)
        order = np.arange(len(relations.names))
        kernel.shuffle(order, seeds[:1].copy())
        gaps = 1 - np.einsum("ij,ij->i", self._points, self._points)
        early = recipe.is_early(epoch)

        def work(nodes: Ids, seed: np.uint64) -> float:
            return float(
                kernel.train_nodes(
                    *(self._points, gaps, nodes, relations.offsets, relations.above, *relations.below),
                    self._early if early else self._late,
                    recipe.burn_in_negatives if early else recipe.negatives,
                    recipe.kin_of(epoch),
                    recipe.rate_of(epoch),
                    seed,
                    self._lanes,
                )
            )

        losses = pool.map(work, np.array_split(order, self._threads), seeds[1:])
        return sum(losses) / len(relations)


def starting_points(count: int, recipe: Recipe) -> Points:
    """Return points near the origin, their rows padded with zeros to whole vector registers."""
    width = -(-recipe.dimension // kernel.LANES) * kernel.LANES
    points = np.zeros((count, width))
    kernel.scatter(points, recipe.dimension, _START_WIDTH, _seeds(recipe.seed, recipe.epochs, 1))
    return points


def _table(weights: Points) -> Ids:
    """Ids repeated in proportion to their weights, so that a uniform place in the table draws one by weight."""
    steps = (np.arange(max(_TABLE_SIZE, 4 * len(weights))) + 0.5) / max(_TABLE_SIZE, 4 * len(weights))
    return np.searchsorted(np.cumsum(weights) / weights.sum(), steps)


def _seeds(seed: int, epoch: int, count: int) -> NDArray[np.uint64]:
    """Seeds of one epoch, never zero; the same for a resumed run. They are public and protect nothing."""
    source = RandomSource.keyed(hashlib.sha256(b"textveil poincare %d" % seed).digest(), epoch)
    words = source.streams(b"training", np.zeros(1, dtype=np.int64)).words(count)[0]
    seeds: NDArray[np.uint64] = words | np.uint64(1)
    return seeds


def _digest(relations: Relations, recipe: Recipe) -> str:
    return hashlib.sha256(f"{relations.digest} {sorted(asdict(recipe).items())}".encode()).hexdigest()
