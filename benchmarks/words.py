"""Words for words: draws of the sparse and the dense law, nearest words, calibration, and what research code does."""

from __future__ import annotations

import os
import tempfile
import time

import numpy as np

import textveil as tv
from benchmarks.table import Table, median_seconds
from textveil.compiled import over_threads
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.vocabulary.pairs import lower_triangle

TOKENS = 1_000_000


def zipf_tokens(words: int, count: int) -> np.ndarray:
    """Word numbers as in text: frequency falls with rank."""
    rng = np.random.default_rng(0)
    ranks = np.exp(rng.uniform(0, np.log(words + 1), size=count)).astype(np.int64) - 1
    return np.clip(ranks, 0, words - 1)


def research_style(vocabulary: tv.Vocabulary, tokens: np.ndarray, rate: float) -> np.ndarray:
    """What papers' code does: distances, softmax and a choice for every single token."""
    points, rng = np.asarray(vocabulary.points, dtype=np.float64), np.random.default_rng(0)
    chosen = []
    for token in tokens:
        weights = np.exp(-rate * np.linalg.norm(points - points[token], axis=1))
        chosen.append(rng.choice(len(points), p=weights / weights.sum()))
    return np.array(chosen)


def draws(table: Table) -> None:
    vocabulary = tv.Vocabulary.default()
    tokens = zipf_tokens(len(vocabulary), TOKENS)
    distinct = len(np.unique(tokens))
    few = tokens[:200]
    started = time.process_time()
    research_style(vocabulary, few, 2.0)
    research = len(few) / (time.process_time() - started)
    table.row(
        "research-style code, one token at a time",
        f"{research:,.0f} words/c-s",
        "1x",
        f"{len(vocabulary):,} words, d=50",
    )
    for name, radius, count in (("sparse law, radius 4.5", 4.5, TOKENS), ("dense law", None, TOKENS)):
        mechanism = tv.Exponential(vocabulary, epsilon=4.0, radius=radius, calibrated=False)
        for state in ("cold", "warm", "warm", "warm"):
            started = time.process_time()
            mechanism.release_ids(tokens[:count])
            seconds = time.process_time() - started
            rate = count / seconds
            if state == "cold":
                table.row(
                    f"{name}, cold",
                    f"{rate / 1e6:.2f} M words/c-s",
                    f"{rate / research:,.0f}x",
                    f"{distinct:,} distinct of {count:,}",
                )
        table.row(
            f"{name}, warm",
            f"{rate / 1e6:.2f} M words/c-s",
            f"{rate / research:,.0f}x",
            f"{distinct:,} distinct of {count:,}",
        )


def nearest(table: Table) -> None:
    vocabulary = tv.Vocabulary.default()
    tokens = zipf_tokens(len(vocabulary), TOKENS // 5)
    for precision in ("fast", "exact"):
        noise = tv.Laplace(epsilon=10.0, dimension=vocabulary.dimension, precision=precision)
        mechanism = tv.NearestWord(vocabulary, noise)
        mechanism.release_ids(tokens[:1000])
        started = time.process_time()
        mechanism.release_ids(tokens)
        rate = len(tokens) / (time.process_time() - started)
        size = f"{len(vocabulary):,} words, d=50"
        table.row(f"{precision} Laplace noise and nearest word", f"{rate:,.0f} words/c-s", "", size)


def calibration(table: Table, words: int = 20_000, dimension: int = 300) -> None:
    vectors = np.random.default_rng(0).normal(size=(words, dimension)) * 0.4
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(words)], vectors, unknown="w0")

    def products() -> None:
        def one(tile):  # type: ignore[no-untyped-def]
            vocabulary.block(tile.top, tile.bottom) @ vocabulary.block(tile.left, tile.right).T

        for _ in over_threads(one, list(lower_triangle(words))):
            pass

    blas = 4 * median_seconds(products, repeats=3)
    took = median_seconds(lambda: calibrate(vocabulary, 2.0, np.inf), repeats=3)
    table.row(
        "calibration, four passes and the exponentials",
        f"{took:.1f} s",
        f"{took / blas:.2f}x the products alone",
        f"{words:,} x {dimension}",
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TEXTVEIL_CACHE"] = folder
        table = Table("Words for words")
        draws(table)
        nearest(table)
        calibration(table)
        table.show()


if __name__ == "__main__":
    main()
