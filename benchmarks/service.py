"""How much does HTTP cost? The service over the library in one run, wall time: python -m benchmarks service."""

from __future__ import annotations

import http.client
import json
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
WORDS, BATCHES, SENTENCES = 1000, 300, 2000


def settle(folder: Path) -> Place:
    (folder / "config.yaml").write_text(CONFIG)
    ledger = Ledger(str(folder / "ledger.db"))
    ledger.create("tickets", unit="record", epsilon=10**9)
    ledger.close()
    return Place(folder, KeyFile(folder / "keys.json").add("bench", datasets=("tickets",)), "")


class Caller:
    """Asks one service for releases, over one connection that is kept."""

    def __init__(self, running: Running, place: Place) -> None:
        port = running.client.base_url.port
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._headers = {**place.key, "Content-Type": "application/json"}

    def ask(self, kind: str, order: dict[str, Any]) -> list[str]:
        self._connection.request("POST", f"/v1/release/{kind}", json.dumps(order), self._headers)
        answer = self._connection.getresponse()
        released: list[str] = json.loads(answer.read())["released"]
        return released


def in_turns(works: dict[str, Callable[[], Any]], times: int) -> dict[str, np.ndarray]:
    """Milliseconds of each call; all works take turns, so that a slow moment of the machine meets all."""
    taken = {name: np.empty(times) for name in works}
    for place in range(-1, times):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if place >= 0:
                taken[name][place] = 1000 * (time.perf_counter() - began)
    return taken


def paid(ledger: Ledger, mechanism: tv.Mechanism, words: list[str]) -> None:
    reserved = ledger.reserve("tickets", mechanism, pieces=len(words), touch=True)
    done = mechanism.release_with_receipt(words)
    reserved.commit(done.receipt)


def compare(table: Table, folder: Path) -> None:
    place = settle(folder)
    mechanism = tv.Exponential(tv.Vocabulary.default(), epsilon=3.0, radius="auto")
    mechanism.release_ids(np.arange(len(mechanism.vocabulary)))
    words = list(mechanism.vocabulary.words[:WORDS])
    ledger = Ledger(place.ledger)
    batch = {"mechanism": "words", "dataset": "tickets", "words": words}
    sentence = {"mechanism": "words", "dataset": "tickets", "texts": [SENTENCE]}
    with Running(place) as counting, Running(place, "--no-ledger") as free:
        counted, uncounted = Caller(counting, place), Caller(free, place)
        works = {
            "library": lambda: mechanism.release(words),
            "service, no ledger": lambda: uncounted.ask("words", batch),
            "library and ledger": lambda: paid(ledger, mechanism, words),
            "service and ledger": lambda: counted.ask("words", batch),
        }
        taken = {name: np.median(times) for name, times in in_turns(works, BATCHES).items()}
        one = in_turns({"one": lambda: counted.ask("texts", sentence)}, SENTENCES)["one"]
    for name, base in zip(works, ("library", "library", "library and ledger", "library and ledger"), strict=True):
        ratio = f"{taken[name] / taken[base]:.2f}x the {base}"
        table.row(name, f"{taken[name]:.2f} ms", ratio, f"{WORDS:,} words, all rows warm")
    middle, last = np.quantile(one, [0.5, 0.99])
    table.row(
        "service and ledger", f"{middle:.1f} ms", f"99% within {last:.1f} ms", f"{SENTENCES:,} times one sentence"
    )


def main() -> None:
    table = Table("Service")
    with TemporaryDirectory() as folder:
        compare(table, Path(folder))
    table.show()


if __name__ == "__main__":
    main()
