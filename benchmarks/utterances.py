"""Utterances a core-second: reading, noise and writing of the auto-encoder that comes with textveil.

    python -m benchmarks utterances

All on one thread, in one process. Words are drawn by their chances, or the likeliest utterance is searched with a beam.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from threadpoolctl import threadpool_limits

import textveil as tv
from benchmarks.table import Table, core_seconds
from textveil.learn.autoencoder.requests import requests

UTTERANCES = 4000


def main() -> None:
    os.environ["TEXTVEIL_THREADS"] = "1"
    said = [each.text for each in requests(UTTERANCES, seed=1)]
    words = sum(len(text.split()) for text in said)
    table = Table("Whole utterances: core-seconds")
    codec, searching = tv.AutoEncoder.default(), tv.AutoEncoder.default(beam=4)
    vectors = codec.encode(said)
    works: dict[str, Callable[[], object]] = {
        "read": lambda: codec.encode(said),
        "write": lambda: codec.decode(vectors),
        "write, beam 4": lambda: searching.decode(vectors),
    }
    for epsilon in (2.0, 8.0, 12.0):
        adept = tv.Adept(codec, epsilon=epsilon)
        works[f"noise, epsilon {epsilon:g}"] = lambda adept=adept: adept.mechanism.release(vectors)
        works[f"read, noise, write, epsilon {epsilon:g}"] = lambda adept=adept: adept.release(said)
    with threadpool_limits(limits=1):
        for name, work in works.items():
            rate = UTTERANCES / core_seconds(work, repeats=3)
            table.row(name, f"{rate:,.0f} utterances/c-s", "", f"{UTTERANCES:,} utterances, {words:,} words")
    table.show()


if __name__ == "__main__":
    main()
