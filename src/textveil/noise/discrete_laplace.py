"""Laplace noise on the whole numbers, exactly: P(k) proportional to e^(-|k| / scale), for a whole scale.

Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020), section 5: u uniform below the
scale is accepted with e^(-u / scale), v counts how often in a row a coin of bias e^-1 shows heads, and the size is
u + scale v. All of it is comparisons of whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError
from textveil.noise.digits import UNDECIDED
from textveil.noise.flip import below_from
from textveil.noise.lattice import Integers
from textveil.noise.reading import Rows, in_portions
from textveil.noise.rereading import until_enough
from textveil.randomness import Streams, Words

LARGEST_SCALE = 2**48
# A number reads some 14 words.
_FIRST_WORDS = 32


def discrete_laplace(streams: Streams, scales: Integers, *, threads: int | None = None) -> Integers:
    """Draw a whole vector an item, coordinate i with P(k) proportional to e^(-|k| / scales[i]).

    Parameters
    ----------
    streams : one an item
    scales : whole numbers from 1 to 2^48, one a coordinate
    threads : how many; changes the speed, never the result
    """
    given = np.asarray(scales)
    if given.dtype.kind not in "iu" or given.ndim != 1 or not ((given >= 1) & (given <= LARGEST_SCALE)).all():
        raise InvalidInputError("scales must be whole numbers from 1 to 2^48, one a coordinate")
    out = np.empty((len(streams), len(given)), dtype=np.int64)

    def fill(part: Streams, rows: slice) -> None:
        out[rows] = _draw(part, given.astype(np.int64))

    in_portions(streams, _FIRST_WORDS * len(given), fill, threads=threads)
    return out


def _draw(streams: Streams, scales: Integers) -> Integers:
    coordinates = streams.split(np.full(len(streams), len(scales)))
    wanted = np.tile(scales, len(streams))
    noise = np.empty(len(wanted), dtype=np.int64)

    def attempt(words: Words, rows: Rows) -> NDArray[np.bool_]:
        drawn, done = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.bool_)
        draw_numbers(words, wanted[rows], drawn, done)
        noise[rows] = drawn
        return done

    until_enough(coordinates, _FIRST_WORDS, attempt)
    return noise.reshape(len(streams), len(scales))


@compiled
def draw_numbers(words, scales, drawn, done):  # type: ignore[no-untyped-def]
    """Draw a number from each row of words, and say whether they were enough."""
    for i in range(words.shape[0]):
        drawn[i], done[i] = _number(words[i], scales[i])


@compiled
def _number(words, scale):  # type: ignore[no-untyped-def]
    place = 0
    while place < words.size:
        rest, place = below_from(words, place, scale)
        accepted, place = _exponential_coin(words, place, rest, scale)
        if accepted == 0:
            continue
        whole, heads = 0, 1
        while True:
            heads, place = _exponential_coin(words, place, 1, 1)
            if heads != 1:
                break
            whole += 1
        negative, place = below_from(words, place, 2)
        if UNDECIDED in (rest, accepted, heads, negative):
            break
        size = rest + scale * whole
        # Otherwise zero would come with both signs and be counted twice.
        if size > 0 or negative == 0:
            return (-size if negative else size), True
    return 0, False


@compiled
def _exponential_coin(words, place, numerator, denominator):  # type: ignore[no-untyped-def]
    """1 with probability e^(-fraction), else 0: of coins of that bias over 1, 2, 3, ... an odd one fails first."""
    k = 1
    while True:
        drawn, place = below_from(words, place, denominator * k)
        if drawn == UNDECIDED:
            return UNDECIDED, place
        if drawn >= numerator:
            return k % 2, place
        k += 1
