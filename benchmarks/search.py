"""Exact nearest-word search, and the neighbour graph, against the float32 matrix product alone, in one run.

    python benchmarks/search.py [--words 100000] [--queries 8192] [--repeats 5] [--graph 16384]

The ceiling computes the same blocks of products on the same number of threads and looks at none of them. The graph
needs each product of two words once, so that it may pass the ceiling, which is that of the whole matrix.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from textveil.compiled import over_threads, thread_count
from textveil.vocabulary import search
from textveil.vocabulary.neighbours import nearest_neighbours


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def products_only(points: np.ndarray, queries: np.ndarray) -> None:
    def work(start: int) -> None:
        block = queries[start : start + search._QUERIES]
        scores = np.empty((search._WORDS, len(block)), dtype=np.float32)
        for tile in search._tiles(len(points)):
            np.dot(points[tile], block.T, out=scores[: tile.stop - tile.start])

    list(over_threads(work, range(0, len(queries), search._QUERIES)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=8192)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[50, 100, 300])
    parser.add_argument("--noise", type=float, default=3.0)
    parser.add_argument("--graph", type=int, default=16_384)
    asked = parser.parse_args()
    print(f"{asked.words:,} words, {asked.queries:,} noisy words as queries, {thread_count()} threads")
    print(f"{'d':>5} {'ceiling GFLOP/s':>16} {'search GFLOP/s':>15} {'ratio':>6} {'in doubt':>9}")
    generator = np.random.default_rng(0)
    for dimension in asked.dimensions:
        points = np.rint(generator.standard_normal((asked.words, dimension)) * 2**20) / 2**20
        points = points.astype(np.float32)
        chosen = generator.integers(0, asked.words, asked.queries)
        noise = generator.standard_normal((asked.queries, dimension), dtype=np.float32)
        queries = points[chosen] + asked.noise * noise
        index = search.NearestPoint(points)
        answers = np.empty(asked.queries, dtype=np.int64)
        doubtful = index._scan(queries, np.arange(asked.queries), np.float32, answers)
        pairs = [
            (seconds(lambda: products_only(points, queries)), seconds(lambda: index.nearest(queries)))  # noqa: B023
            for _ in range(asked.repeats)
        ]
        work = 2e-9 * asked.words * asked.queries * dimension
        ratio = statistics.median(ceiling / ours for ceiling, ours in pairs)
        ceiling, ours = (work / statistics.median(column) for column in zip(*pairs, strict=True))
        share = len(doubtful) / asked.queries
        print(f"{dimension:>5} {ceiling:>16.0f} {ours:>15.0f} {ratio:>6.2f} {share:>9.3%}")
    points = points[: asked.graph]
    nearest_neighbours(points[:2048], 20)
    pairs = [
        (seconds(lambda: products_only(points, points)), seconds(lambda: nearest_neighbours(points, 20)))
        for _ in range(asked.repeats)
    ]
    ratio = statistics.median(ours / ceiling for ceiling, ours in pairs)
    print(f"20 neighbours of each of {len(points):,} words, d = {dimension}: {ratio:.2f} of the time of the products")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, table included")


if __name__ == "__main__":
    main()
