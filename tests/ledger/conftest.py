"""Ledgers in SQLite and in PostgreSQL, and releases whose cost is plain."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from tests.ledger import servers

from textveil.guarantees import Guarantee, Unit, local_privacy
from textveil.ledger import Ledger

NUMBERS = count(1)


@dataclass(frozen=True)
class Plain:
    """Something that releases, as far as a ledger sees it."""

    guarantee: Guarantee
    plain: dict[str, Any] = field(default_factory=lambda: {"mechanism": "Plain"})

    def spec(self):
        return self.plain


def costing(epsilon, delta=0.0):
    return Plain(local_privacy(epsilon, delta=delta, unit=Unit.VECTOR))


@pytest.fixture(scope="session")
def postgres():
    if servers.programs() is None:
        pytest.skip("no PostgreSQL here")
    with servers.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Where a ledger may be made."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'budget.db'}"
    return servers.new_database(request.getfixturevalue("postgres"), f"ledger{next(NUMBERS)}")


@pytest.fixture
def ledger(url):
    made = Ledger(url)
    yield made
    made.close()
