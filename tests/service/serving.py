"""A small service for tests: its public objects, its ledger, its keys; and a process that runs it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile

import httpx
import numpy as np

import textveil as tv
from textveil.ledger import Ledger
from textveil.service.keys import KeyFile

CONFIG = """
mechanisms:
  words:
    mechanism: Exponential
    vocabulary: words.npz
    radius: 2.0
    epsilons: [0.5, 0.25]
  endless:
    mechanism: Exponential
    vocabulary: words.npz
    epsilon: 0.5
  vectors:
    mechanism: PrivUnit
    dimension: 3
    epsilon: 1
    clip: 1
  answers:
    mechanism: PublicResponse
    candidates: candidates.npz
    epsilon: 1
"""
RADIUS, EPSILON = 2.0, 0.5
CEILING = 1e6
PRIVATE = "xyzzyprivate"


@dataclass(frozen=True)
class Place:
    folder: Path
    token: str
    metrics_token: str
    server: str = ""

    @property
    def ledger(self) -> str:
        """A file, or the URL of a data base on a server."""
        return self.server or str(self.folder / "ledger.db")

    @property
    def keys(self) -> Path:
        return self.folder / "keys.json"

    @property
    def config(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def settle(folder: Path) -> Place:
    """Write all that a service needs into a folder."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(60)]
    tv.Vocabulary(words, rng.normal(size=(60, 4)), unknown="w0").save(folder / "words.npz")
    tv.Candidates(rng.normal(size=(20, 3)), [f"public sentence {i}" for i in range(20)]).save(folder / "candidates.npz")
    (folder / "config.yaml").write_text(CONFIG)
    create_budgets(str(folder / "ledger.db"))
    keys = KeyFile(folder / "keys.json")
    token = keys.add("tester", datasets=("tickets", "words", "people", "small", "race"))
    return Place(folder, token, keys.add("prometheus", metrics=True))


def create_budgets(url: str) -> None:
    ledger = Ledger(url)
    ledger.create("tickets", unit="record", epsilon=CEILING)
    ledger.create("words", unit="word", epsilon=CEILING)
    ledger.create("people", unit="person", epsilon=CEILING)
    ledger.create("small", unit="record", epsilon=3)
    ledger.create("others", unit="record", epsilon=CEILING)
    ledger.close()


class Running:
    """A service in a process of its own."""

    def __init__(self, place: Place, *options: str) -> None:
        ledger = () if "--no-ledger" in options else ("--ledger", place.ledger)
        command = [sys.executable, "-c", "from textveil.cli import main; main()", "serve", "--port", "0", *ledger]
        command += ["--keys", str(place.keys), "--config", str(place.config), "--rate", "100000", *options]
        with NamedTemporaryFile(dir=place.folder, prefix="log-", delete=False) as log:
            self.process = subprocess.Popen(command, stderr=log, stdout=log, env={**os.environ, "NO_COLOR": "1"})
        self.log, self._key = Path(log.name), place.key

    @cached_property
    def client(self) -> httpx.Client:
        return httpx.Client(base_url=f"http://127.0.0.1:{self._port()}", headers=self._key, timeout=60)

    def _port(self) -> int:
        began = time.monotonic()
        while time.monotonic() - began < 120:
            found = re.findall(r"running on http://[^ ]*:(\d+)", self.log.read_text())
            if found:
                return int(found[-1])
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.01)
        raise AssertionError("the service did not start")

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        status = self.process.wait(60)
        if "client" in vars(self):
            self.client.close()
        return status
