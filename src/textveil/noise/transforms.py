"""From uniform bits to uniform, normal and Gamma numbers, in float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.elementary import (
    cosine_of_quarter,
    float_bits,
    float_from_bits,
    log,
    multiply_high,
    sine_of_quarter,
)
from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.noise.reading import Rows, in_portions, until_done
from textveil.randomness import Streams, Words

Floats = NDArray[np.float64]

_ONE = np.int64(0x3FF0000000000000)
_SIGN = np.int64(-(2**63))
_HALF_STEP = 2.0**-53
_GAMMA_WORDS = 4
_SQUEEZE = 0.0331


def uniforms(words: Words) -> Floats:
    """Turn each word into an odd multiple of 2^-53: uniform, never 0 and never 1."""
    out = np.empty(words.size)
    _uniforms(np.ascontiguousarray(words).reshape(-1), out)
    return out.reshape(words.shape)


def normals(streams: Streams, count: int) -> Floats:
    """Draw `count` standard normal numbers an item: shape (items, count). None of them is ever 0."""
    out = np.empty((len(streams), require_count("count", count)))

    def fill(part: Streams, rows: slice) -> None:
        fill_normals(part, np.ones(len(part)), out[rows])

    in_portions(streams, count, fill, threads=1)
    return out


def fill_normals(streams: Streams, deviations: Floats, out: Floats) -> None:
    """Write normal numbers into `out`, one row an item, with the standard deviation of the item."""
    _box_muller(streams.words(2 * -(-out.shape[1] // 2)), deviations, out)


def gammas(streams: Streams, shape: float) -> Floats:
    """Draw one Gamma(shape, scale 1) number an item (Marsaglia and Tsang 2000)."""
    shape = require_positive("shape", shape)
    boosted = shape + 1 if shape < 1 else shape
    out = np.empty(len(streams))

    def attempt(part: Streams, rows: Rows) -> NDArray[np.bool_]:
        accepted = np.empty(len(part), dtype=np.bool_)
        drawn = np.empty(len(part))
        _marsaglia_tsang(part.words(_GAMMA_WORDS), boosted - 1 / 3, drawn, accepted)
        out[rows] = drawn
        return accepted

    until_done(streams, attempt)
    if shape < 1:
        # Gamma(a) = Gamma(a + 1) * U^(1/a)
        out *= uniforms(streams.words(2)[:, :1])[:, 0] ** (1 / shape)
    return out


def below(streams: Streams, n: int) -> NDArray[np.int64]:
    """Draw one whole number an item, exactly uniform on 0 .. n - 1, for n up to 2^63."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= 2**63:
        raise InvalidInputError(f"n must be a whole number from 1 to 2^63 (got {n!r})")
    out = np.empty(len(streams), dtype=np.int64)

    def attempt(part: Streams, rows: Rows) -> NDArray[np.bool_]:
        words = part.words(2)
        accepted = np.empty(len(part), dtype=np.bool_)
        drawn = np.empty(len(part), dtype=np.int64)
        _scale_down(words, np.uint64(n), np.uint64(2**64 % int(n)), drawn, accepted)
        out[rows] = drawn
        return accepted

    until_done(streams, attempt)
    return out


@compiled
def _unit(word):  # type: ignore[no-untyped-def]
    """52 bits as an odd multiple of 2^-53; the exponent trick vectorises where integers do not convert."""
    return (float_from_bits(np.int64(word >> np.uint64(12)) | _ONE) - 1.0) + _HALF_STEP


@compiled
def _uniforms(words, out):  # type: ignore[no-untyped-def]
    for i in range(words.size):
        out[i] = _unit(words[i])


@compiled
def _normal_pair(radial, angular, deviation):  # type: ignore[no-untyped-def]
    """Box–Muller: two bits choose an axis exactly, the others an angle within an eighth turn of it."""
    signed = float_from_bits(float_bits(deviation) ^ (np.int64(angular) & _SIGN))
    radius = signed * np.sqrt(-2.0 * log(_unit(radial)))
    t = _unit(angular << np.uint64(2)) - 0.5
    across = radius * sine_of_quarter(t)
    along = radius * cosine_of_quarter(t)
    swap = (angular >> np.uint64(62)) & np.uint64(1)
    return (across, along) if swap else (along, across)


@compiled
def _box_muller(words, deviations, out):  # type: ignore[no-untyped-def]
    items, count = out.shape
    pairs = count // 2
    half = count - pairs
    for i in range(items):
        radial, angular = words[i, :half], words[i, half:]
        first, second = out[i, :half], out[i, half:]
        deviation = deviations[i]
        for k in range(pairs):
            first[k], second[k] = _normal_pair(radial[k], angular[k], deviation)
        if half > pairs:
            first[pairs] = _normal_pair(radial[pairs], angular[pairs], deviation)[0]


@compiled
def _marsaglia_tsang(words, d, out, accepted):  # type: ignore[no-untyped-def]
    c = 1.0 / np.sqrt(9.0 * d)
    for i in range(words.shape[0]):
        accepted[i] = False
        pair = _normal_pair(words[i, 0], words[i, 1], 1.0)
        for j in range(2):
            x = pair[j]
            root = 1.0 + c * x
            v = root * root * root
            u = _unit(words[i, 2 + j])
            # The polynomial lies below the exact bound and spares most items the logarithms.
            if v > 0.0 and (u < 1.0 - _SQUEEZE * (x * x) * (x * x) or log(u) < 0.5 * x * x + d - d * v + d * log(v)):
                out[i] = d * v
                accepted[i] = True
                break


@compiled
def _scale_down(words, n, threshold, out, accepted):  # type: ignore[no-untyped-def]
    """Lemire (2019): the upper half of word * n, refused where the lower half would make it uneven."""
    for i in range(words.shape[0]):
        accepted[i] = False
        for j in range(2):
            if words[i, j] * n >= threshold:
                out[i] = np.int64(multiply_high(words[i, j], n))
                accepted[i] = True
                break
