"""Linear maps to fewer dimensions: public matrices, kept in memory or drawn again from their seed column by column.

A matrix A has `target` rows and `dimension` columns. Column k of a drawn matrix comes from its own stream of a keyed
source whose key is the public seed, so that any columns can be had without the others: a million columns take
16 MB. Products add their terms in the order of the columns, whatever the batch.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.compiled import compiled, over_threads
from textveil.errors import InvalidInputError
from textveil.immutable import Immutable, read_only
from textveil.mechanisms.privemb.constants import FINENESS, operator_norm
from textveil.mechanisms.privemb.table import PublicTable
from textveil.noise.transforms import normals
from textveil.randomness import RandomSource, Streams

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

NAMES = ("gaussian", "haar", "pca", "sparse")
BLOCK = 4096
# Larger matrices are drawn again when they are needed; those that must be kept are refused.
_MOST_KEPT = 1 << 22
_MOST_ENTRIES = 1 << 27
_LARGEST = 2.0**100
_PORTION = 256


@dataclass(frozen=True)
class Projection(Immutable):
    """A public matrix, by its columns: `columns(ids)` has shape (len(ids), target)."""

    name: str
    dimension: int
    target: int
    columns: Callable[[Ids], Floats]

    def blocks(self) -> Iterator[Floats]:
        """Yield all columns in order, some thousand at a time."""
        for start in range(0, self.dimension, BLOCK):
            yield self.columns(np.arange(start, min(start + BLOCK, self.dimension)))

    @cached_property
    def matrix(self) -> Floats:
        """The matrix, shape (target, dimension)."""
        return read_only(np.ascontiguousarray(np.concatenate(list(self.blocks())).T))

    @property
    def digest(self) -> str:
        """The sha256 of the entries."""
        return self._summary[0]

    @property
    def squared_norm(self) -> float:
        """The sum of the squares of all entries."""
        return float(np.trace(self._summary[1]))

    @cached_property
    def operator_norm(self) -> float:
        """An upper bound of the largest stretch of any vector, equal to it up to rounding."""
        return operator_norm(self._summary[1], min(self.dimension, BLOCK) + -(-self.dimension // BLOCK))

    @cached_property
    def _summary(self) -> tuple[str, Floats]:
        digest = hashlib.sha256(b"textveil projection 1 %d %d\n" % (self.target, self.dimension))
        gram = np.zeros((self.target, self.target))
        for block in self.blocks():
            digest.update(block.astype("<f8", copy=False).tobytes())
            gram += block.T @ block
        return digest.hexdigest(), gram

    def apply(self, vectors: Floats) -> Floats:
        """Return A x for each row x."""
        out = np.zeros((len(vectors), self.target))
        first = 0
        for block in self.blocks():
            part = vectors[:, first : first + len(block)]
            first += len(block)

            def work(start: int, part: Floats = part, block: Floats = block) -> None:
                _add_products(part[start : start + _PORTION], block, out[start : start + _PORTION])

            for _ in over_threads(work, range(0, len(vectors), _PORTION)):
                pass
        return out

    def apply_sparse(self, matrix: Any) -> Floats:
        """Return A x for each row x of a canonical SciPy CSR matrix, drawing only the columns that occur."""
        out = np.zeros((matrix.shape[0], self.target))
        used, place = np.unique(matrix.indices, return_inverse=True)
        reached = matrix.indptr[:-1].astype(np.int64)
        ends = matrix.indptr[1:].astype(np.int64)
        for first in range(0, len(used), BLOCK):
            block = self.columns(used[first : first + BLOCK].astype(np.int64))
            _add_sparse_products(place, matrix.data, reached, ends, first, block, out)
        return out


def projection_of(
    asked: str | ArrayLike, dimension: int, target: int, *, seed: int, table: PublicTable | None
) -> Projection:
    """Make the projection with this name, or around the user's own (target, dimension) array."""
    if not isinstance(asked, str):
        return _kept("own", _checked(np.asarray(asked), dimension, target).T)
    if asked not in NAMES:
        raise InvalidInputError(f"projection must be one of {NAMES} or a ({target}, {dimension}) array (got {asked!r})")
    if asked == "pca":
        if table is None:
            raise InvalidInputError('projection="pca" needs public=, the table whose directions it takes')
        return _kept("pca", _principal_axes(table.points, target))
    if asked == "haar":
        return _kept("haar", _orthonormal(_column_streams(asked, dimension, target, seed), target))
    drawn = _Drawn(asked, dimension, target, seed)
    if dimension * target <= _MOST_KEPT:
        return _kept(asked, drawn(np.arange(dimension)))
    return Projection(asked, dimension, target, drawn)


