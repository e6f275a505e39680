"""Exact choice by integer weights (SPEC 8.4, as corrected in 13).

Weights are 127-bit integers, scaled so that the total of a row is just below 2^127. A truncated law gives every
candidate at least the weight at the radius: a row holds what the word itself and the near ones have above that, in
two 64-bit halves, and the rest of the total is shared by all candidates equally. A draw compares a uniform
127-bit integer with them: no float is compared, and the law is exactly the integers'. Most draws end
at the word itself or in the rest, without a look at the near ones. Where candidates have weights of their own the rest
is shared by these instead, and a second integer finds whose it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.elementary import exponential
from textveil.noise.reading import until_done
from textveil.randomness import Streams

# A total of 2^127 (1 - 2^-20) leaves room for rounding and makes a second try rare.
TOTAL = 2.0**127 * (1 - 2.0**-20)
LEAST_TOTAL = 2**126
WORDS_A_DRAW = 2
_HALF = 2.0**64
_AGAIN = -1
_FAR = -2
# Tokens whose random words fit into the cache.
_PORTION = 65_536
# Sums that are added up side by side, in the lanes of registers.
_PARTS = 16


class Rows(NamedTuple):
    """Rows of integer weights, one after the other.

    `starts[word]` and `lengths[word]` say where the row of a word lies; `ids` are its near candidates other than
    itself; `high` and `low` their cumulative weights, `prefix` the first 32 of their 127 bits, which decide most
    comparisons; `own_high[word]` and `own_low[word]` what the word itself has; `share_high[word]` and
    `share_low[word]` what every candidate has of the shared rest; `total_high[word]` and `total_low[word]` the total.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    ids: NDArray[np.int32]
    prefix: NDArray[np.uint32]
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    own_high: NDArray[np.uint64]
    own_low: NDArray[np.uint64]
    share_high: NDArray[np.uint64]
    share_low: NDArray[np.uint64]
    total_high: NDArray[np.uint64]
    total_low: NDArray[np.uint64]


