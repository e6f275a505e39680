"""The data base of a ledger: SQLite in one file, or PostgreSQL; transactions in which writers wait for each other."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.ledger.failures import LedgerError

try:
    import sqlalchemy as sa
    from sqlalchemy.exc import ArgumentError, SQLAlchemyError
    from sqlalchemy.pool import QueuePool
except ImportError as error:  # pragma: no cover - the tests install it
    raise MissingDependencyError("a ledger needs SQLAlchemy; run pip install 'textveil[ledger]'") from error

_PATIENCE_SECONDS = 60
# Of one program; they are kept open, and who finds none free waits.
_POOL = {"pool_size": 20, "max_overflow": 0, "pool_timeout": _PATIENCE_SECONDS}
# Any number, the same for every textveil.
_LOCK = 7_281_036_615


class Database:
    """Opens connections to the data base that a URL names.

    Parameters
    ----------
    url : sqlite:///FILE, the path of a file, or postgresql://USER:PASSWORD@HOST/NAME
    """

    def __init__(self, url: str) -> None:
        self._url = _parsed(url)
        self.is_file = self._url.get_backend_name() == "sqlite"
        self._engine = _file_engine(self._path) if self.is_file else _server_engine(self._url)
        self._process = os.getpid()
        self._file: tuple[int, int] | None = None
        self.close = weakref.finalize(self, self._engine.dispose)

    @property
    def place(self) -> str:
        """Where the data base is, without user name and password."""
        if self.is_file:
            return str(self._path)
        port = f":{self._url.port}" if self._url.port else ""
        return f"postgresql://{self._url.host or 'localhost'}{port}/{self._url.database or ''}"

    @property
    def exists(self) -> bool:
        """Whether there can be a ledger: a file must be there."""
        return not self.is_file or self._path.exists()

    def prepare(self) -> None:
        """Make the file if it is absent."""
        if not self.is_file:
            return
        if not self._path.parent.is_dir():
            raise InvalidInputError(f"there is no folder {self._path.parent} for the ledger; make it")
        self._path.touch(mode=0o600)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Change the ledger: on the disk when this ends without an error, and not at all otherwise."""
        with self._said(), self._connected() as connection:
            if self.is_file:
                # Only one writer at a time; others wait here, before they have read anything.
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            self._check_file()
            yield connection
            self._check_file()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Read the ledger as it is at one moment."""
        with self._said(), self._connected() as connection:
            if self.is_file:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            self._check_file()
            yield connection

    def alone(self, connection: sa.Connection) -> None:
        """Keep others from making or upgrading the tables at the same time."""
        if not self.is_file:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")

    @property
    def _path(self) -> Path:
        return Path(self._url.database or "")

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        if os.getpid() != self._process:
            # The connections of a process are not those of its child.
            self._engine.dispose(close=False)
            self._process = os.getpid()
        if self._file is None:
            self._file = self._file_now()
        with self._engine.begin() as connection:
            yield connection

    def _check_file(self) -> None:
        """Refuse to go on with a file that was deleted or replaced: what is open is no longer what others see."""
        if self._file_now() != self._file:
            raise LedgerError(
                f"the ledger at {self.place} was moved, deleted or replaced while it was in use, so nothing is "
                "released; put the right file in its place and start again"
            )

    def _file_now(self) -> tuple[int, int] | None:
        try:
            facts = self._path.stat() if self.is_file else None
        except OSError:
            facts = None
        return None if facts is None else (facts.st_dev, facts.st_ino)

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Say that the data base failed, without its own words: these may hold the user's name."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = type(getattr(error, "orig", None) or error).__name__
            raise LedgerError(
                f"the ledger at {self.place} can't be used ({cause}), so nothing is released; see that it can be "
                "reached and written, and try again"
            ) from None


def _parsed(url: str) -> sa.URL:
    text = str(url)
    if "://" not in text:
        text = f"sqlite:///{text}"
    try:
        parsed = sa.make_url(text)
    except (ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise InvalidInputError(
            "a ledger's URL must be sqlite:///FILE (or just a file) or postgresql://USER:PASSWORD@HOST/NAME"
        )
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise InvalidInputError("a ledger must outlive the program: give a file, not memory")
    if parsed.get_backend_name() == "sqlite":
        # Connections are opened later, when the program may be in another folder.
        return parsed.set(database=str(Path(parsed.database or "").absolute()))
    return parsed


def _file_engine(path: Path) -> sa.Engine:
    import sqlite3

    def connect() -> sqlite3.Connection:
        where = f"file:{quote(str(path))}?mode=rw"
        # The module would begin transactions by itself, and too late; FULL brings each commit to the disk.
        connection = sqlite3.connect(
            where, uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}").close()
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True, **_POOL)


def _server_engine(url: sa.URL) -> sa.Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError as error:  # pragma: no cover - the tests install it
        raise MissingDependencyError("PostgreSQL needs psycopg; run pip install 'textveil[ledger]'") from error
    durable = f"-c synchronous_commit=on -c lock_timeout={_PATIENCE_SECONDS}s"
    options: dict[str, Any] = {"options": durable, "connect_timeout": _PATIENCE_SECONDS}
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args=options,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        hide_parameters=True,
        **_POOL,
    )
