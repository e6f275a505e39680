"""An epoch of Poincaré embeddings against gensim's on the same pairs: python -m benchmarks.poincare [RELATIONS].

Without a file, on the closure of a random tree as large as WordNet's nouns. gensim is optional: pip install gensim.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.table import Table, median_seconds
from textveil.compiled import thread_count
from textveil.learn.hierarchies import read_hierarchy
from textveil.learn.poincare import Recipe, Trainer, starting_points
from textveil.learn.relations import Relations

NODES = 82_000
DIMENSION = 10
NEGATIVES = 10


def random_tree() -> Relations:
    """Each node hangs below a random earlier one: 82,000 nodes have about 850,000 pairs of closure."""
    rng = np.random.default_rng(0)
    return Relations.of_pairs([(str(node), str(rng.integers(node))) for node in range(1, NODES)])


def gensim_seconds(relations: Relations) -> float:
    from gensim.models.poincare import PoincareModel

    lower = np.repeat(np.arange(len(relations.names)), np.diff(relations.offsets))
    pairs = [(str(a), str(b)) for a, b in zip(lower, relations.above, strict=True)]
    model = PoincareModel(pairs, size=DIMENSION, negative=NEGATIVES, burn_in=0, seed=1)
    started = time.perf_counter()
    model.train(epochs=1)
    return time.perf_counter() - started


def our_seconds(relations: Relations, threads: int) -> float:
    recipe = Recipe(dimension=DIMENSION, negatives=NEGATIVES, burn_in=0)
    trainer = Trainer(relations, recipe, starting_points(len(relations.names), recipe), threads)
    return median_seconds(lambda: trainer.epoch(0), repeats=5)


def told(seconds: float, distances: int) -> str:
    return f"{seconds:.2f} s, {distances / seconds / 1e6:.2f} M distances/s"


def main() -> None:
    table = Table("Poincaré embeddings, one epoch")
    relations = read_hierarchy(Path(sys.argv[1])).relations if len(sys.argv) > 1 else random_tree()
    size = f"{len(relations):,} pairs, {NEGATIVES} negatives (ours: a node, gensim: a pair)"
    threads = thread_count()
    ours = our_seconds(relations, threads)
    shared = len(relations) + NEGATIVES * np.count_nonzero(np.diff(relations.offsets))
    table.row(f"textveil, {threads} threads", told(ours, shared), "1x", size)
    if threads > 1:
        alone = our_seconds(relations, 1)
        table.row("textveil, 1 thread", told(alone, shared), f"{threads} threads take {ours / alone:.2f}x", size)
    try:
        took, distances = gensim_seconds(relations), len(relations) * (1 + NEGATIVES)
        ratios = f"ours is {took / ours:.0f}x ({took / distances / (ours / shared):.0f}x a distance)"
        table.row("gensim", told(took, distances), ratios, size)
    except ImportError:
        table.row("gensim", "not installed", "", size)
    table.show()


if __name__ == "__main__":
    main()
