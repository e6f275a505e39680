"""The public table that a certificate is about: distinct points on the vocabulary's lattice, found by content."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError
from textveil.immutable import read_only
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.lattice import STEP, LatticeTable

Ids = NDArray[np.int64]

_ROWS = 4096


class PublicTable:
    """Distinct public points, snapped to multiples of 2^-20 as those of a `Vocabulary` are."""

    def __init__(self, points: NDArray[Any], device: Any = None) -> None:
        self.device = device
        first: dict[bytes, int] = {}
        kept = [row for row, key in enumerate(_keys(points)) if first.setdefault(key, row) == row]
        if len(kept) < 2:
            raise InvalidInputError("public must have at least two different rows")
        self.points: NDArray[Any] = points if len(kept) == len(points) else read_only(points[kept])
        self._rows = {key: row for row, key in enumerate(first)}

    @classmethod
    def of(cls, public: Vocabulary | ArrayLike, dimension: int) -> PublicTable:
        """Take the points of a vocabulary, or snap an array of vectors."""
        if isinstance(public, Vocabulary):
            if not isinstance(public.space, Euclidean):
                raise InvalidInputError(f"public must be in Euclidean space (its vocabulary has {public.space.metric})")
            points, device = public.points, public.device
        else:
            array = np.asarray(public)
            if array.ndim != 2 or array.dtype.kind not in "fiu":
                raise InvalidInputError(
                    f"public must be a Vocabulary or real numbers of shape (n, {dimension}) "
                    f"(got {array.dtype} of shape {array.shape})"
                )
            table = LatticeTable(array.shape[1], capacity=max(1, len(array)))
            table.append([f"row {row}" for row in range(len(array))], array)
            points, device = table.finish(), None
        if points.shape[1] != dimension:
            raise InvalidInputError(f"public has {points.shape[1]} dimensions, but dimension={dimension}")
        return cls(points, device)

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the points."""
        digest = hashlib.sha256(b"textveil public table 1 %d %d\n" % self.points.shape)
        for start in range(0, len(self), _ROWS):
            digest.update(self.points[start : start + _ROWS].astype("<f8").tobytes())
        return digest.hexdigest()

    def find(self, vectors: NDArray[np.float64]) -> Ids:
        """Return the row that each vector is, after snapping. The vectors are private: no error quotes them."""
        with np.errstate(over="ignore"):
            snapped = np.rint(vectors / STEP) * STEP + 0.0
        found = [self._rows.get(key, -1) for key in _keys(snapped)]
        rows = np.array(found, dtype=np.int64)
        if (rows < 0).any() or not (self.points[rows] == snapped).all():
            raise InvalidInputError(
                "vectors must be rows of the certified public table: the certificate covers nothing else, averages of "
                'rows included; use certify="operator", which covers every vector'
            )
        return rows


def _keys(points: NDArray[Any]) -> list[bytes]:
    keys: list[bytes] = []
    for start in range(0, len(points), _ROWS):
        block = points[start : start + _ROWS].astype("<f8")
        keys += [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in block]
    return keys
