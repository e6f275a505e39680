"""Clients that spend one budget at the same time, as fast as they can: clients.py URL SECONDS THREADS SEED.

Prints a line of JSON: what became of each reservation that a client was told it has.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time

from tests.ledger.conftest import costing

from textveil.ledger import BudgetExceededError, Ledger, LedgerError


def patiently(call, *given, **named):
    """Try again where a busy machine made somebody wait too long for the lock: nothing was done then."""
    until = time.monotonic() + 120
    while True:
        try:
            return call(*given, **named)
        except LedgerError as error:
            if "LockNotAvailable" not in str(error) or time.monotonic() > until:
                raise


def spend(url, end, seed, told):
    """Reserve, and then touch and commit, touch alone, cancel, or do nothing, until the time is over."""
    chance, ledger = random.Random(seed), Ledger(url)  # noqa: S311 - which call comes next
    while time.monotonic() < end:
        try:
            cost, part = costing(chance.choice([0.25, 0.5, 1.0])), chance.choice(["", "a", "b"])
            made = patiently(ledger.reserve, "notes", cost, part=part)
        except BudgetExceededError:
            continue
        fate = chance.choice(["reserved", "touched", "committed", "cancelled", "cancelled", "cancelled"])
        if fate in ("touched", "committed"):
            patiently(made.touch)
        if fate == "committed":
            patiently(made.commit)
        if fate == "cancelled":
            patiently(made.cancel)
        told[made.id] = fate
    ledger.close()


def run(url, seconds, threads, seed):
    """Return what became of each reservation."""
    told, end, failures = {}, time.monotonic() + seconds, []

    def one(number):
        try:
            spend(url, end, f"{seed}/{number}", told)
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    clients = [threading.Thread(target=one, args=(number,)) for number in range(threads)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    if failures:
        raise failures[0]
    return told


if __name__ == "__main__":
    url, seconds, threads, seed = sys.argv[1:]
    sys.stdout.write(json.dumps(run(url, float(seconds), int(threads), seed)) + "\n")
