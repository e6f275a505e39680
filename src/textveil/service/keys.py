"""API keys: made once, shown once, kept as salted scrypt hashes in a file that only its owner may read.

A key is `tv_ID_SECRET`. The id is public and finds the entry; the secret is 32 random bytes. A key is for named data
sets, and may be revoked; the file is read again when it changes, so a running service notices.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from textveil.durable import replacing
from textveil.errors import InvalidInputError, require_positive
from textveil.randomness import fresh_key

ANY_DATASET = "*"
# Where a service may do without keys.
LOOPBACK = ("127.0.0.1", "::1", "localhost")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN = re.compile(r"tv_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_SCRYPT = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}
_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Key:
    """What is kept of a key; the secret is not.

    Parameters
    ----------
    id, name : public
    salt, digest : of the secret, in hexadecimal
    datasets : those that it may spend from; "*" for all
    metrics : whether it may read /metrics
    playground : whether it may draw samples that nobody pays for, to look at
    rate : requests a second, if not the service's
    created, revoked : when
    """

    id: str
    name: str
    salt: str
    digest: str
    datasets: tuple[str, ...] = ()
    metrics: bool = False
    playground: bool = False
    rate: float | None = None
    created: str = ""
    revoked: str | None = None

    def may_spend(self, dataset: str) -> bool:
        """Whether the key is for this data set."""
        return dataset in self.datasets or ANY_DATASET in self.datasets


class KeyFile:
    """The keys of a service. Changes are written in one piece or not at all.

    Parameters
    ----------
    path : JSON, mode 0600; made with the first key
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = Lock()
        self._seen: tuple[int, int, int] | None = None
        self._keys: dict[str, Key] = {}
        # Digests of tokens that were checked, under a key of this process: scrypt is slow on purpose.
        self._own_key = fresh_key()
        self._checked: dict[bytes, str] = {}

    def all(self) -> list[Key]:
        """Return all keys, revoked ones too, in the order in which they were made."""
        return list(self._current().values())

    def add(
        self,
        name: str,
        *,
        datasets: tuple[str, ...] = (),
        metrics: bool = False,
        playground: bool = False,
        rate: float | None = None,
    ) -> str:
        """Make a key and return it: it can't be shown again."""
        if not NAME.fullmatch(name):
            raise InvalidInputError(f"a name must be letters, digits, '.', '_' and '-', at most 64 (got {name!r})")
        if not datasets and not metrics and not playground:
            raise InvalidInputError("a key must be for something: --dataset NAME, --metrics or --playground")
        number, secret, salt = fresh_key()[:8].hex(), fresh_key(), fresh_key()[:16]
        key = Key(
            id=number,
            name=name,
            salt=salt.hex(),
            digest=_hash(secret, salt).hex(),
            datasets=tuple(datasets),
            metrics=metrics,
            playground=playground,
            rate=None if rate is None else require_positive("rate", rate),
            created=_now(),
        )
        with self._changing():
            self._write({**self._current(), key.id: key})
        return f"tv_{number}_{base64.urlsafe_b64encode(secret).rstrip(b'=').decode()}"

    def revoke(self, number: str) -> Key:
        """Make a key useless, at once, also for a service that runs."""
        with self._changing():
            keys = self._current()
            if number not in keys:
                raise InvalidInputError(
                    f"there is no key {number!r} in {self.path}; `textveil serve keys list` shows all"
                )
            revoked = replace(keys[number], revoked=keys[number].revoked or _now())
            self._write({**keys, number: revoked})
        return revoked

    def remembered(self, token: str) -> Key | None:
        """Return the key of a token that was checked before, without work; None if it was not."""
        keys = self._current()
        number = self._checked.get(self._mark(token))
        return None if number is None else _valid(keys.get(number))

    def claimed(self, token: str) -> str | None:
        """Return the id that a token claims, if there is such a key and it is not revoked."""
        match = _TOKEN.fullmatch(token)
        key = _valid(self._current().get(match[1])) if match else None
        return None if key is None else key.id

    def check(self, token: str) -> Key | None:
        """Return the key of a token, None if there is none; takes tens of milliseconds."""
        match, number = _TOKEN.fullmatch(token), self.claimed(token)
        if match is None or number is None:
            return None
        key, secret = self._current()[number], base64.urlsafe_b64decode(match[2] + "=")
        if not hmac.compare_digest(_hash(secret, bytes.fromhex(key.salt)), bytes.fromhex(key.digest)):
            return None
        with self._lock:
            self._checked[self._mark(token)] = key.id
        return key

    def _mark(self, token: str) -> bytes:
        return hmac.digest(self._own_key, token.encode(), "sha256")

    def _current(self) -> dict[str, Key]:
        with self._lock:
            try:
                facts = self.path.stat()
            except FileNotFoundError:
                facts = None
            seen = None if facts is None else (facts.st_mtime_ns, facts.st_size, facts.st_ino)
            if seen != self._seen:
                self._keys = {} if facts is None else _read(self.path)
                self._seen = seen
                self._checked.clear()
            return dict(self._keys)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Let one program at a time read the keys and write them: what another wrote in between would be lost."""
        beside = self.path.with_name(f".{self.path.name}.lock")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT, 0o600), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _write(self, keys: dict[str, Key]) -> None:
        plain = {"textveil keys": _FORMAT, "keys": [asdict(key) for key in keys.values()]}
        with replacing(self.path, mode=0o600) as file:
            file.write(json.dumps(plain, indent=2).encode())


def _hash(secret: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(secret, salt=salt, **_SCRYPT)


def _valid(key: Key | None) -> Key | None:
    return None if key is None or key.revoked else key


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(path: Path) -> dict[str, Key]:
    if path.stat().st_mode & 0o077:
        raise InvalidInputError(f"others may read {path}: chmod 600 {path}")
    try:
        plain: Any = json.loads(path.read_text(encoding="utf-8"))
        if plain["textveil keys"] != _FORMAT:
            raise KeyError
        entries = [Key(**{**entry, "datasets": tuple(entry["datasets"])}) for entry in plain["keys"]]
    except (ValueError, KeyError, TypeError):
        raise InvalidInputError(
            f"{path} is no file of keys; move it away and make keys with `textveil serve keys add`"
        ) from None
    return {key.id: key for key in entries}
