"""How much does HTTP cost? The service over the library in one run, wall time: python -m benchmarks service."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.service.serving import Place, Running

import textveil as tv
from benchmarks.table import Table
from textveil.ledger import Ledger
from textveil.service.keys import KeyFile

CONFIG = "mechanisms: {words: {mechanism: Exponential, vocabulary: default, radius: auto, epsilon: 3}}\n"
SENTENCE = "Will it be colder in Ohio tomorrow than it was in London last week?"
WORDS, BATCHES, SENTENCES = 1000, 100, 500


def settle(folder: Path) -> Place:
    (folder / "config.yaml").write_text(CONFIG)
    ledger = Ledger(str(folder / "ledger.db"))
    ledger.create("tickets", unit="record", epsilon=10**9)
    ledger.close()
    return Place(folder, KeyFile(folder / "keys.json").add("bench", datasets=("tickets",)), "")


def milliseconds(work: Callable[[], Any], times: int) -> np.ndarray:
    taken = np.empty(times)
    for place in range(times):
        began = time.perf_counter()
        work()
        taken[place] = 1000 * (time.perf_counter() - began)
    return taken


def paid(ledger: Ledger, mechanism: tv.Mechanism, words: list[str]) -> None:
    reserved = ledger.reserve("tickets", mechanism, pieces=len(words))
    reserved.touch()
    done = mechanism.release_with_receipt(words)
    reserved.commit(done.receipt)


def compare(table: Table, folder: Path) -> None:
    place = settle(folder)
    mechanism = tv.Exponential(tv.Vocabulary.default(), epsilon=3.0, radius="auto")
    mechanism.release_ids(np.arange(len(mechanism.vocabulary)))
    words = list(mechanism.vocabulary.words[:WORDS])
    ledger = Ledger(place.ledger)
    bare = milliseconds(lambda: mechanism.release(words), BATCHES)
    counted = milliseconds(lambda: paid(ledger, mechanism, words), BATCHES)
    size = f"{WORDS:,} words, all rows warm"
    batch = {"mechanism": "words", "dataset": "tickets", "words": words}
    sentence = {"mechanism": "words", "dataset": "tickets", "texts": [SENTENCE]}
    with Running(place) as running:
        running.client.post("/v1/release/words", json=batch).raise_for_status()
        served = milliseconds(lambda: running.client.post("/v1/release/words", json=batch).raise_for_status(), BATCHES)
        one = milliseconds(
            lambda: running.client.post("/v1/release/texts", json=sentence).raise_for_status(), SENTENCES
        )
    with Running(place, "--no-ledger") as running:
        order = {"mechanism": "words", "words": words}
        running.client.post("/v1/release/words", json=order).raise_for_status()
        free = milliseconds(lambda: running.client.post("/v1/release/words", json=order).raise_for_status(), BATCHES)
    base, mean = np.median(bare), np.median(counted)
    table.row("library", f"{base:.1f} ms", "1x", size)
    table.row("service, no ledger", f"{np.median(free):.1f} ms", f"{np.median(free) / base:.1f}x the library", size)
    table.row("library and ledger", f"{mean:.1f} ms", "1x", size)
    table.row("service and ledger", f"{np.median(served):.1f} ms", f"{np.median(served) / mean:.1f}x the library", size)
    middle, last = np.quantile(one, [0.5, 0.99])
    table.row("service and ledger", f"{middle:.1f} ms", f"99% within {last:.1f} ms", "one sentence")


def main() -> None:
    table = Table("Service")
    with TemporaryDirectory() as folder:
        compare(table, Path(folder))
    table.show()


if __name__ == "__main__":
    main()
