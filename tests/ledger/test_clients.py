"""64 clients on one budget: they never pass the ceiling, and no reservation is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger import clients

ROOT = Path(__file__).parents[2]
CLIENTS = 64
CEILING = 25


def check(ledger, told):
    entries = ledger.history("notes")
    assert {entry.id: str(entry.state) for entry in entries} == told
    assert sorted(entry.number for entry in entries) == list(range(1, len(entries) + 1))
    counted = [entry for entry in entries if told[entry.id] != "cancelled"]
    by_part = {part: sum((e.cost.epsilon for e in counted if e.part == part), Fraction(0)) for part in ("", "a", "b")}
    worst = by_part[""] + max(by_part["a"], by_part["b"])
    assert worst == ledger.remaining("notes").epsilon <= CEILING
    assert len(counted) > CEILING / 2
    return worst


def test_many_clients_never_overspend_and_lose_nothing(ledger, url):
    ledger.create("notes", unit="record", epsilon=Fraction(CEILING))
    told = {}
    # On a slow machine little is done in two seconds.
    for seed in range(1, 31):
        told |= clients.run(url, 2.0, CLIENTS, seed=seed)
        if sum(state != "cancelled" for state in told.values()) > CEILING / 2:
            break
    check(ledger, told)


@pytest.mark.soak
def test_many_programs_never_overspend_and_lose_nothing(ledger, url):
    ledger.create("notes", unit="record", epsilon=Fraction(CEILING))
    command = [sys.executable, "-m", "tests.ledger.clients", url, "60", str(CLIENTS // 8)]
    programs = [
        subprocess.Popen([*command, str(seed)], cwd=ROOT, stdout=subprocess.PIPE, text=True) for seed in range(8)
    ]
    told = {}
    for program in programs:
        output, _ = program.communicate(timeout=300)
        assert program.returncode == 0
        told |= json.loads(output)
    assert check(ledger, told) > CEILING - 1
