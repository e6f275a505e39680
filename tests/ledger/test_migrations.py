"""Tables of an older textveil are upgraded, all or nothing; those of a newer one are refused."""

from __future__ import annotations

import pytest
from tests.ledger.conftest import costing

from textveil.ledger import Ledger, LedgerError, schema

COLUMN = "ALTER TABLE dataset ADD COLUMN owner TEXT NOT NULL DEFAULT ''"


@pytest.fixture
def old(ledger, url):
    """A ledger as version 1 left it, with something spent."""
    ledger.create("notes", unit="record", epsilon=1)
    ledger.reserve("notes", costing(0.5)).touch()
    return url


def test_an_older_ledger_is_upgraded_and_keeps_what_was_spent(old, monkeypatch):
    monkeypatch.setattr(schema, "VERSION", 3)
    monkeypatch.setattr(schema, "UPGRADES", {1: (COLUMN,), 2: ("UPDATE dataset SET owner = 'all'",)})
    ledger = Ledger(old)
    assert ledger.remaining("notes").epsilon == 0.5
    with ledger._store._database.reading() as connection:
        assert schema.version_of(connection) == 3
        assert connection.exec_driver_sql("SELECT owner FROM dataset").scalar() == "all"
    assert Ledger(old).reserve("notes", costing(0.5)).entry.number == 2


def test_an_upgrade_that_fails_changes_nothing(old, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(schema, "VERSION", 2)
        patch.setattr(schema, "UPGRADES", {1: (COLUMN, "UPDATE nowhere SET nothing = 1")})
        with pytest.raises(LedgerError, match="nothing is released"):
            Ledger(old).reserve("notes", costing(0.1))
    ledger = Ledger(old)
    assert ledger.remaining("notes").epsilon == 0.5
    with ledger._store._database.reading() as connection:
        assert schema.version_of(connection) == 1
        assert "owner" not in connection.exec_driver_sql("SELECT * FROM dataset").keys()  # noqa: SIM118 - of a result


def test_a_newer_ledger_is_refused(old, monkeypatch):
    monkeypatch.setattr(schema, "VERSION", 0)
    with pytest.raises(LedgerError, match="tables of version 1, and this textveil knows 0; install a newer one"):
        Ledger(old).reserve("notes", costing(0.1))
    with pytest.raises(LedgerError, match="install a newer one"):
        Ledger(old).create("more", unit="record", epsilon=1)
