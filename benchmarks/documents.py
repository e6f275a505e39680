"""How fast are documents released? Ours over plain NumPy in one run, CPU time: python -m benchmarks documents."""

from __future__ import annotations

import os

import numpy as np
from threadpoolctl import threadpool_limits

import textveil as tv
from benchmarks.table import Table, core_seconds

CANDIDATES, DIMENSION, SENTENCES, PROJECTIONS = 5000, 384, 8, 50


def numpy_choice(
    places: np.ndarray, directions: np.ndarray, document: np.ndarray, epsilon: float, rng: np.random.Generator
) -> int:
    """Depth by broadcasting and the exponential mechanism by Gumbel noise: what a paper's code does."""
    projected = document @ directions.T
    above = (projected[:, None] >= places[None]).sum(axis=0)
    below = (projected[:, None] <= places[None]).sum(axis=0)
    depth = np.minimum(above, below).min(axis=1)
    return int(np.argmax(epsilon / 2 * depth + rng.gumbel(size=len(depth))))


def public_documents(rng: np.random.Generator, count: int) -> tuple[np.ndarray, list[np.ndarray]]:
    topics = rng.normal(size=(20, DIMENSION)) / 20
    candidates = np.repeat(topics, CANDIDATES // 20, axis=0) + rng.normal(size=(CANDIDATES, DIMENSION)) / 60
    shape = (SENTENCES, DIMENSION)
    return candidates, [(topics[i % 20] + rng.normal(size=shape) / 20).astype(np.float32) for i in range(count)]


def deep_candidate(table: Table) -> None:
    rng = np.random.default_rng(0)
    vectors, documents = public_documents(rng, 1024)
    mechanism = tv.DeepCandidate(tv.Candidates(vectors), epsilon=10.0, projections=PROJECTIONS)
    directions = mechanism.directions
    places = vectors @ directions.T
    few = documents[:16]
    with threadpool_limits(1):
        ours = core_seconds(lambda: mechanism.release(documents)) / len(documents)
        numpy = core_seconds(lambda: [numpy_choice(places, directions, d, 10.0, rng) for d in few]) / len(few)
    size = f"{SENTENCES} sentences, {PROJECTIONS} directions, {CANDIDATES:,} candidates of {DIMENSION} numbers"
    table.row("DeepCandidate.release", f"{1 / ours:,.0f} documents/c-s", f"{numpy / ours:.0f}x NumPy", size)
    table.row("NumPy, floats, Gumbel noise", f"{1 / numpy:,.0f} documents/c-s", "1x", size)


def inner_products(table: Table) -> None:
    vectors, documents = public_documents(np.random.default_rng(0), 256)
    mechanism = tv.DeepCandidate(tv.Candidates(vectors), epsilon=10.0, utility="inner-product")
    sentences = np.concatenate(documents).astype(np.float64)
    with threadpool_limits(1):
        ours = core_seconds(lambda: mechanism.release(documents)) / len(documents)
        product = core_seconds(lambda: [sentences @ vectors[i : i + 1024].T for i in range(0, CANDIDATES, 1024)])
    limit = product / len(documents)
    size = f"{SENTENCES} sentences, {CANDIDATES:,} candidates of {DIMENSION} numbers"
    table.row(
        "DeepCandidate, inner products", f"{1 / ours:,.0f} documents/c-s", f"{limit / ours:.0%} of the limit", size
    )
    table.row("float64 product alone", f"{1 / limit:,.0f} documents/c-s", "limit", size)


def public_response(table: Table) -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(50_000, DIMENSION)).astype(np.float32)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    mechanism = tv.PublicResponse(tv.Candidates(points), epsilon=8.0, nearest=50)
    queries = points[:512] + rng.normal(size=(512, DIMENSION)) / 40
    singles = queries.astype(np.float32)
    with threadpool_limits(1):
        ours = core_seconds(lambda: mechanism.release_indices(queries)) / len(queries)
        product = core_seconds(lambda: [singles @ points[i : i + 2048].T for i in range(0, 50_000, 2048)]) / len(
            queries
        )
    size = f"50 nearest of {len(points):,} of {DIMENSION} numbers"
    table.row("PublicResponse", f"{1 / ours:,.0f} vectors/c-s", f"{product / ours:.0%} of the limit", size)
    table.row("float32 product alone", f"{1 / product:,.0f} vectors/c-s", "limit", size)


def main() -> None:
    os.environ["TEXTVEIL_THREADS"] = "1"
    table = Table("Documents")
    deep_candidate(table)
    inner_products(table)
    public_response(table)
    table.show()


if __name__ == "__main__":
    main()
