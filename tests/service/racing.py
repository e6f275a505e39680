"""Many clients that spend one budget over HTTP at the same time, as fast as they can."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from contextlib import closing
from fractions import Fraction

from tests.service.serving import Place, Running

from textveil.ledger import Ledger

_RELEASE = json.dumps({"mechanism": "words", "dataset": "race", "texts": ["w1"]})
_STREAM = "/v1/stream/texts?mechanism=words&dataset=race&records=1"


class Client(threading.Thread):
    """Releases, and now and then reserves for a stream that turns out to be wrong, until the time is over."""

    def __init__(self, running: Running, place: Place, end: float, seed: int) -> None:
        super().__init__()
        self._end, self._key, self._rng = end, place.key, random.Random(seed)  # noqa: S311
        self._connection = http.client.HTTPConnection("127.0.0.1", running.client.base_url.port, timeout=120)
        self.entries: list[str] = []
        self.statuses: Counter[tuple[str, int]] = Counter()

    def run(self) -> None:
        with closing(self._connection):
            self._spend()

    def _spend(self) -> None:
        while time.monotonic() < self._end:
            if self._rng.random() < 0.1:
                self._ask("stream", _STREAM, "application/x-ndjson", "[]\n")
                continue
            body = self._ask("release", "/v1/release/texts", "application/json", _RELEASE)
            if "receipt" in body:
                self.entries.append(body["receipt"]["ledger"]["entry"])

    def _ask(self, name: str, path: str, media: str, content: str) -> dict:
        self._connection.request("POST", path, content, {**self._key, "Content-Type": media})
        answer = self._connection.getresponse()
        self.statuses[name, answer.status] += 1
        return json.loads(answer.read())


def race(place: Place, *, ceiling: int, seconds: float, clients: int = 64) -> Counter[tuple[str, int]]:
    """Let clients race for a budget that is smaller than what they ask for; return how often each answer came."""
    ledger = Ledger(place.ledger)
    # Each release is of one word, which costs 0.5 x 2.
    ledger.create("race", unit="record", epsilon=Fraction(ceiling))
    with Running(place, "--quick") as running:
        assert running.client.get("/ready").status_code == 200
        end = time.monotonic() + seconds
        racing = [Client(running, place, end, seed) for seed in range(clients)]
        for client in racing:
            client.start()
        for client in racing:
            client.join(300)
        assert running.stop() == 0
    told = [entry for client in racing for entry in client.entries]
    entries = ledger.history("race")
    assert sorted(told) == sorted(entry.id for entry in entries if entry.state == "committed")
    assert {str(entry.state) for entry in entries} <= {"committed", "cancelled"}
    assert len(told) == ledger.remaining("race").epsilon == ceiling
    ledger.close()
    return sum((client.statuses for client in racing), Counter())
