"""The law that keeps the most words for its guarantee (T9, T15).

    P[x|x] = c(x),     P[y|x] = t(x) c(y) exp(-rate d(x,y))  for y other than x

c solves the covering programme, so P[x|x] is as large as it can be; what a row lacks to one is made up by raising
all its other entries by the same factor t(x) >= 1. In many dimensions triangles have room for that; the certificate
(`triples`) says whether it is so. If c makes every row sum to one, t = 1: that is T9. Where no such law can
be certified (points on a line, say) the law is a normalised one, c(y) exp(-rate d)/v(x), at the largest certified rate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.mechanisms.exponential.covering import Kernel, solve_cover, times
from textveil.mechanisms.exponential.law import Law, rounding_slack
from textveil.mechanisms.exponential.triples import Table, cell_order, margins
from textveil.spaces import Space
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]

MOST_WORDS = 32_768
_FLOAT64_WORDS = 6_000
# What float64 sums of a row may be off by, for two rows, in nats.
_SUMS = 2.0**-36
_NEARLY_FULL = 5e-3
_DROPPED = 1e-3
_ROUNDS = 5
_TRIES = 16
_BLOCK = 256


def tight_law(vocabulary: Vocabulary, epsilon: float, radius: float) -> Law:
    """Return the certified law that keeps the most words among those this module knows.

    Words with the same point share the chance of that point, so that they have the same law.
    """
    points, inverse, counts = np.unique(
        vocabulary.block(0, len(vocabulary)), axis=0, return_inverse=True, return_counts=True
    )
    plain = calibrate(vocabulary, epsilon, radius)
    if len(points) == 1 or plain.rate == 0:
        return plain
    order = cell_order(points)
    geometry = _Geometry(vocabulary.space, points[order], radius, rounding_slack(vocabulary) + _SUMS)
    law = _covering_law(geometry, epsilon) or _normalised_law(geometry, epsilon)
    place = np.argsort(order)[inverse.reshape(-1)]
    kept = law.kept * len(points) / len(vocabulary)
    bound = law.bound * len(points) / len(vocabulary)
    if plain.kept is not None and plain.kept >= kept:
        return replace(plain, most_kept=bound)
    return Law(
        rate=law.rate,
        radius=radius,
        loss=law.loss,
        certified=True,
        output_weights=(law.c / counts[order])[place],
        row_boosts=law.t[place],
        log_normalisers=law.log_v[place],
        kept=kept,
        most_kept=bound,
    )


@dataclass(frozen=True)
class _Geometry:
    """Distinct points in cell order, and how their distances are taken."""

    space: Space
    points: Floats
    radius: float
    slack: float

    def distances(self, start: int) -> Floats:
        """Return the distances of a block of points to all."""
        return np.minimum(self.space.distances(self.points[start : start + _BLOCK], self.points), self.radius)

    @property
    def blocks(self) -> range:
        """Where blocks begin."""
        return range(0, len(self.points), _BLOCK)

    def table(self) -> Table:
        """Return all distances: float64 for few points, float32 for many."""
        table: Table = np.empty(
            (len(self.points),) * 2, np.float64 if len(self.points) <= _FLOAT64_WORDS else np.float32
        )

        def fill(start: int) -> None:
            table[start : start + _BLOCK] = self.distances(start)

        for _ in over_threads(fill, self.blocks):
            pass
        return table

    def kernel(self, rate: float) -> Kernel:
        """Return exp(-rate distance)."""
        table = self.table()

        def fill(start: int) -> None:
            block = table[start : start + _BLOCK]
            np.exp(np.multiply(block, -rate, out=block), out=block)

        for _ in over_threads(fill, self.blocks):
            pass
        return table

    def sums(self, rate: float, v: Floats) -> Floats:
        """Return the sum over y other than x of exp(-rate d(x,y)) v(y), in float64."""

        def work(start: int) -> Floats:
            block = self.distances(start)
            np.exp(np.multiply(block, -rate, out=block), out=block)
            places = np.arange(len(block))
            block[places, start + places] = 0
            product: Floats = block @ v
            return product

        return np.concatenate(list(over_threads(work, self.blocks)))

    def slope(self, values: Floats) -> float:
        """Return the largest (|difference of values| + slack) / distance over all pairs."""

        def work(start: int) -> float:
            block = self.distances(start)
            places = np.arange(len(block))
            block[places, start + places] = np.inf
            differences = np.abs(values[start : start + _BLOCK, None] - values[None])
            return float(((differences + self.slack) / block).max())

        return max(over_threads(work, self.blocks))

    @cached_property
    def rounding(self) -> float:
        """What rounding costs per unit of distance: the slack over the least distance."""
        return self.slope(np.zeros(len(self.points)))


@dataclass(frozen=True)
class _Found:
    """A law on distinct points: weights c, factors t of a row's other entries, log-normalisers of its rows."""

    rate: float
    loss: float
    c: Floats
    t: Floats
    log_v: Floats
    bound: float

    @property
    def kept(self) -> float:
        """The mean chance to stay."""
        return float((self.c / np.exp(self.log_v)).mean())


