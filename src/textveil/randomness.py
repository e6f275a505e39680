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
import math
import os
import warnings
from collections.abc import Sequence
from enum import StrEnum
from threading import Lock
from typing import Any, Never, TypeAlias
from weakref import WeakSet

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError, NotPrivateWarning, require_count
from textveil.hashing import Packed, keyed_hashes

Words = NDArray[np.uint64]
Contents: TypeAlias = NDArray[Any] | Sequence[bytes] | Packed

LEAST_KEY_BYTES = 16
_BLOCK_WORDS = 2


def fresh_key() -> bytes:
    """Return 32 bytes of the operating system's randomness, for a key."""
    return os.urandom(32)


class SourceKind(StrEnum):
    """How a source came by its key; written in receipts."""

    SECURE = "secure"
    KEYED = "keyed"
    SEEDED = "seeded"


class RandomSource:
    """A key and the position in it. Make one with `secure`, `keyed` or `seeded`."""

    def __init__(self, kind: SourceKind, row: int, key: bytes) -> None:
        self.kind = kind
        self.row = row
        self._key = key
        self._lock = Lock()
        _SOURCES.add(self)

    def __repr__(self) -> str:
        return f"RandomSource({self.kind}, row={self.row})"

    @classmethod
    def secure(cls) -> RandomSource:
        """Fresh noise from the operating system's generator; never repeats."""
        return cls(SourceKind.SECURE, 0, fresh_key())

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
        number = require_count("seed", seed, least=0)
        return cls(SourceKind.SEEDED, 0, hashlib.sha256(b"textveil seeded %d" % number).digest())

    @classmethod
    def given(cls, source: RandomSource | None) -> RandomSource:
        """Return the source that a caller gave, or a fresh secure one."""
        if source is None:
            return cls.secure()
        if not isinstance(source, cls):
            raise InvalidInputError(
                f"source must be a RandomSource, such as RandomSource.keyed(key) (got {type(source).__name__}); "
                "leave it out for fresh secure noise"
            )
        return source

    @property
    def private(self) -> bool:
        """Whether noise from this source protects anything."""
        return self.kind is not SourceKind.SEEDED

    def at(self, row: int) -> RandomSource:
        """Return the same key at another row; a secure source has no rows to choose, since it never repeats."""
        if self.kind is SourceKind.SECURE:
            raise InvalidInputError("a secure source never repeats, so its row can't be chosen; use RandomSource.keyed")
        return RandomSource(self.kind, _row(row), self._key)

    def streams(self, purpose: bytes, contents: Contents) -> Streams:
        """Give each item its own stream.

        Parameters
        ----------
        purpose : what the noise is for (the digest of a mechanism's spec)
        contents : the items: an integer array (one item each), a 2-d array (one item a row), or byte strings
        """
        count = len(contents)
        with self._lock:
            key, first = self._key, self.row
            if self.kind is not SourceKind.KEYED:
                self.row += count
        own = _subkey(key, b"stream", purpose)
        if self.kind is SourceKind.SECURE:
            return FreshStreams(own, _subkey(key, b"chacha8", purpose), range(first, first + count))
        rows = np.arange(first, first + count, dtype=np.uint64)
        return Streams(own, _item_starts(_subkey(key, b"item", purpose), rows, contents))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Copy to another process: a secure source takes a new key there."""
        if self.kind is SourceKind.SECURE:
            return (RandomSource.secure, ())
        return (RandomSource, (self.kind, self.row, self._key))

    def __copy__(self) -> RandomSource:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: object) -> RandomSource:
        return RandomSource.secure() if self.kind is SourceKind.SECURE else self.at(self.row)

    def _begin_in_child(self) -> None:
        self._lock = Lock()
        if self.kind is SourceKind.SECURE:
            self._key, self.row = fresh_key(), 0


_SOURCES: WeakSet[RandomSource] = WeakSet()


def _after_fork() -> None:
    """Give every secure source of a forked child its own key, before anything else runs there."""
    for source in list(_SOURCES):
        source._begin_in_child()


os.register_at_fork(after_in_child=_after_fork)


class Streams:
    """One keystream an item, read forward in step: `words(k)` gives the next k numbers of each.

    `used` is how many 128-bit blocks of each stream are behind; a reader may move it forward.
    """

    def __init__(self, key: bytes, starts: Words) -> None:
        self.used = 0
        self.key = key
        self._starts = starts
        self._cipher = _cipher(key)

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> Words:
        """The counter at which each stream begins: shape (items, 2)."""
        return self._starts

    def words(self, count: int) -> Words:
        """Return the next `count` uniform 64-bit numbers of every item: shape (items, count)."""
        blocks = -(-count // _BLOCK_WORDS)
        counters = _blocks(len(self) * blocks).reshape(len(self), blocks, _BLOCK_WORDS)
        _count_from(self.starts, self.used, counters)
        self.used += blocks
        return _encrypt(self._cipher, counters).reshape(len(self), blocks * _BLOCK_WORDS)[:, :count]

    def select(self, items: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> Streams:
        """Return the streams of some items, each read on from where it is."""
        chosen = Streams(self.key, self.starts[items] if isinstance(items, slice) else _some(self.starts, items))
        chosen.used = self.used
        return chosen

    def __reduce__(self) -> Never:
        """Refuse copies, in this process or another: they would give the same noise again."""
        raise TypeError("streams are never copied; draw from the source instead")

    def split(self, counts: NDArray[np.integer[Any]]) -> Streams:
        """Give item i counts[i] streams of its own: the words of a document."""
        if counts.shape != (len(self),) or counts.dtype.kind not in "iu" or counts.min(initial=0) < 0:
            raise ValueError(f"counts must be {len(self)} whole numbers from 0, one for each stream")
        parts = _blocks(int(counts.sum()))
        _count_parts(self.starts, self.used, counts, parts)
        key = _subkey(self.key, b"split", b"")
        return Streams(_subkey(key, b"stream", b""), _encrypt(_cipher(key), parts))


class FreshStreams(Streams):
    """The streams of a secure source: its key is new, so that the rows, which differ, are all that is needed."""

    def __init__(self, key: bytes, wide_key: bytes, rows: range) -> None:
        super().__init__(key, np.empty((0, _BLOCK_WORDS), dtype=np.uint64))
        self.wide_key, self.rows = wide_key, rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def starts(self) -> Words:
        """The rows, with zeros behind them; made when they are asked for, since a GPU counts by itself."""
        if len(self._starts) < len(self):
            rows = np.arange(self.rows.start, self.rows.stop, dtype=np.uint64)
            self._starts = np.stack([rows, np.zeros_like(rows)], axis=1)
        return self._starts

    def select(self, items: NDArray[np.integer[Any]] | NDArray[np.bool_] | slice) -> Streams:
        """Return the streams of some items, each read on from where it is."""
        if not isinstance(items, slice) or items.step not in (None, 1):
            return super().select(items)
        chosen = FreshStreams(self.key, self.wide_key, self.rows[items])
        chosen.used = self.used
        return chosen


@compiled
def _count_from(starts, used, counters):  # type: ignore[no-untyped-def]
    for item in range(counters.shape[0]):
        for block in range(counters.shape[1]):
            counters[item, block, 0] = starts[item, 0]
            counters[item, block, 1] = starts[item, 1] + np.uint64(used + block)


@compiled
def _count_parts(starts, used, counts, parts):  # type: ignore[no-untyped-def]
    place = 0
    for item in range(counts.size):
        for part in range(counts[item]):
            parts[place, 0] = starts[item, 0]
            parts[place, 1] = starts[item, 1] + np.uint64(used + part)
            place += 1


def _some(blocks: Words, items: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Words:
    """Return some 128-bit blocks; single numbers of 16 bytes are copied several times as fast as rows of two."""
    chosen: Words = blocks.view(np.complex128)[:, 0][items].view(np.uint64).reshape(-1, _BLOCK_WORDS)
    return chosen


def _cipher(key: bytes) -> CipherContext:
    # ECB over counters is counter mode, with counters of our own.
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305


def _blocks(count: int) -> Words:
    """Room for 128-bit blocks, with the one block more that OpenSSL asks for when it encrypts in place."""
    return np.empty((count + 1, _BLOCK_WORDS), dtype=np.uint64)[:count]


def _encrypt(cipher: CipherContext, blocks: Words) -> Words:
    """Encrypt blocks in place; they must come from `_blocks`."""
    room = blocks.base
    if blocks.size and room is not None:
        whole = room.reshape(-1).view(np.uint8).data
        cipher.update_into(whole[: blocks.nbytes], whole)
    return blocks


def _item_starts(key: bytes, rows: Words, contents: Contents) -> Words:
    """128 bits an item, a pseudo-random function of its row and content."""
    cipher, starts = _cipher(key), _blocks(len(rows))
    if isinstance(contents, np.ndarray) and contents.ndim == 1:
        starts[:, 0], starts[:, 1] = rows, contents.astype(np.int64).view(np.uint64)
        return _encrypt(cipher, starts)
    starts[:] = _content_hashes(_subkey(key, b"content", b""), contents)
    _encrypt(cipher, starts)[:, 0] ^= rows
    return _encrypt(cipher, starts)


def _content_hashes(key: bytes, contents: Contents) -> Words:
    if isinstance(contents, np.ndarray):
        flat = np.ascontiguousarray(contents).reshape(len(contents), math.prod(contents.shape[1:]))
        width = flat.shape[1] * flat.itemsize
        offsets = np.arange(len(flat) + 1, dtype=np.int64) * width
        contents = Packed(flat.view(np.uint8).reshape(-1), offsets)
    elif not isinstance(contents, Packed):
        contents = Packed.of(list(contents))
    return keyed_hashes(key, contents)


def _subkey(key: bytes, label: bytes, purpose: bytes) -> bytes:
    """Return a key for one use of another."""
    return hmac.digest(key, b"textveil/" + label + b"/" + purpose, "sha256")


def _row(row: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < 2**63:
        raise InvalidInputError(f"row must be a whole number from 0 below 2^63 (got {row!r})")
    return int(row)