class Shares(NamedTuple):
    """How candidates with weights of their own share the rest: cumulative integers, the last one their total."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]

    @classmethod
    def of(cls, weights: NDArray[np.float64]) -> Shares:
        """Return the shares of candidates with these weights."""
        shares = cls(np.empty(len(weights), np.uint64), np.empty(len(weights), np.uint64))
        _cumulate(weights * (TOTAL / sum_of(weights)), shares.high, shares.low)
        require_total(shares.high[-1], shares.low[-1])
        return shares


def require_total(high: np.uint64, low: np.uint64) -> None:
    """Refuse integers whose total is not what weights were scaled to: they come from a NaN, and are no law at all."""
    if not LEAST_TOTAL <= (int(high) << 64) + int(low) < 2**127:
        raise ArithmeticError("the weights of a word do not add up, so that nothing can be drawn: please report this")


def draw(
    tokens: NDArray[np.int64], rows: Rows, candidates: int, streams: Streams, shares: Shares | None = None
) -> NDArray[np.int64]:
    """Draw one of `candidates` for each token from the row of its word.

    Parameters
    ----------
    shares : whose the rest of a row is; without it all candidates share it equally
    """
    chosen = np.empty(len(tokens), dtype=np.int64)
    for first in range(0, len(tokens), _PORTION):
        part = slice(first, first + _PORTION)
        own = streams.select(part)
        _draw_portion(tokens[part], rows, 0 if shares else candidates, own, chosen[part])
        if shares:
            far = np.flatnonzero(chosen[part] == _FAR)
            chosen[first + far] = _shared(shares, own.select(far))
    return chosen


def _shared(shares: Shares, streams: Streams) -> NDArray[np.int64]:
    """Draw a candidate by the shares alone."""
    chosen = np.empty(len(streams), dtype=np.int64)

    def attempt(part: Streams, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        drawn = np.empty(len(places), dtype=np.int64)
        _draw_shared(shares, np.ascontiguousarray(part.words(WORDS_A_DRAW)), drawn)
        chosen[places] = drawn
        return np.not_equal(drawn, _AGAIN)

    until_done(streams, attempt)
    return chosen


def _draw_portion(
    tokens: NDArray[np.int64], rows: Rows, candidates: int, streams: Streams, chosen: NDArray[np.int64]
) -> None:
    def attempt(part: Streams, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        drawn, asking = np.empty(len(places), dtype=np.int64), tokens[places]
        words = np.ascontiguousarray(part.words(WORDS_A_DRAW))
        _draw(asking, _grouped(asking, len(rows.starts)), rows, candidates, words, drawn)
        chosen[places] = drawn
        return np.not_equal(drawn, _AGAIN)

    until_done(streams, attempt)


def _grouped(tokens: NDArray[np.int64], words: int) -> NDArray[np.int64]:
    """Return an order of tokens in which equal words follow each other, so that a row is in the cache when used."""
    order = np.empty(len(tokens), dtype=np.int64)
    _counting_sort(tokens, np.zeros(words + 1, dtype=np.int64), order)
    return order


@compiled
def integer_row(distances, own, rate, radius, weights, boost, ids, high, low):  # type: ignore[no-untyped-def]
    """Write the row of one word; return its length, its own weight, everybody's share of the rest, and the total.

    The weight of candidate y is weights[y] exp(-rate min(d, radius)), times `boost` for y that are
    not at distance 0. If `weights` is empty all are 1, and candidates at `radius` and beyond are not
    written: they have only their share of the rest. The buffers need room for every candidate and one more.
    """
    sparse = weights.size == 0
    kept = 0
    for y in range(distances.size):
        ids[kept] = y
        kept += 1 if y != own and (not sparse or distances[y] < radius) else 0
    ids[kept] = own
    near = distances[ids[: kept + 1]]
    return integers_of_near(near, distances.size, rate, radius, weights, boost, ids, high, low)


@compiled
def integers_of_near(near, count, rate, radius, weights, boost, ids, high, low):  # type: ignore[no-untyped-def]
    """Write and return what `integer_row` does, given `ids`: `near` are their distances, its own last."""
    kept = near.size - 1
    values = np.empty(kept + 1)
    for k in range(kept + 1):
        values[k] = exponential(-rate * min(near[k], radius))
    if weights.size > 0:
        for k in range(kept + 1):
            values[k] *= weights[ids[k]] * (1.0 if near[k] == 0.0 else boost)
    far = exponential(-rate * radius) if kept + 1 < count else 0.0
    scale = TOTAL / (_sum_of_row(values, ids) + far * (count - kept - 1))
    share_high, share_low = _integer(far * scale)
    top, bottom = np.uint64(0), np.uint64(0)
    for k in range(kept):
        near_high, near_low = _integer(values[k] * scale)
        top, bottom = _plus(top, bottom, *_minus(near_high, near_low, share_high, share_low))
        high[k], low[k] = top, bottom
    own_high, own_low = _minus(*_integer(values[kept] * scale), share_high, share_low)
    top, bottom = _plus(top, bottom, own_high, own_low)
    total_high, total_low = _plus(top, bottom, *_times(share_high, share_low, count))
    return kept, own_high, own_low, share_high, share_low, total_high, total_low


@compiled
def weighted_row(distances, own, rate, radius, weights, whole, ids, high, low):  # type: ignore[no-untyped-def]
    """Write the row of one word by weights[y] exp(-rate min(d, radius)); return the same as `integer_row`.

    Candidates at `radius` and beyond are not written; the share that is returned is all of the rest, which all
    candidates share by their weights. `whole` is the sum of these.
    """
    kept = 0
    for y in range(distances.size):
        ids[kept] = y
        kept += 1 if y != own and distances[y] < radius else 0
    ids[kept] = own
    return weighted_integers_of_near(distances[ids[: kept + 1]], rate, radius, weights, whole, ids, high, low)


@compiled
def weighted_integers_of_near(near, rate, radius, weights, whole, ids, high, low):  # type: ignore[no-untyped-def]
    """Write and return what `weighted_row` does, given `ids`: `near` are their distances, its own last."""
    kept = near.size - 1
    # At a rate of 0 all is shared by the weights, the same in every row; times an infinite radius it would be NaN.
    far = exponential(-rate * radius) if rate > 0 else 1.0
    values = np.empty(kept + 1)
    for k in range(kept + 1):
        values[k] = weights[ids[k]] * max(exponential(-rate * near[k]) - far, 0.0)
    scale = TOTAL / (_sum_of_row(values, ids) + far * whole)
    rest_high, rest_low = _integer(far * whole * scale)
    top, bottom = np.uint64(0), np.uint64(0)
    for k in range(kept):
        top, bottom = _plus(top, bottom, *_integer(values[k] * scale))
        high[k], low[k] = top, bottom
    own_high, own_low = _integer(values[kept] * scale)
    total_high, total_low = _plus(*_plus(top, bottom, own_high, own_low), rest_high, rest_low)
    return kept, own_high, own_low, rest_high, rest_low, total_high, total_low


@compiled
def _cumulate(values, high, low):  # type: ignore[no-untyped-def]
    top, bottom = np.uint64(0), np.uint64(0)
    for k in range(values.size):
        top, bottom = _plus(top, bottom, *_integer(values[k]))
        high[k], low[k] = top, bottom


@compiled
def _draw_shared(shares, words, chosen):  # type: ignore[no-untyped-def]
    last = shares.high.size - 1
    for t in range(chosen.size):
        top, bottom = words[t, 0] >> np.uint64(1), words[t, 1]
        chosen[t] = _AGAIN
        if _less(top, bottom, shares.high[last], shares.low[last]):
            first, left = 0, last + 1
            while left > 1:
                half = left >> 1
                place = first + half - 1
                first += 0 if _less(top, bottom, shares.high[place], shares.low[place]) else half
                left -= half
            chosen[t] = first


@compiled
def sum_of(values):  # type: ignore[no-untyped-def]
    """The sum, in an order that no compiler or processor changes: a row has the same integers wherever it is made."""
    parts = np.zeros(_PARTS)
    whole = values.size // _PARTS * _PARTS
    for k in range(0, whole, _PARTS):
        for j in range(_PARTS):
            parts[j] += values[k + j]
    for k in range(whole, values.size):
        parts[k - whole] += values[k]
    total = 0.0
    for part in parts:
        total += part
    return total


@compiled
def _sum_of_row(values, ids):  # type: ignore[no-untyped-def]
    """The sum of a row whose own value comes last, added up in the order of the candidates.

    So words at the same point, which have the same values in another order, have the same integers.
    """
    kept = values.size - 1
    place = np.searchsorted(ids[:kept], ids[kept])
    ordered = np.empty(kept + 1)
    ordered[:place], ordered[place], ordered[place + 1 :] = values[:place], values[kept], values[place:kept]
    return sum_of(ordered)


@compiled
def _integer(value):  # type: ignore[no-untyped-def]
    """floor(value) below 2^127 in two halves; every step is exact, for a float64 has 53 bits."""
    whole = np.floor(value)
    high = np.floor(whole / _HALF)
    return np.uint64(high), np.uint64(whole - high * _HALF)


@compiled
def _plus(high, low, other_high, other_low):  # type: ignore[no-untyped-def]
    total = low + other_low
    carry = np.uint64(1) if total < low else np.uint64(0)
    return high + other_high + carry, total


@compiled
def _minus(high, low, other_high, other_low):  # type: ignore[no-untyped-def]
    """The difference, or 0 where rounding made the first the smaller."""
    if _less(high, low, other_high, other_low):
        return np.uint64(0), np.uint64(0)
    borrow = np.uint64(1) if low < other_low else np.uint64(0)
    return high - other_high - borrow, low - other_low


@compiled
def _times(high, low, factor):  # type: ignore[no-untyped-def]
    """A 128-bit integer times a factor below 2^32."""
    factor, half, mask = np.uint64(factor), np.uint64(32), np.uint64(0xFFFFFFFF)
    first = (low & mask) * factor
    second = (low >> half) * factor + (first >> half)
    return high * factor + (second >> half), (second << half) | (first & mask)


@compiled
def _counting_sort(tokens, places, order):  # type: ignore[no-untyped-def]
    for word in tokens:
        places[word + 1] += 1
    for word in range(1, places.size):
        places[word] += places[word - 1]
    for t in range(tokens.size):
        word = tokens[t]
        order[places[word]] = t
        places[word] += 1


@compiled
def _draw(tokens, order, rows, candidates, words, chosen):  # type: ignore[no-untyped-def]
    # Without candidates the rest of a row is one lump, to be shared later.
    for t in order:
        word = tokens[t]
        top, bottom = words[t, 0] >> np.uint64(1), words[t, 1]
        chosen[t] = _AGAIN
        if not _less(top, bottom, rows.total_high[word], rows.total_low[word]):
            continue
        own_high, own_low = rows.own_high[word], rows.own_low[word]
        if _less(top, bottom, own_high, own_low):
            chosen[t] = word
            continue
        top, bottom = _minus(top, bottom, own_high, own_low)
        share_high, share_low = rows.share_high[word], rows.share_low[word]
        rest_high, rest_low = _times(share_high, share_low, max(candidates, 1))
        if _less(top, bottom, rest_high, rest_low):
            chosen[t] = _quotient(top, bottom, share_high, share_low, candidates) if candidates else _FAR
        else:
            chosen[t] = _search(*_minus(top, bottom, rest_high, rest_low), rows, word)


@compiled
def _search(top, bottom, rows, word):  # type: ignore[no-untyped-def]
    """The near candidate whose cumulative weight is the first above the integer."""
    sought = prefix_of(top)
    # Halving without branches: which half it is can't be predicted.
    first, left = rows.starts[word], rows.lengths[word]
    while left > 1:
        half = left >> 1
        first += half if rows.prefix[first + half - 1] < sought else 0
        left -= half
    while rows.prefix[first] <= sought and not _less(top, bottom, rows.high[first], rows.low[first]):
        first += 1
    return rows.ids[first]


@compiled
def _quotient(high, low, other_high, other_low, count):  # type: ignore[no-untyped-def]
    """How often the second goes into the first, which is below `count`: a guess in floats, mended in integers."""
    guess = (float(high) * _HALF + float(low)) / (float(other_high) * _HALF + float(other_low))
    quotient = min(max(np.int64(guess), 0), count - 1)
    while _less(high, low, *_times(other_high, other_low, quotient)):
        quotient -= 1
    while not _less(high, low, *_times(other_high, other_low, quotient + 1)):
        quotient += 1
    return quotient


@compiled
def prefix_of(high):  # type: ignore[no-untyped-def]
    """The first 32 of 127 bits."""
    return np.uint32(high >> np.uint64(31))


@compiled
def _less(high, low, other_high, other_low):  # type: ignore[no-untyped-def]
    return high < other_high or (high == other_high and low < other_low)