def _covering_law(geometry: _Geometry, epsilon: float) -> _Found | None:
    """Return the covering law if it can be certified; rows that fail are rewarded for keeping more, up to 5 times."""
    # What is left pays for the rounding of t and of sums in float64, and of integers.
    rate = epsilon * (1 - 1e-9) - geometry.rounding
    if rate <= 0:
        return None
    count = len(geometry.points)
    wish, bound = np.zeros(count), np.inf
    for turn in range(_ROUNDS):
        kernel = geometry.kernel(rate)
        c = _full_weights(geometry, kernel, rate) if turn == 0 else wish
        u = c
        if turn or c.min() < 0:
            c, u = solve_cover(kernel, 1 + times(kernel, wish))
        bound = _dual_bound(geometry, epsilon, u) if turn == 0 else bound
        c, t = _assemble(geometry, kernel, rate, c)
        del kernel
        found = margins(
            geometry.space,
            geometry.points,
            geometry.table(),
            rate,
            c,
            t,
            radius=geometry.radius,
            spare=5e-10 * epsilon,
        )
        loss = rate + max(0.0, float(found.max())) + geometry.rounding
        if loss <= epsilon:
            return _Found(rate, loss, c, t, np.zeros(count), bound)
        bad = rate + found + geometry.rounding > epsilon
        wish[bad] = np.maximum(3.0, 4 * wish[bad])
        if bad.sum() > count / 20:
            break
    return None


def _dual_bound(geometry: _Geometry, epsilon: float, u: Floats) -> float:
    """Return the mean chance to stay that no epsilon-private law can pass: u made feasible for the dual programme."""
    u = np.maximum(u, 0)
    reached = u + geometry.sums(epsilon, u)
    return float(u.mean() / min(1.0, reached.min()))


def _full_weights(geometry: _Geometry, kernel: Kernel, rate: float) -> Floats:
    """Return the weights of T9, which make every row sum to one; some may be negative."""
    count = len(kernel)
    start = np.zeros(count)
    if kernel.dtype == np.float64:
        start += np.linalg.solve(kernel, np.ones(count))
    return _fill(geometry, kernel, rate, start, np.ones(count, dtype=bool))


def _fill(geometry: _Geometry, kernel: Kernel, rate: float, c: Floats, full: NDArray[np.bool_]) -> Floats:
    """Change c on `full` so that these rows sum to one: conjugate gradients on the kernel, refined in float64."""
    c = c.copy()
    for _ in range(2):
        r = np.where(full, 1 - c - geometry.sums(rate, c), 0.0)
        d, rr = r.copy(), float(r @ r)
        enough = 1e-8 * rr
        for _ in range(100):
            if rr <= enough:
                break
            kd = np.where(full, times(kernel, d), 0.0)
            a = rr / float(d @ kd)
            c += a * d
            r -= a * kd
            rr, before = float(r @ r), rr
            d = r + rr / before * d
    return c


def _assemble(geometry: _Geometry, kernel: Kernel, rate: float, c: Floats) -> tuple[Floats, Floats]:
    """Make c feasible and nearly full rows full; return it with the factors t >= 1 that complete the rows.

    A row that is nearly full and has little mass elsewhere would get a huge factor from a tiny leftover.
    """
    c = np.where(c < _DROPPED * c.max(), 0.0, c)
    rest = geometry.sums(rate, c)
    full = (1 - c - rest < _NEARLY_FULL) & (c > _NEARLY_FULL * c.max())
    c = np.maximum(_fill(geometry, kernel, rate, c, full), 0)
    c = np.where(c < _DROPPED * c.max(), 0.0, c)
    rest = geometry.sums(rate, c)
    top = float((c + rest).max())
    if top > 1 + 1e-9:
        c, rest = c / top, rest / top
    c = np.minimum(c, np.maximum(1 - rest, 0))
    rest = geometry.sums(rate, c)
    if rest.max() > 1:
        c, rest = c / rest.max(), rest / rest.max()
    t = np.where(rest > 0, (1 - c) / np.where(rest > 0, rest, 1), 1.0)
    return c, np.maximum(1.0, t)


def _normalised_law(geometry: _Geometry, epsilon: float) -> _Found:
    """Return c(y) exp(-rate d(x,y)) / v(x) at the largest certified rate; c are the weights of T9 without negatives."""
    count = len(geometry.points)
    best: _Found | None = None
    low, high = 0.0, epsilon
    for turn in range(_TRIES):
        rate = (low + high) / 2 if turn else epsilon
        kernel = geometry.kernel(rate)
        c = np.maximum(_full_weights(geometry, kernel, rate), 0)
        c = np.where(c < _DROPPED * c.max(), 0.0, c)
        v = c + geometry.sums(rate, c)
        loss = rate + geometry.slope(np.log(v))
        if loss <= epsilon:
            low = rate
            found = _Found(rate, loss, c, np.ones(count), np.log(v), np.inf)
            best = found if best is None or found.kept > best.kept else best
        else:
            high = rate
    if best is None:
        best = _Found(0.0, 0.0, np.full(count, 1 / count), np.ones(count), np.zeros(count), np.inf)
    kernel = geometry.kernel(epsilon)
    _, u = solve_cover(kernel, np.ones(count))
    return replace(best, bound=_dual_bound(geometry, epsilon, u))
