"""The tables of a ledger, and how those of older versions are brought up to date.

Amounts are exact fractions, kept as text. `spent` holds the sum of all entries that count, for each part of a data set,
and is written in the same transaction as the entry.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
    update,
)

from textveil.ledger.failures import LedgerError
from textveil.ledger.tallies import AMOUNTS

VERSION = 1
# What brings a ledger of version n to version n + 1: statements, under the key n.
UPGRADES: dict[int, tuple[str, ...]] = {}

_tables = MetaData()


def _amounts() -> list[Column[str]]:
    return [Column(name, Text, nullable=False) for name in AMOUNTS]


versions = Table("textveil_ledger", _tables, Column("version", Integer, nullable=False))
datasets = Table(
    "dataset",
    _tables,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    *(
        Column(name, Text, nullable=False)
        for name in ("unit", "counting", "epsilon", "delta", "offset", "summed_delta", "metric", "radius")
    ),
    Column("created", Text, nullable=False),
)
entries = Table(
    "entry",
    _tables,
    Column("id", String(32), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("dataset", ForeignKey("dataset.id"), nullable=False),
    Column("part", String(200), nullable=False),
    Column("job", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    *_amounts(),
    Column("facts", Text, nullable=False),
    Column("reserved", Text, nullable=False),
    Column("touched", Text, nullable=False, default=""),
    Column("closed", Text, nullable=False, default=""),
    Column("receipt", String(64), nullable=False, default=""),
    UniqueConstraint("dataset", "job"),
    Index("entry_by_number", "dataset", "number"),
)
spent = Table(
    "spent",
    _tables,
    Column("dataset", ForeignKey("dataset.id"), primary_key=True),
    Column("part", String(200), primary_key=True),
    *_amounts(),
)


def version_of(connection: Connection) -> int | None:
    """Return the version of a ledger's tables, None if there are none."""
    if not inspect(connection).has_table(versions.name):
        return None
    return connection.execute(select(func.max(versions.c.version))).scalar()


def make(connection: Connection) -> None:
    """Make the tables."""
    _tables.create_all(connection)
    connection.execute(insert(versions).values(version=VERSION))


def upgrade(connection: Connection, version: int) -> None:
    """Bring tables of an older version up to date, all or nothing; those of a newer one are refused."""
    if version > VERSION:
        raise LedgerError(
            f"the ledger has tables of version {version}, and this textveil knows {VERSION}; install a newer one"
        )
    if not all(step in UPGRADES for step in range(version, VERSION)):
        raise LedgerError(f"the ledger has tables of version {version}, which this textveil can't upgrade")
    while version < VERSION:
        for statement in UPGRADES[version]:
            connection.exec_driver_sql(statement)
        version += 1
        connection.execute(update(versions).values(version=version))
