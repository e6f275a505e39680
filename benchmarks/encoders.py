"""Sentences a core-second: MiniLM in float32 and int8, against sentence-transformers where that is installed.

    python -m benchmarks encoders

All run on one thread, on the same texts, in one process. Texts are words drawn at the frequencies of a language, with
as many words as sentences have.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

import textveil as tv
from benchmarks.table import Table
from textveil.encoders.minilm.weights import _folder
from textveil.hashing import Packed
from textveil.text import sentences_in

SENTENCES, REPEATS = 1000, 3


def texts() -> list[str]:
    generator = np.random.default_rng(0)
    words = np.array(tv.Vocabulary.default().words)
    lengths = 3 + generator.poisson(generator.gamma(2.0, 5.0, size=SENTENCES))
    ranks = np.exp(generator.uniform(0, np.log(len(words)), size=lengths.sum())).astype(int)
    return [" ".join(part).capitalize() + "." for part in np.split(words[ranks - 1], np.cumsum(lengths)[:-1])]


def best_core_seconds(work: Callable[[], object]) -> float:
    """The least CPU time of some runs: others on the machine can only add to it."""
    taken = []
    for _ in range(REPEATS):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def peer(asked: list[str]) -> Callable[[], np.ndarray] | None:
    """sentence-transformers on the same weights, one thread, batches of 32 sorted by length, as it does by itself."""
    if find_spec("sentence_transformers") is None:
        return None
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(str(_folder()), device="cpu", local_files_only=True)
    return lambda: model.encode(asked, show_progress_bar=False)


def main() -> None:
    os.environ["TEXTVEIL_THREADS"] = "1"
    asked = texts()
    packed = Packed.of([text.encode() for text in asked])
    exact, small = tv.MiniLM(device="cpu"), tv.MiniLM(precision="int8")
    tokens = sum(map(len, exact._tokens(packed))) / len(asked)
    table = Table(f"Sentence encoders, one thread: {len(asked):,} sentences of {tokens:.1f} tokens")
    ours, theirs = exact.encode(packed), peer(asked)
    base = best_core_seconds(theirs) if theirs else None
    if theirs and base:
        table.row("sentence-transformers", f"{len(asked) / base:.0f} sentences/c-s", "1x", "cosine to ours:")
        vectors = theirs().astype(np.float64)
        cosines = (vectors * ours).sum(axis=1) / np.linalg.norm(vectors, axis=1)
        table.row("", "", "", f"min 1 - {1 - cosines.min():.1e}")
    for name, encoder in (("MiniLM, float32", exact), ("MiniLM, int8", small)):
        took = best_core_seconds(lambda e=encoder: e.encode(packed))
        cosines = (encoder.encode(packed) * ours).sum(axis=1)
        ratio = f"{base / took:.2f}x" if base else "-"
        size = f"cosine to float32: mean {cosines.mean():.4f}, min {cosines.min():.4f}"
        table.row(name, f"{len(asked) / took:.0f} sentences/c-s", ratio, size)
    document = " ".join(asked) * 20
    took = best_core_seconds(lambda: sentences_in(document))
    table.row(
        "cutting into sentences", f"{len(document) / took / 1e6:.0f} MB/c-s", "-", f"{len(document) / 1e6:.1f} MB"
    )
    table.show()


if __name__ == "__main__":
    main()
