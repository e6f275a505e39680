"""Two counts and what they say about two chances: an exact test, valid for any number of samples.

Of n outputs for one input `hits` belong to an event, of n outputs for the other `others`. The promise is that the
chances p and q of the event obey p <= ratio q + delta. Proof: docs/auditing-by-sampling.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# The share of the level that is spent on looking only at chances near the counts seen.
_ASIDE = 0.005
_CELLS = 96
# Any number from 0 to 1 gives a valid order; this one has the most power for rare events.
_DOUBT = 1 / 3
# Twice the chance that a count strays as far from its mean as `_rows` goes.
_STRAY = 2e-13
_LEAST_CHANCE = 1e-300


class Counts(NamedTuple):
    """How often an event happened: `hits` times in `of` outputs of one input, `others` in as many of the other."""

    hits: int
    others: int
    of: int


def loss_shown(counts: Counts, *, delta: float, level: float) -> float:
    """Return ln((p - delta) / q) at the ends of Clopper and Pearson's intervals: the loss is no less, but by chance.

    Parameters
    ----------
    counts : what was seen
    delta : what is taken off p
    level : the chance that it is less, shared by the two intervals
    """
    hits, others, of = counts
    excess = least_chance(hits, of, level / 2) - delta
    return math.log(excess / most_chance(others, of, level / 2)) if excess > 0 else -math.inf


def least_chance(hits: int, of: int, level: float) -> float:
    """Return Clopper and Pearson's lower bound of a chance; it is wrong with probability `level` at most."""
    from scipy.special import betaincinv

    return 0.0 if hits == 0 else float(betaincinv(hits, of - hits + 1, level))


def most_chance(hits: int, of: int, level: float) -> float:
    """Return Clopper and Pearson's upper bound of a chance; it is wrong with probability `level` at most."""
    from scipy.special import betainccinv

    return 1.0 if hits == of else float(betainccinv(hits + 1, of - hits, level))


def breach_p_value(counts: Counts, *, ratio: float, delta: float, level: float) -> float:
    """Bound the chance of counts that say as much against p <= ratio q + delta, over all p and q that obey it.

    Counts are ordered by their evidence, which grows with the hits of the first input and falls with those of the
    second. So for all q of a cell it is enough to take p where the cell ends and q where it begins.

    Parameters
    ----------
    counts : what was seen
    ratio, delta : the promise
    level : what the p-value will be compared with
    """
    from scipy.special import betainc

    hits, others, of = counts
    seen = float(_evidence_of(np.array([hits]), np.array([others]), of, ratio, delta)[0])
    if of * seen < _hopeless(level):
        return 1.0
    aside = _ASIDE * level
    low, high = least_chance(others, of, aside / 2), most_chance(others, of, aside / 2)
    high = max(low, min(high, (1 - delta) / ratio))
    ends = np.linspace(math.sqrt(low), math.sqrt(high), _CELLS + 1) ** 2
    rows = _rows(of, low, high)
    least = _least_hits(rows, of, ratio, delta, seen * (1 - 1e-9))
    p = np.minimum(1.0, ratio * ends[1:] + delta)[:, None]
    some = np.clip(least, 1, of)
    above = np.where(least > of, 0.0, np.where(least < 1, 1.0, betainc(some, of - some + 1, p)))
    found = float((_chances(rows, of, ends[:-1]) * above).sum(axis=1).max())
    return min(1.0, found + _STRAY + aside)


def evidence(x: Floats, y: Floats, ratio: float, delta: float, *, halvings: int = 44) -> Floats:
    """Return, an output of each input, how much better free chances explain shares x and y than chances that obey.

    It is the least of KL(x || p) + KL(y || q) over p <= ratio q + delta, in nats, as near as so many halvings of the
    range of q come; 0 where x and y obey themselves.
    """
    low, high = np.zeros_like(x), np.full_like(x, (1 - delta) / ratio)
    for _ in range(halvings):
        q = (low + high) / 2
        p = ratio * q + delta
        rising = ratio * (x - p) * q * (1 - q) + (y - q) * p * (1 - p) > 0
        low, high = np.where(rising, q, low), np.where(rising, high, q)
    q = (low + high) / 2
    found = _divergence(x, ratio * q + delta) + _divergence(y, q)
    return np.where(x > ratio * y + delta, found, 0.0)


def _hopeless(level: float) -> float:
    """Return evidence that is too little for a p-value of this level, with room: nothing more is computed then."""
    from scipy.special import ndtri

    return 0.4 * float(ndtri(min(level, 0.5))) ** 2


def _divergence(x: Floats, p: Floats) -> Floats:
    from scipy.special import rel_entr

    return np.asarray(rel_entr(x, p) + rel_entr(1 - x, 1 - p))


def _rows(of: int, low: float, high: float) -> Integers:
    """Return the counts that chances from `low` to `high` give, but with probability 1e-13 a side (Bernstein)."""
    spread = math.sqrt(60 * of * min(high, 0.25)) + 40
    return np.arange(max(0, math.floor(of * low - spread)), min(of, math.ceil(of * high + spread)) + 1)


def _chances(rows: Integers, of: int, chances: Floats) -> Floats:
    """Return the chance of each count for each q."""
    from scipy.special import gammaln

    ways = gammaln(of + 1) - gammaln(rows + 1) - gammaln(of - rows + 1)
    q = np.clip(chances, _LEAST_CHANCE, 1 - 2.0**-53)[:, None]
    return np.asarray(np.exp(ways + rows * np.log(q) + (of - rows) * np.log1p(-q)))


def _evidence_of(hits: Integers, others: Integers, of: int, ratio: float, delta: float) -> Floats:
    """Order counts by evidence; a share of 0 in few outputs is not taken at its word."""
    return evidence(hits / of, np.asarray((others + _DOUBT) / (of + _DOUBT)), ratio, delta)


def _least_hits(rows: Integers, of: int, ratio: float, delta: float, seen: float) -> Integers:
    """Return for each count of the second input the least hits of the first that say as much; of + 1 if none do."""
    low, high = np.full(len(rows), -1), np.full(len(rows), of + 1)
    while (high - low).max() > 1:
        middle = (low + high) // 2
        enough = _evidence_of(middle, rows, of, ratio, delta) >= seen
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high
