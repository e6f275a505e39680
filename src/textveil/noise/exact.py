"""Normal noise on the integers, exactly: every probability is right to the last bit.

Karney, "Sampling exactly from the normal distribution" (ACM TOMS 42, 2016), with a whole sigma. Pick k >= 0
with probability proportional to exp(-k^2 / 2), a sign and x in [0, 1), and accept with exp(-x (2k + x) / 2):
then k + x has the density exp(-(k + x)^2 / 2). All of it is coins of rational bias and comparisons of
integers. `x = j / sigma` gives the discrete Gaussian; `x = (j + v) / sigma`, v uniform and revealed 64 bits
at a time as far as a comparison needs it, gives the whole part of a continuous normal number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count
from textveil.noise.karney import draw_items
from textveil.noise.lattice import Integers
from textveil.noise.reading import Rows, in_portions, until_done
from textveil.randomness import Streams, Words

Deviations = int | NDArray[np.integer]

LARGEST_DEVIATION = 2**50
# A scalar reads some 7.3 words with a deviation of 5.5. An item that ran out reads on in portions (even).
_SCALAR_WORDS = 8
_SCALAR_SPREAD = 12
_REFILL_WORDS = 128


def discrete_gaussian(streams: Streams, dimension: int, sigma: Deviations, *, threads: int | None = None) -> Integers:
    """Draw whole vectors with probability proportional to exp(-|k|^2 / (2 sigma^2)).

    Parameters
    ----------
    streams : one an item
    dimension : length of a vector
    sigma : a whole number from 1 below 2^50, or one an item
    threads : how many; changes the speed, never the result
    """
    return _draw(streams, dimension, _deviations(sigma, len(streams)), False, threads)


def rounded_normal(streams: Streams, dimension: int, sigma: Deviations, *, threads: int | None = None) -> Integers:
    """Draw vectors of continuous normal numbers of standard deviation sigma, rounded to whole numbers.

    Parameters
    ----------
    streams : one an item
    dimension : length of a vector
    sigma : a whole number from 1 below 2^50, or one an item
    threads : how many; changes the speed, never the result
    """
    # In half steps the whole part F of |n| tells to which side to round: to (F + 1) // 2. What comes back is
    # F + 1 with the sign of n; ties have probability 0.
    halves: Integers = _draw(streams, dimension, 2 * _deviations(sigma, len(streams)), True, threads)
    rounded: Integers = np.sign(halves) * (np.abs(halves) >> 1)
    return rounded


def _draw(streams: Streams, dimension: int, sigmas: Integers, continuous: bool, threads: int | None) -> Integers:
    out = np.empty((len(streams), require_count("dimension", dimension)), dtype=np.int64)
    width = _first_words(dimension)

    def fill(part: Streams, rows: slice) -> None:
        _fill(part, sigmas[rows], continuous, width, out[rows])

    in_portions(streams, width, fill, threads=threads)
    return out


def _fill(streams: Streams, sigmas: Integers, continuous: bool, width: int, out: Integers) -> None:
    unread: Words = np.empty((len(out), 0), dtype=np.uint64)
    progress: Integers = np.zeros((len(out), 2), dtype=np.int64)

    def attempt(part: Streams, rows: Rows) -> NDArray[np.bool_]:
        nonlocal unread, progress
        fresh = part.words(_REFILL_WORDS if unread.size else width)
        words = np.concatenate([unread, fresh], axis=1) if unread.size else fresh
        drawn = out[rows]
        draw_items(words, sigmas[rows], continuous, progress, drawn)
        out[rows] = drawn
        done: NDArray[np.bool_] = progress[:, 1] == out.shape[1]
        # A number that ran out of words is drawn again from its first one, so those words are kept.
        first = int(progress[~done, 0].min(initial=words.shape[1] - 1))
        unread, progress = words[~done][:, first:], progress[~done] - np.array([first, 0])
        return done

    until_done(streams, attempt)


def _first_words(dimension: int) -> int:
    """Enough words for nearly every item; even, because the cipher makes them in pairs."""
    return 2 * int((_SCALAR_WORDS * dimension + _SCALAR_SPREAD * dimension**0.5) / 2) + 2


def _deviations(sigma: Deviations, items: int) -> Integers:
    given = np.asarray(sigma)
    if given.dtype.kind not in "iu" or given.shape not in ((), (items,)):
        raise InvalidInputError("sigma must be a whole number, or an integer array with one number an item")
    if not ((given >= 1) & (given < LARGEST_DEVIATION)).all():
        raise InvalidInputError("sigma must be at least 1 and below 2^50")
    return np.broadcast_to(given.astype(np.int64), (items,))
