"""Where all noise comes from: a key and a cryptographic keystream.

A `RandomSource` holds a key. Each item of a release (a word, a vector, a document) gets its own stream:
AES-256 in counter mode from a 128-bit start that is a pseudo-random function of (key, mechanism, row,
content). So the same item under the same key repeats its noise, an edited one never meets its old noise,
and what an item gets does not depend on the batch it came in.

`secure()` takes its key from the operating system and never repeats; a forked or unpickled copy takes a
new key. `keyed()` is for jobs that must be able to resume. `seeded()` is for tests: not private.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, NotPrivateWarning

Words = NDArray[np.uint64]
Contents = NDArray[np.generic] | Sequence[bytes]

LEAST_KEY_BYTES = 16
_BLOCK_WORDS = 2


class SourceKind(StrEnum):
    """How a source came by its key; written in receipts."""

    SECURE = "secure"
    KEYED = "keyed"
    SEEDED = "seeded"


@dataclass
class RandomSource:
    """A key and the position in it. Make one with `secure`, `keyed` or `seeded`."""

    kind: SourceKind
    row: int
    _key: bytes = field(repr=False)
    _process: int = field(default_factory=os.getpid, repr=False)

    @classmethod
    def secure(cls) -> RandomSource:
        """Fresh noise from the operating system's generator; never repeats."""
        return cls(SourceKind.SECURE, 0, os.urandom(32))

    @classmethod
    def keyed(cls, key: bytes, row: int = 0) -> RandomSource:
        """Noise that repeats for the same key, mechanism, row and content; the key is a secret.

        Parameters
        ----------
        key : at least 16 bytes, secret, drawn at random for each run
        row : number of the first item; item i of a batch uses row + i
        """
        if not isinstance(key, bytes | bytearray) or len(key) < LEAST_KEY_BYTES:
            raise InvalidInputError(
                f"key must be at least {LEAST_KEY_BYTES} bytes of secret randomness; os.urandom(32) makes one"
            )
        return cls(SourceKind.KEYED, _row(row), bytes(key))

    @classmethod
    def seeded(cls, seed: int) -> RandomSource:
        """Reproducible noise for tests. Anyone can repeat it, so what it releases is NOT private."""
        warnings.warn(
            "a seeded source is for tests: anyone can repeat its noise, so the release is not private",
            NotPrivateWarning,
            stacklevel=2,
        )
        return cls(SourceKind.SEEDED, 0, hashlib.sha256(b"textveil seeded %d" % seed).digest())

    @property
    def private(self) -> bool:
        """Whether noise from this source protects anything."""
        return self.kind is not SourceKind.SEEDED

    def at(self, row: int) -> RandomSource:
        """Return the same key at another row."""
        return replace(self, row=_row(row))

    def streams(self, purpose: bytes, contents: Contents) -> Streams:
        """Give each item its own stream.

        Parameters
        ----------
        purpose : what the noise is for (the digest of a mechanism's spec)
        contents : the items: an integer array (one item each), a 2-d array (one item a row), or bytes
        """
        self._rekey_after_fork()
        count, first = len(contents), self.row
        if self.kind is not SourceKind.KEYED:
            self.row += count
        rows = np.arange(first, first + count, dtype=np.uint64)
        if self.kind is SourceKind.SECURE:
            # The key is fresh, so distinct counters are all that is needed.
            starts = np.stack([rows, np.zeros_like(rows)], axis=1)
        else:
            starts = _item_starts(_subkey(self._key, b"item", purpose), rows, contents)
        return Streams(_subkey(self._key, b"stream", purpose), starts)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Copy to another process: a secure source takes a new key there."""
        if self.kind is SourceKind.SECURE:
            return (RandomSource.secure, ())
        return (RandomSource, (self.kind, self.row, self._key))

    def __copy__(self) -> RandomSource:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: object) -> RandomSource:
        return RandomSource.secure() if self.kind is SourceKind.SECURE else replace(self)

    def _rekey_after_fork(self) -> None:
        if self._process != os.getpid():
            self._process = os.getpid()
            if self.kind is SourceKind.SECURE:
                self._key, self.row = os.urandom(32), 0


class Streams:
    """One keystream an item, read forward in step: `words(k)` gives the next k numbers of each."""

    def __init__(self, key: bytes, starts: Words) -> None:
        self._key = key
        self._starts = starts
        self._used = 0
        self._cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()

    def __len__(self) -> int:
        return len(self._starts)

    def words(self, count: int) -> Words:
        """Return the next `count` uniform 64-bit numbers of every item: shape (items, count)."""
        blocks = -(-count // _BLOCK_WORDS)
        counters = np.empty((len(self), blocks, _BLOCK_WORDS), dtype=np.uint64)
        counters[:, :, 0] = self._starts[:, :1]
        places = np.arange(self._used, self._used + blocks, dtype=np.uint64)
        np.add(self._starts[:, 1:], places, out=counters[:, :, 1])
        self._used += blocks
        output = _encrypt(self._cipher, counters).reshape(len(self), blocks * _BLOCK_WORDS)
        return output[:, :count]

    def select(self, items: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> Streams:
        """Return the streams of some items, each read on from where it is."""
        chosen = Streams(self._key, self._starts[items])
        chosen._used = self._used
        return chosen

    def split(self, counts: NDArray[np.integer[Any]]) -> Streams:
        """Give item i counts[i] streams of its own: the words of a document."""
        owner = np.repeat(np.arange(len(self)), counts)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        place = np.arange(len(owner), dtype=np.uint64) - first.astype(np.uint64)
        parents = self._starts[owner]
        parents[:, 1] += place
        child_key = _subkey(self._key, b"split", b"")
        cipher = Cipher(algorithms.AES(child_key), modes.ECB()).encryptor()
        return Streams(_subkey(child_key, b"stream", b""), _encrypt(cipher, parents))


def _encrypt(cipher: object, blocks: Words) -> Words:
    output = np.empty(blocks.nbytes + 15, dtype=np.uint8)
    written = cipher.update_into(np.ascontiguousarray(blocks).data.cast("B"), output.data)  # type: ignore[attr-defined]
    return output[:written].view(np.uint64).reshape(blocks.shape)


def _item_starts(key: bytes, rows: Words, contents: Contents) -> Words:
    """128 bits an item, a pseudo-random function of its row and content."""
    if isinstance(contents, np.ndarray) and contents.ndim == 1:
        blocks = np.stack([rows, contents.astype(np.int64).view(np.uint64)], axis=1)
        return _encrypt(Cipher(algorithms.AES(key), modes.ECB()).encryptor(), blocks)
    if isinstance(contents, np.ndarray):
        flat = np.ascontiguousarray(contents)
        contents = [row.data.cast("B") for row in flat.reshape(len(flat), -1).view(np.uint8)]
    starts = np.empty((len(rows), _BLOCK_WORDS), dtype=np.uint64)
    for index, content in enumerate(contents):
        digest = hashlib.blake2b(key=key, digest_size=16, person=b"textveil item")
        digest.update(int(rows[index]).to_bytes(8, "little"))
        digest.update(content)
        starts[index] = np.frombuffer(digest.digest(), dtype=np.uint64)
    return starts


def _subkey(key: bytes, label: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, b"textveil/" + label + b"/" + purpose, "sha256")


def _row(row: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < 2**63:
        raise InvalidInputError(f"row must be a whole number from 0 below 2^63 (got {row!r})")
    return int(row)