def _kept(name: str, columns: Floats) -> Projection:
    kept = _Kept(np.ascontiguousarray(columns))
    dimension, target = kept.values.shape
    return Projection(name, dimension, target, kept)


@dataclass(frozen=True, eq=False)
class _Kept(Immutable):
    """Columns that are in memory."""

    values: Floats

    def __call__(self, ids: Ids) -> Floats:
        columns: Floats = self.values[ids]
        return columns


@dataclass(frozen=True)
class _Drawn(Immutable):
    """Columns that are drawn again each time."""

    name: str
    dimension: int
    target: int
    seed: int

    def __call__(self, ids: Ids) -> Floats:
        draw = _gaussian_columns if self.name == "gaussian" else _sign_columns
        return draw(self._streams.select(ids), self.target)

    @cached_property
    def _streams(self) -> Streams:
        return _column_streams(self.name, self.dimension, self.target, self.seed)


def _column_streams(name: str, dimension: int, target: int, seed: int) -> Streams:
    key = hashlib.sha256(b"textveil projection %d" % seed).digest()
    return RandomSource.keyed(key).streams(f"{name} {target} {dimension}".encode(), np.arange(dimension))


def _gaussian_columns(streams: Streams, target: int) -> Floats:
    return normals(streams, target) / math.sqrt(target)


def _sign_columns(streams: Streams, target: int) -> Floats:
    """Entries 1 and -1 with probability 1/6 each, else 0, times sqrt(3 / target) (Achlioptas 2003)."""
    face = streams.words(target) // np.uint64(2**64 // 6 + 1)
    signs = (face == 0).astype(np.float64) - (face == 1)
    return np.asarray(signs * math.sqrt(3 / target))


def _orthonormal(streams: Streams, target: int) -> Floats:
    """Columns of a uniformly random orthonormal frame (Haar): QR of normal numbers, with positive diagonal."""
    if len(streams) * target > _MOST_ENTRIES:
        raise InvalidInputError(
            f"a Haar projection of {target} x {len(streams)} must be kept in memory and has more than "
            f'{_MOST_ENTRIES:,} entries; use projection="sparse" or "gaussian"'
        )
    frame, triangle = np.linalg.qr(normals(streams, target))
    return _rounded(frame * np.sign(np.diag(triangle)))


def _principal_axes(points: NDArray[Any], target: int) -> Floats:
    """The directions in which a public table varies most, each with its largest entry positive."""
    mean = points.mean(axis=0, dtype=np.float64)
    scatter = np.zeros((points.shape[1], points.shape[1]))
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK] - mean
        scatter += block.T @ block
    axes = np.linalg.eigh(scatter)[1][:, ::-1][:, :target]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(target)]
    return _rounded(axes * np.sign(largest))


def _rounded(columns: Floats) -> Floats:
    return np.asarray(np.rint(columns / FINENESS) * FINENESS + 0.0)


def _checked(matrix: NDArray[Any], dimension: int, target: int) -> Floats:
    if matrix.dtype.kind not in "fiu" or matrix.shape != (target, dimension):
        raise InvalidInputError(
            f"projection must be real numbers of shape ({target}, {dimension}) (got {matrix.dtype} of {matrix.shape})"
        )
    values = matrix.astype(np.float64)
    largest = float(np.abs(values).max())
    if not 1 / _LARGEST <= largest <= _LARGEST:
        raise InvalidInputError("projection must be finite, not all 0, with entries up to 2^100")
    return values


@compiled
def _add_products(vectors, columns, out):  # type: ignore[no-untyped-def]
    for i in range(vectors.shape[0]):
        row = out[i]
        for k in range(vectors.shape[1]):
            value = vectors[i, k]
            if value != 0.0:
                for j in range(row.size):
                    row[j] += value * columns[k, j]


@compiled
def _add_sparse_products(place, data, reached, ends, first, columns, out):  # type: ignore[no-untyped-def]
    last = first + columns.shape[0]
    for i in range(out.shape[0]):
        row = out[i]
        while reached[i] < ends[i] and place[reached[i]] < last:
            value, k = data[reached[i]], place[reached[i]] - first
            for j in range(row.size):
                row[j] += value * columns[k, j]
            reached[i] += 1
