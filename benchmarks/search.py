"""Exact nearest-word search, and the neighbour graph, against the float32 matrix product alone, in one run.

    python -m benchmarks search [--data FILE.npz ...] [--queries 8192] [--check 102000] [--repeats 5] [--faiss]

The ceiling computes all products on the same number of threads (TEXTVEIL_THREADS=1 for one) and looks at none of them:
in blocks that stay in the cache, with either factor first, or by one call, whichever is fastest for a shape. A FILE
holds an array `vectors`; without one, the words are GloVe's 50 dimensions and clusters that are made up. Queries are
words with l2-Laplace noise at three epsilons, so many a call, and for small tables more too, so that calls take longer.
Every answer to `--check` of them is compared with that of the float32 and float64 passes, which share nothing with the
codes, and some with a plain float64 matrix. The graph needs each product of two words once, so that it may pass the
ceiling, which is that of the whole matrix. The title says with which kernels OpenBLAS multiplies.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks.table import Table
from textveil.compiled import over_threads, thread_count
from textveil.vocabulary import Vocabulary, search
from textveil.vocabulary.neighbours import nearest_neighbours

EPSILONS = (5.0, 10.0, 20.0)
SHAPES = (
    (100, 8), (100, 50), (100, 300), (100, 768), (256, 50), (256, 300), (300, 300), (300, 768), (500, 50), (500, 300),
    (1_000, 8), (1_000, 16), (1_000, 50), (1_000, 300), (2_000, 8), (2_000, 50), (2_000, 300), (4_000, 50),
    (10_000, 16), (10_000, 50), (10_000, 768), (30_000, 50), (100_000, 24),
)  # fmt: skip
# Small work is repeated for so long: machines that others use too are quick and slow in turns.
SECONDS = 3
AWHILE = 0.05
# Tables of fewer numbers are asked so many times as much too.
SMALL, MORE = 1 << 14, 8
# Scores of so many words and all queries have room in memory.
MOST_AT_ONCE = 4_096
FAISS = (("HNSW32", {"efSearch": 128}), ("IVF1024,Flat", {"nprobe": 8}))


Product = Callable[[np.ndarray, np.ndarray], None]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_blocks(rows: int, words: int) -> Product:
    """All products of so many queries with so many points at a time, by each thread into memory of its own."""
    own = threading.local()

    def product(points: np.ndarray, queries: np.ndarray) -> None:
        def work(start: int) -> None:
            if not hasattr(own, "scores"):
                own.scores = np.empty(rows * words, dtype=np.float32)
            block = queries[start : start + rows]
            for first in range(0, len(points), words):
                tile = points[first : first + words]
                scores = own.scores[: len(block) * len(tile)].reshape(len(block), len(tile))
                np.dot(block, tile.T, out=scores)

        list(over_threads(work, range(0, len(queries), rows)))

    return product


def turned(points: np.ndarray, queries: np.ndarray) -> None:
    def work(start: int) -> None:
        block = queries[start : start + search._QUERIES]
        scores = np.empty((search._WORDS, len(block)), dtype=np.float32)
        for tile in search._tiles(len(points)):
            np.dot(points[tile], block.T, out=scores[: tile.stop - tile.start])

    list(over_threads(work, range(0, len(queries), search._QUERIES)))


def at_once() -> Product:
    """All products by one call, of the threads of BLAS, into memory that is there."""
    kept = np.empty(0, dtype=np.float32)

    def product(points: np.ndarray, queries: np.ndarray) -> None:
        nonlocal kept
        if kept.size < len(points) * len(queries):
            kept = np.empty(len(points) * len(queries), dtype=np.float32)
        np.dot(queries, points.T, out=kept[: len(points) * len(queries)].reshape(len(queries), len(points)))

    return product


def fastest_product(points: np.ndarray, queries: np.ndarray) -> Product:
    """The fastest of some ways to compute all products; the best depends on the shape and the processor."""
    ways = [turned, in_blocks(1024, 512), in_blocks(4096, 2048)]
    if len(points) <= MOST_AT_ONCE:
        ways.append(at_once())
    return min(ways, key=lambda way: often(lambda: way(points, queries)))


def often(work: Callable[[], object]) -> float:
    """The median seconds of what is repeated for a while, when it has been done twice."""
    taken: list[float] = []
    # The threads of BLAS go on turning for a while.
    time.sleep(0.1)
    work()
    work()
    while not taken or sum(taken) < AWHILE:
        taken.append(seconds(work))
    return statistics.median(taken)


def snapped(vectors: np.ndarray) -> np.ndarray:
    return (np.rint(vectors.astype(np.float64) * 2**20) / 2**20).astype(np.float32)


def made_up(count: int, dimension: int) -> np.ndarray:
    """Clusters of words with the norms of GloVe's."""
    generator = np.random.default_rng(dimension)
    centres = generator.standard_normal((count // 100 + 1, dimension))
    points = centres[generator.integers(len(centres), size=count)] + generator.standard_normal((count, dimension))
    points *= generator.gamma(20.0, 6 / 20, size=(count, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    return snapped(points)


def tables(files: list[Path]) -> Iterator[tuple[str, np.ndarray]]:
    for file in files:
        vectors = np.load(file)["vectors"]
        yield file.name.split(".f16")[0][:20], snapped(vectors)
    if not files:
        yield "GloVe", Vocabulary.default(100_000).points
        yield "made up", made_up(100_000, 100)
        yield "made up", made_up(100_000, 300)


def noisy(points: np.ndarray, epsilon: float, count: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    dimension = points.shape[1]
    noise = generator.standard_normal((count, dimension))
    noise *= generator.gamma(dimension, 1 / epsilon, size=(count, 1)) / np.linalg.norm(noise, axis=1, keepdims=True)
    return points[generator.integers(len(points), size=count)] + noise


def without_codes(points: np.ndarray) -> search.NearestPoint:
    index = search.NearestPoint(points)
    index._asked = -(2**62)
    return index


def wrong_answers(points: np.ndarray, index: search.NearestPoint, epsilon: float, count: int) -> int:
    queries = noisy(points, epsilon, count, seed=1)
    answers = index.nearest(queries)
    wrong = int((answers != without_codes(points).nearest(queries)).sum())
    few = queries[:256]
    scores = few @ points.T.astype(np.float64) - search.half_norms(points)
    return wrong + int((answers[:256] != scores.argmax(axis=1)).sum())


def timed(points: np.ndarray, index: search.NearestPoint, queries: np.ndarray, repeats: int) -> tuple[float, float]:
    """The median seconds of the search, and of the products alone over that; small work is repeated for a while."""
    singles = queries.astype(np.float32)
    product = fastest_product(points, singles)
    pairs: list[tuple[float, float]] = []
    end = time.monotonic() + SECONDS
    while len(pairs) < repeats or time.monotonic() < end:
        pairs.append((often(lambda: product(points, singles)), often(lambda: index.nearest(queries))))
    return statistics.median(own for _, own in pairs), statistics.median(limit / own for limit, own in pairs)


def shown(
    table: Table, name: str, points: np.ndarray, epsilon: float, *, count: int, repeats: int, check: int = 0
) -> None:
    index = search.NearestPoint(points)
    own, ratio = timed(points, index, noisy(points, epsilon, count, seed=2), repeats)
    size = f"{len(points):,} x {points.shape[1]}, {count:,} queries"
    right = f", {check:,} answers, {wrong_answers(points, index, epsilon, check)} wrong" if check else ""
    rate = f"{count / own / thread_count():,.0f} words/s a core"
    table.row(f"{name}, epsilon {epsilon:g}", rate, f"{ratio:.2f} of float32 products", size + right)


def faiss_rows(table: Table, name: str, points: np.ndarray, queries: np.ndarray) -> None:
    try:
        from textveil.vocabulary.approximate import ApproximateNearest

        vocabulary = Vocabulary([str(n) for n in range(len(points))], points, unknown="0")
        for kind, settings in FAISS:
            index = ApproximateNearest(vocabulary, kind, **settings)
            vocabulary.nearest(queries)
            ratio = seconds(lambda: vocabulary.nearest(queries)) / seconds(lambda: index.nearest(queries))  # noqa: B023
            right = f"{index.agreement(queries):.1%} right"
            table.row(f"faiss {kind} {settings}", right, f"{ratio:.2f} of our speed", f"{name}, epsilon 10")
    except ImportError:
        table.row("faiss", "not installed", "", "")


def graph_row(table: Table, points: np.ndarray, repeats: int) -> None:
    nearest_neighbours(points[:2048], 20)
    product = fastest_product(points, points)
    pairs = [
        (seconds(lambda: product(points, points)), seconds(lambda: nearest_neighbours(points, 20)))
        for _ in range(repeats)
    ]
    ratio = statistics.median(limit / ours for limit, ours in pairs)
    own = statistics.median(ours for _, ours in pairs)
    table.row("20 neighbours of each word", f"{own:.2f} s", f"{ratio:.2f}", f"{len(points):,} x {points.shape[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="*", default=[])
    parser.add_argument("--queries", type=int, default=8192)
    parser.add_argument("--check", type=int, default=102_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--graph", type=int, default=16_384)
    parser.add_argument("--faiss", action="store_true")
    asked = parser.parse_args()
    threadpool_limits(thread_count())
    kernels = {library["architecture"] for library in threadpool_info() if "architecture" in library}
    table = Table(
        f"Exact search, {thread_count()} threads; the ratio is to float32 products nobody looks at, "
        f"by BLAS for {' and '.join(sorted(kernels))}"
    )
    for name, points in tables(asked.data):
        for epsilon in EPSILONS:
            check = asked.check // len(EPSILONS)
            shown(table, name, points, epsilon, count=asked.queries, repeats=asked.repeats, check=check)
        if asked.faiss:
            faiss_rows(table, name, points, noisy(points, 10.0, 4096, seed=3))
    for shape in SHAPES:
        few = made_up(*shape)
        for more in (1, MORE) if few.size < SMALL else (1,):
            shown(table, "made up", few, 10.0, count=more * asked.queries, repeats=asked.repeats)
    graph_row(table, points[: asked.graph], asked.repeats)
    table.show()
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, tables included")


if __name__ == "__main__":
    main()
