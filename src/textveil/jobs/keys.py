"""The secret key of a run, from which all of its noise comes.

Whoever has the key and the output can undo the noise: a key lives in a file that only its owner can read, and one that
the run made itself is deleted when the run commits.
"""

from __future__ import annotations

import hmac
import os
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from textveil.durable import sync_folder
from textveil.errors import InvalidInputError
from textveil.randomness import LEAST_KEY_BYTES, fresh_key


def key_in(path: Path) -> bytes:
    """Return the key of a file, which is made if it is absent."""
    if not path.exists():
        if not path.parent.is_dir():
            raise InvalidInputError(f"there is no folder {path.parent} for the key file; make it")
        _make(path)
    facts = path.stat()
    if not stat.S_ISREG(facts.st_mode):
        raise InvalidInputError(f"the key {path} is not a file; give a file of at least {LEAST_KEY_BYTES} random bytes")
    if facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        mode = stat.S_IMODE(facts.st_mode)
        raise InvalidInputError(f"the key file {path} is open to others (mode {mode:04o}); run chmod 600 on it")
    key = path.read_bytes()
    if len(key) < LEAST_KEY_BYTES:
        raise InvalidInputError(
            f"the key file {path} has {len(key)} bytes; it needs at least {LEAST_KEY_BYTES}, drawn at random"
        )
    return key


def _make(path: Path) -> None:
    """Write a new key, unless another process was quicker: all of them read the one that is there then."""
    descriptor, beside = mkstemp(prefix=f".{path.name}-", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(fresh_key())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(beside, path)
        except FileExistsError:
            pass
        except OSError:
            # There are file systems without a second name for a file. A key that is read before it is whole is refused.
            with suppress(FileExistsError):
                _copy(Path(beside), path)
    finally:
        Path(beside).unlink(missing_ok=True)
    sync_folder(path.parent)


def _copy(key: Path, path: Path) -> None:
    """Write a key once more, as a file that was not there before."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key.read_bytes())
        file.flush()
        os.fsync(file.fileno())


def unfinished_keys(path: Path) -> list[Path]:
    """Return what is left of keys that were being made when a run stopped."""
    return list(path.parent.glob(f".{path.name}-*.new"))


def key_check(key: bytes) -> str:
    """Return a value that tells keys apart and nothing about them."""
    return hmac.digest(key, b"textveil/job/check", "sha256")[:8].hex()
