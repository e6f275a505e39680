"""Exact audits: the law of every pair of words, against two passes over the distances alone."""

from __future__ import annotations

import os
import tempfile

import numpy as np

import textveil as tv
from benchmarks.table import Table, core_seconds
from textveil.auditing.exact import exact_finding
from textveil.vocabulary.pairs import over_pairs

PASSES = 2


def exact_audit(table: Table, words: int = 20_000, dimension: int = 300) -> None:
    vectors = np.random.default_rng(0).normal(size=(words, dimension)) * 0.4
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(words)], vectors, unknown="w0")
    mechanism = tv.Exponential(vocabulary, epsilon=2.0, calibrated=False)

    def distances() -> None:
        for _ in over_pairs(vocabulary, lambda _tile, block: block.shape, title="distances"):
            pass

    alone = PASSES * core_seconds(distances, repeats=1)
    took = core_seconds(lambda: exact_finding(mechanism, mechanism.guarantee), repeats=1)
    table.row(
        "exact audit of Exponential, all pairs",
        f"{took:.1f} core-s",
        f"{took / alone:.2f}x its two passes over the distances",
        f"{words:,} x {dimension}",
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TEXTVEIL_CACHE"] = folder
        table = Table("Audits")
        exact_audit(table)
        table.show()


if __name__ == "__main__":
    main()
