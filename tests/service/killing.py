"""Kill a busy service at random moments, again and again: all that left it must be in the ledger when it comes back."""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from fractions import Fraction

import httpx
from tests.service.serving import EPSILON, RADIUS, Place, Running

from textveil.ledger import Ledger

_CALLERS = 3
_WORDS = 2
_COST = _WORDS * Fraction(EPSILON) * Fraction(RADIUS)


class Caller(threading.Thread):
    """Asks for releases and streams until the service is gone, and keeps account of what came."""

    def __init__(self, running: Running, seed: int) -> None:
        super().__init__()
        self._running, self._rng = running, random.Random(seed)  # noqa: S311
        self.entries: list[str] = []
        self.streams = 0

    def run(self) -> None:
        try:
            while True:
                (self._release if self._rng.random() < 0.7 else self._stream)()
        except httpx.TransportError:
            return

    def _release(self) -> None:
        order = {"mechanism": "words", "dataset": "tickets", "texts": ["w1 w2"]}
        answer = self._running.client.post("/v1/release/texts", json=order)
        assert answer.status_code == 200, answer.text
        self.entries.append(answer.json()["receipt"]["ledger"]["entry"])

    def _stream(self) -> None:
        asked = {"mechanism": "words", "dataset": "tickets", "records": 50, "pieces": _WORDS}
        headers, came = {"Content-Type": "application/x-ndjson"}, False
        body = b'"w1 w2"\n' * 5
        client = self._running.client
        with client.stream("POST", "/v1/stream/texts", params=asked, content=body, headers=headers) as answer:
            if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
                # A key has two streams at a time.
                answer.read()
                return
            for line in answer.iter_lines():
                if not came:
                    self.streams += 1
                    came = True
                if "receipt" in (last := json.loads(line)):
                    self.entries.append(last["receipt"]["ledger"]["entry"])
                    self.streams -= 1


def killed(place: Place, kills: int, *, seed: int = 0) -> int:
    """Kill a service so many times and return how many releases came out of it."""
    rng, known, owed = random.Random(seed), set(), Fraction(0)  # noqa: S311
    following = Running(place, "--quick")
    for number in range(1, kills + 1):
        running = following
        # The first request has to wait for its key to be checked, and for what is compiled to be loaded.
        asked = {"mechanism": "words", "words": ["w1"]}
        assert running.client.post("/v1/explain", json=asked).status_code == 200
        began = time.perf_counter()
        assert running.client.post("/v1/explain", json=asked).status_code == 200
        # On a slow machine a request takes longer, and the kill comes later.
        patience = max(0.5, 30 * (time.perf_counter() - began))
        # Starting takes longest, so the next one starts meanwhile.
        following = Running(place, "--quick")
        callers = [Caller(running, 1000 * number + each) for each in range(_CALLERS)]
        for caller in callers:
            caller.start()
        time.sleep(rng.uniform(0.0, patience))
        running.process.kill()
        for caller in callers:
            caller.join(60)
            assert not caller.is_alive()
            known |= set(caller.entries)
            # A stream that broke off has no receipt, but some of it came.
            owed += caller.streams * _COST
        # Only now, since callers use its client to the end.
        running.kill()
        counted = _counted(place.ledger, known)
        assert counted >= owed + len(known) * _COST, f"kill {number}: {len(known)} releases came, {counted} is counted"
        print(f"kill {number} of {kills}: {len(known)} releases came, all in the ledger", file=sys.stderr)  # noqa: T201
    following.kill()
    return len(known)


def _counted(url: str, known: set[str]) -> Fraction:
    """Return what the ledger counts as spent, after checking that it has the entries that receipts name."""
    ledger = Ledger(url)
    states = {entry.id: str(entry.state) for entry in ledger.history("tickets")}
    assert all(states.get(each) == "committed" for each in known)
    spent = ledger.remaining("tickets").epsilon
    ledger.close()
    return spent
