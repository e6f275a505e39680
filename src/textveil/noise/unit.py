"""Draw unit vectors from the law of PrivUnit, in two ways.

`Rejection` proposes directions that know nothing of the input and keeps each with probability 1 on the cap, c off it.
What comes out is a function of the proposal alone, so the loss is that of one decision, float arithmetic included.
`FromCap` builds the vector around the input: quick at any epsilon, but its promise needs ideal arithmetic.
Proofs: docs/mechanisms/privunit.md.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction
from textveil.noise.cap import Cap
from textveil.noise.reading import Rows, until_done
from textveil.noise.transforms import Floats, _box_muller, fill_normals, uniforms
from textveil.randomness import Streams

_WHOLE = 2**64
_CELL = 2.0**-52
# What remains of the clip, so that rounding never leads out of the ball.
_INSIDE = 1 - 2.0**-40
# Tries are read from the keystream a quarter of their expected number at a time, and at most this many words.
_PARTS = 4
_MOST_WORDS = 1 << 15
# Room for the rounding of the bound itself, and of the mass of the cap in it.
_MARGIN = 1.001


def lifted(vectors: Floats, clip: float) -> Floats:
    """Return the points of the sphere, in one dimension more, that lie above vectors shortened to `clip`."""
    out = np.empty((len(vectors), vectors.shape[1] + 1))
    _lift(vectors, clip, out)
    return out


def expected_tries(cap: Cap, epsilon: float) -> float:
    """Return how many proposals `Rejection` makes for a vector, on average; it is the same for every input."""
    return 1 / (math.exp(-epsilon) - math.expm1(-epsilon) * cap.mass)


def asymmetry(cap: Cap) -> float:
    """Bound how far the probability that a float proposal is found on the cap may be from its mass, for any input.

    Proof: docs/mechanisms/privunit.md, claim 6.
    """
    d = cap.dimension
    uneven = -(-d // 2) * 3 * _CELL
    rounding = 2.0**-46 + (d + 8) * 2.0**-50
    # The density of t falls from 0 on, but in the plane it rises.
    densest = cap.gamma + rounding if d == 2 else max(0.0, cap.gamma - rounding)
    return _MARGIN * (uneven + rounding * cap.density(densest))


class Rejection:
    """Propose directions until one is kept.

    Parameters
    ----------
    cap : kept for certain; the rest is kept with probability `coin` / 2^64
    epsilon : the loss that may not be passed, float arithmetic included
    """

    def __init__(self, cap: Cap, epsilon: float) -> None:
        self.cap = cap
        tries = expected_tries(cap, epsilon)
        # The chance to keep a proposal moves with the input by less than this, relatively, for each 1 - c.
        uneven = 2 * asymmetry(cap) * tries * _MARGIN
        self.coin = _above_exponential(epsilon / (1 + uneven) * (1 - 2.0**-50))
        self.odds = self.coin / (_WHOLE - self.coin)
        self._width = 2 * -(-cap.dimension // 2) + 2
        self._tries = max(1, min(int(tries / _PARTS), _MOST_WORDS // self._width))

    @property
    def words(self) -> int:
        """How many words an item reads at once."""
        return self._tries * self._width

    def draw(self, streams: Streams, units: Floats) -> Floats:
        """Draw a unit vector for each row of `units`."""
        out = np.empty_like(units)

        def attempt(part: Streams, rows: Rows) -> NDArray[np.bool_]:
            kept = np.empty(len(part), dtype=np.bool_)
            words = part.words(self.words).reshape(len(part), self._tries, self._width)
            _propose(words, rows, units, self.cap.gamma, np.uint64(self.coin), out, kept)
            return kept

        until_done(streams, attempt)
        return out


class FromCap:
    """Decide whether the vector lies on the cap, draw t there, and a direction orthogonal to the input.

    Parameters
    ----------
    cap : where vectors are e^epsilon times as likely as elsewhere
    epsilon : the loss in ideal arithmetic
    """

    def __init__(self, cap: Cap, epsilon: float) -> None:
        self.cap = cap
        self.odds = 1 / math.expm1(epsilon)
        self.words = 2 * -(-cap.dimension // 2) + 2

    @cached_property
    def _on_cap(self) -> int:
        """The probability p = q / (c + (1 - c) q) of the cap, in units of 2^-64."""
        q = self.cap.mass
        return min(_WHOLE - 1, int((1 + self.odds) * q / (self.odds + q) * _WHOLE))

    def draw(self, streams: Streams, units: Floats) -> Floats:
        """Draw a unit vector for each row of `units`."""
        from scipy.special import betaincinv

        words = streams.words(2)
        inside = words[:, 0] < np.uint64(self._on_cap)
        level = uniforms(words[:, 1]) * np.where(inside, self.cap.mass, 1 - self.cap.mass)
        half = betaincinv(self.cap.shape, self.cap.shape, level)
        # On the cap `half` is (1 - t) / 2, off it (1 + t) / 2: whichever is counted from the near end.
        t = np.where(inside, 1 - 2 * half, 2 * half - 1)
        out = np.empty_like(units)
        fill_normals(streams, np.ones(len(streams)), out)
        _turn(units, t, 2 * np.sqrt(half * (1 - half)), out)
        return out


def _above_exponential(epsilon: float) -> int:
    """Return the least whole number above 2^64 e^-epsilon, or 2^64 - 1."""
    with localcontext() as context:
        context.prec = 60
        return min(_WHOLE - 1, int(_WHOLE * Decimal(-epsilon).exp()) + 1)


@compiled
def _propose(words, rows, units, gamma, coin, out, kept):  # type: ignore[no-untyped-def]
    """Try the proposals of each row, each made of as many words as normal numbers and a coin need."""
    items, tries, width = words.shape
    deviation = np.ones(1)
    for i in range(items):
        kept[i] = False
        unit, proposal = units[rows[i]], out[rows[i] : rows[i] + 1]
        for k in range(tries):
            _box_muller(words[i, k : k + 1], deviation, proposal)
            norm = np.sqrt(_product(proposal[0], proposal[0]))
            # Both are looked at every time: how long it takes must not tell which of them decided.
            on_cap = _product(proposal[0], unit) >= gamma * norm
            by_chance = words[i, k, width - 1] < coin
            if on_cap | by_chance:
                kept[i] = True
                for j in range(unit.size):
                    proposal[0, j] /= norm
                break


@compiled
def _turn(units, t, sine, out):  # type: ignore[no-untyped-def]
    """Turn normal vectors, in place, into unit vectors whose inner product with `units` is t."""
    for i in range(units.shape[0]):
        # Twice, because what is left of a vector next to the unit is mostly rounding.
        for _ in range(2):
            along = _product(out[i], units[i])
            for j in range(units.shape[1]):
                out[i, j] -= along * units[i, j]
        scale = sine[i] / np.sqrt(_product(out[i], out[i]))
        for j in range(units.shape[1]):
            out[i, j] = scale * out[i, j] + t[i] * units[i, j]


@compiled
def _lift(vectors, clip, out):  # type: ignore[no-untyped-def]
    """Numbers are divided by the largest of their vector before they are squared: nothing overflows."""
    dimension = vectors.shape[1]
    for i in range(vectors.shape[0]):
        largest = 0.0
        for j in range(dimension):
            largest = max(largest, abs(vectors[i, j]))
        within = out[i, :dimension]
        for j in range(dimension):
            within[j] = vectors[i, j] / largest if largest > 0.0 else 0.0
        length = max(1.0, np.sqrt(_product(within, within)))
        scale = min(largest / clip, _INSIDE / length)
        for j in range(dimension):
            within[j] *= scale
        out[i, dimension] = np.sqrt(max(0.0, 1.0 - _product(within, within)))


@compiled_reduction
def _product(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total
