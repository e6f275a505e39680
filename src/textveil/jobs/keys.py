"""The secret key of a run, from which all of its noise comes.

Whoever has the key and the output can undo the noise: a key lives in a file that only its owner can read, and one that
the run made itself is deleted when the run commits.
"""

from __future__ import annotations

import hmac
import stat
from pathlib import Path

from textveil.errors import InvalidInputError
from textveil.files.durable import write_whole
from textveil.randomness import LEAST_KEY_BYTES, fresh_key


def key_in(path: Path) -> bytes:
    """Return the key of a file, which is made if it is absent."""
    if not path.exists():
        if not path.parent.is_dir():
            raise InvalidInputError(f"there is no folder {path.parent} for the key file; make it")
        write_whole(path, fresh_key(), mode=0o600)
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


def key_check(key: bytes) -> str:
    """Return a value that tells keys apart and nothing about them."""
    return hmac.digest(key, b"textveil/job/check", "sha256")[:8].hex()
