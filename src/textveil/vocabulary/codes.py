"""Points and queries as 8-bit whole numbers, with a bound on what that changes in any score.

A point x is about s X and a query q about t Q, X and Q whole numbers from -127 to 127, or smaller ones where the
instructions that multiply them ask for it. Then q.x differs from the
whole number t s Q.X by at most |t Q| |x - s X| + |q - t Q| |x|. Points are put in the order of their largest
coordinate, so that the points of a block have nearly the same s and share it. Proof: docs/search.md, claim 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction, over_threads
from textveil.elementary import float_bits, float_from_bits
from textveil.errors import InvalidInputError
from textveil.gpu.codes import LARGEST, bounds_of
from textveil.gpu.tiles import BLOCK
from textveil.vocabulary.instructions import VNNI, Instructions
from textveil.vocabulary.lattice import STEP

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.int8]

# A code is as wide as a multiple of this.
WIDTH = 4

# Squares of queries below this stay far from overflow in float64, and products in float32.
FARTHEST = 2.0**400
FARTHEST_SINGLE = 2.0**60

_ROWS = 64 * BLOCK
_HALF_STEPS = 2 / STEP
WITHOUT_SIGN = 2**63 - 1
FARTHEST_BITS = int(np.float64(FARTHEST).view(np.int64))


@dataclass(frozen=True)
class PointCodes:
    """Points of a table as whole numbers, the largest first, filled up to whole blocks.

    Attributes
    ----------
    rows : the row of the table behind each point; 0 for what was filled up
    codes : shape (points, width)
    halves : |x|^2 / 2 of each point, infinite for what was filled up
    scales : s of each block
    bounds : of each block: what a score errs by for each unit of |t Q|, for each unit of |q - t Q|, and besides
    """

    rows: Ids
    codes: Bytes
    halves: Singles
    scales: Singles
    bounds: Singles


@dataclass(frozen=True)
class QueryCodes:
    """Queries as whole numbers t Q, filled up to a multiple of what is asked at once.

    Attributes
    ----------
    codes : shape (queries, width)
    sums : of the codes of each query
    scales : t of each query
    norms : of t Q, at most
    errors : |q - t Q|
    lengths : |q|
    on_lattice : whether all coordinates are whole multiples of half a lattice step
    """

    codes: Bytes
    sums: NDArray[np.int32]
    scales: Singles
    norms: Singles
    errors: Singles
    lengths: Floats
    on_lattice: NDArray[np.bool_]


def encode_points(points: NDArray[Any], halves: Floats, kind: Instructions = VNNI) -> PointCodes:
    """Return the codes of a table; points whose half norm is infinite are left out.

    Parameters
    ----------
    points : in rows
    halves : |x|^2 / 2 of each
    kind : what multiplies the codes, and says how large they may be
    """
    kept = np.flatnonzero(np.isfinite(halves))
    largest = np.empty(len(kept))
    spread = [slice(start, start + _ROWS) for start in range(0, len(kept), _ROWS)]
    for _ in over_threads(lambda part: _largest(points, kept[part], largest[part]), spread):
        pass
    order = np.argsort(-largest, kind="stable")
    count = -(-len(kept) // BLOCK) * BLOCK
    rows = np.zeros(count, dtype=np.int64)
    rows[: len(kept)] = kept[order]
    scales = np.divide(largest[order[::BLOCK]], kind.largest).astype(np.float32)
    codes = np.zeros((count, _width(points.shape[1])), dtype=np.int8)
    norms, errors = np.zeros((2, count))

    def encode(part: slice) -> None:
        own = np.repeat(scales[part.start // BLOCK : -(-part.stop // BLOCK)], BLOCK).astype(np.float64)
        _encode(points, rows[part], own, float(kind.largest), codes[part], norms[part], errors[part])

    spread = [slice(start, min(start + _ROWS, len(kept))) for start in range(0, len(kept), _ROWS)]
    for _ in over_threads(encode, spread):
        pass
    singles = np.full(count, np.inf, dtype=np.float32)
    singles[: len(kept)] = halves[rows[: len(kept)]]
    return PointCodes(rows, codes, singles, scales, _bounds(norms, errors))


def encode_queries(queries: Floats, multiple: int = 1, kind: Instructions = VNNI) -> QueryCodes:
    """Return the codes of queries; they bound scores of queries with norms from 2^-60 to 2^60.

    Parameters
    ----------
    queries : in rows
    multiple : of this many, to which their number is filled up
    kind : what multiplies the codes, and says how large they may be
    """
    count = -(-len(queries) // multiple) * multiple
    codes = np.zeros((count, _width(queries.shape[1])), dtype=np.int8)
    sums, on_lattice = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.bool_)
    scales, norms, errors = np.zeros((3, count), dtype=np.float32)
    coded = QueryCodes(codes, sums, scales, norms, errors, np.zeros(count), on_lattice)
    # Rounding adds at most a half to each of the two codes of a step.
    most = 0 if kind.most is None else kind.most - kind.steps
    out = (codes, sums, scales, norms, errors, coded.lengths, on_lattice)
    require_near(_encode_queries(queries, most, out))
    return coded


def require_near(are_near: bool) -> None:
    """Refuse queries that are not all below the farthest that can be looked for."""
    if not are_near:
        raise InvalidInputError("points must be finite and below 2^400 in every coordinate")


def _bounds(norms: Floats, errors: Floats) -> Singles:
    norm, error = norms.reshape(-1, BLOCK).max(axis=1), errors.reshape(-1, BLOCK).max(axis=1)
    return np.stack(bounds_of(norm, error), axis=1).astype(np.float32)


def _width(dimension: int) -> int:
    return -(-dimension // WIDTH) * WIDTH


@compiled
def _largest(points, rows, largest):  # type: ignore[no-untyped-def]
    for i in range(rows.size):
        found = 0.0
        for value in points[rows[i]]:
            found = max(found, abs(value))
        largest[i] = found


@compiled
def _encode(vectors, rows, scales, largest, codes, norms, errors):  # type: ignore[no-untyped-def]
    for i in range(rows.size):
        scale, norm, error = scales[i], 0.0, 0.0
        inverse = 1.0 / scale if scale > 0.0 else 0.0
        vector = vectors[rows[i]]
        for k in range(vector.size):
            value = np.float64(vector[k])
            code = min(max(np.rint(value * inverse), -largest), largest)
            left = value - scale * code
            codes[i, k] = np.int8(code)
            norm += value * value
            error += left * left
        norms[i], errors[i] = np.sqrt(norm), np.sqrt(error)


@compiled_reduction
def _largest_sum(vector):  # type: ignore[no-untyped-def]
    """At least the largest sum of sizes of those whose products AVX2 adds up in 16 bits: pairs, in three steps."""
    whole = vector.size // 12 * 12
    rest = 0.0
    for k in range(whole, vector.size):
        rest += abs(vector[k])
    found = rest
    for k in range(0, whole, 12):
        first = abs(vector[k]) + abs(vector[k + 4]) + abs(vector[k + 8])
        second = abs(vector[k + 1]) + abs(vector[k + 5]) + abs(vector[k + 9])
        third = abs(vector[k + 2]) + abs(vector[k + 6]) + abs(vector[k + 10])
        fourth = abs(vector[k + 3]) + abs(vector[k + 7]) + abs(vector[k + 11])
        found = max(found, first + second, third + fourth)
    return found


@compiled_reduction
def _encode_queries(queries, most, out):  # type: ignore[no-untyped-def]
    """Look at each query twice while it is in the first-level cache; return whether all are near enough."""
    codes, sums, scales, norms, errors, lengths, on_lattice = out
    for i in range(queries.shape[0]):
        query = queries[i]
        bits = np.int64(0)
        for k in range(query.size):
            bits = max(bits, float_bits(query[k]) & WITHOUT_SIGN)
        largest = float_from_bits(bits)
        if bits >= FARTHEST_BITS:
            return False
        step = largest / LARGEST
        if most > 0:
            step = max(step, _largest_sum(query) / most)
        scale = np.float64(np.float32(step)) if largest < FARTHEST_SINGLE else 0.0
        inverse = 1.0 / scale if scale > 0.0 else 0.0
        norm, error, total, between = 0.0, 0.0, np.int32(0), 0
        for k in range(query.size):
            value = query[k]
            code = min(max(np.rint(value * inverse), -127.0), 127.0)
            left = value - scale * code
            half_steps = value * _HALF_STEPS
            codes[i, k] = np.int8(code)
            total += np.int32(code)
            between += np.rint(half_steps) != half_steps
            norm += value * value
            error += left * left
        lengths[i], error = np.sqrt(norm), np.sqrt(error)
        on_lattice[i] = between == 0
        if largest < FARTHEST_SINGLE:
            # The norm of t Q is at most that of q and of the difference.
            sums[i], scales[i], norms[i], errors[i] = total, scale, lengths[i] + error, error
    return True
