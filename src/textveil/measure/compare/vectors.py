"""Every way to release vectors, measured at many strengths: what is left of them, and what attackers get."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.attacks import invert, membership_attack, recovered_chances
from textveil.measure.compare.cells import Cells
from textveil.measure.compare.findings import findings_of_vectors
from textveil.measure.compare.frontier import AT_LEAST, SAMPLED, THEOREM, Frontier, Point, Value, Way
from textveil.measure.compare.intervals import of_mean, of_repeats
from textveil.measure.compare.noises import DELTA
from textveil.measure.compare.quantities import OF_VECTORS
from textveil.measure.compare.setting import Sizes, ladder, spread_over
from textveil.measure.compare.texts import accuracy_of
from textveil.measure.compare.vector_ways import PROJECTED, WAYS, Build, Made, Table
from textveil.measure.compare.words import Part, chosen_of
from textveil.measure.tasks import Classification
from textveil.mechanisms.vectors import checked_vectors
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.spaces import Euclidean

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

UNTOUCHED = Way("untouched", "vectors as they are", 0, 7, status=None)
SHUFFLED = Way("shuffled", "vectors as they are, classes shuffled", 0, 11, status=None)

_LEAST = 40
_CLIPPED = 0.99
_STRONGEST = 1.0


def compare_vectors(
    points: Floats,
    *,
    sizes: Sizes | None = None,
    task: Classification | None = None,
    what: str = "vectors",
    seed: int = 0,
    again: bool = False,
    only: Sequence[str] | None = None,
) -> Frontier:
    """Measure all vector mechanisms on public vectors.

    Parameters
    ----------
    points : public, (n, dimension), n >= 40
    sizes : how much is measured
    task : classes of the rows, to try the releases on
    what : what the vectors are called
    seed : a public number that all random draws follow from
    again : measure anew what is kept in the cache
    only : keys of the ways that are measured; all if left out
    """
    rows = checked_vectors(points, np.shape(points)[-1])
    if len(rows) < _LEAST:
        raise InvalidInputError(f"a comparison needs at least {_LEAST} vectors (got {len(rows)})")
    comparing = _Comparison(rows, sizes or Sizes(), task)
    cells = Cells(comparing.subject(), seed, again)
    losses = [rung * comparing.table.radius for rung in ladder(comparing.table.radius, least=_STRONGEST)]
    parts = [
        Part(way, {"loss": loss}, partial(comparing.points, way=way, build=build, loss=loss))
        for way, build in WAYS
        for loss in losses
    ]
    wanted = chosen_of(parts, only, among="vectors")
    found: list[Point] = []
    with progress("comparing", len(wanted)) as step:
        for part in wanted:
            found += cells.points({"way": part.way.key, **part.name}, part.measure)
            step()
    references = comparing.references() if task is not None else []
    used = {point.way for point in [*found, *references]}
    frontier = Frontier(
        title=f"{len(rows):,} {what}: what mechanisms keep at an equal guarantee",
        about=comparing.about(what),
        quantities=OF_VECTORS,
        ways=[way for way in [*(way for way, _ in WAYS), UNTOUCHED, SHUFFLED] if way.key in used],
        points=[*found, *references],
    )
    return replace(frontier, findings=findings_of_vectors(frontier))


class _Comparison:
    """Public vectors, some of which are released, and others that only an attacker has."""

    def __init__(self, rows: Floats, sizes: Sizes, task: Classification | None) -> None:
        self.rows, self.sizes, self.task = rows, sizes, task
        both = spread_over(len(rows), 2 * sizes.words)
        self.private, self.others = both[::2], both[1::2]
        self.table = _table(rows, self.private[spread_over(len(self.private), sizes.pairs)])

    def subject(self) -> dict[str, object]:
        """Say what is measured, for the cache."""
        labels = None if self.task is None else list(self.task.labels)
        digest = hashlib.sha256(np.ascontiguousarray(self.rows).tobytes()).hexdigest()
        constants = {"delta": DELTA, "clipped": _CLIPPED, "projected": PROJECTED}
        return {"rows": digest, "sizes": self.sizes.as_dict(), "labels": labels, **constants}

    def points(self, source: RandomSource, *, way: Way, build: Build, loss: float) -> list[Point]:
        """Return a mechanism at one loss at the radius, one point; none where it does not exist."""
        try:
            made = build(self.table, loss)
        except InvalidInputError:
            return []
        return [Point(way.key, self._values(made, source))]

    def references(self) -> list[Point]:
        """Return what clean vectors are worth, and what a classifier makes of shuffled classes."""
        assert self.task is not None  # noqa: S101 -- asked with a task only
        clean = {name: Value.exact(math.inf) for name in ("epsilon", "loss", "far")}
        return [
            Point(UNTOUCHED.key, {**clean, "accuracy": accuracy_of(self.task, self.rows)}),
            Point(SHUFFLED.key, {**clean, "accuracy": accuracy_of(self.task.shuffled(), self.rows)}),
        ]

    def about(self, what: str) -> dict[str, str]:
        """Say what was compared."""
        table = self.table
        told = {
            "Vectors": f"{len(self.rows):,} {what}, {table.dimension} numbers each",
            "Radius": f"{table.radius:.4g}: the median distance of a vector to its nearest neighbour; the farthest "
            f"that were looked at lie {table.farthest:.3g} apart",
            "Clip": f"{table.clip:.4g}, where a mechanism clips: 1% of the vectors are longer",
            "Measured": f"{len(self.private):,} vectors, {self.sizes.repeats} releases of each; an attacker has "
            f"{len(self.others):,} others to learn from",
            "Intervals": "95%: Clopper-Pearson for shares, the normal law for means, over vectors; repeats count less",
        }
        if self.task is not None:
            told["Texts"] = f"by chance {self.task.chance['accuracy']:.3f} of the classes are right"
        return told

    def _values(self, made: Made, source: RandomSource) -> dict[str, Value]:
        ids = np.tile(self.private, self.sizes.repeats)
        truth = self.rows[ids]
        # One call, since a keyed source would repeat its noise in a second one.
        released = made.mechanism.release(self.rows[np.concatenate([ids, self.others])], source=source)
        released, own = released[: len(ids)], released[len(ids) :]
        read = made.read(released)
        named = recovered_chances(made.seen(released), made.expected(self.rows), ids)
        values = {
            **{name: Value.exact(getattr(made, name), THEOREM) for name in ("epsilon", "loss", "far")},
            "cosine": of_mean(self._by_vector(_cosines(read, truth))),
            "error": _root(of_mean(self._by_vector(_relative_squares(read, truth)))),
            "naming": of_repeats(named.reshape(self.sizes.repeats, -1), SAMPLED if made.best_named else AT_LEAST),
            "inversion": self._inverted(own, released, truth),
            "membership": self._recognised(made, released[: len(self.private)]),
        }
        if self.task is not None:
            noisy = made.mechanism.release(self.rows, source=source.at(len(ids) + len(self.others)))
            values["accuracy"] = accuracy_of(self.task, noisy)
        return values

    def _by_vector(self, numbers: Floats) -> Floats:
        """Return means over the repeats of each vector, which are not independent of each other."""
        return np.asarray(numbers.reshape(self.sizes.repeats, -1).mean(axis=0))

    def _inverted(self, own: Floats, released: Floats, truth: Floats) -> Value:
        attack = invert(own, self.rows[self.others])
        missed = np.square(attack(released) - truth).sum(axis=1)
        spread = np.square(truth - attack.original_mean).sum(axis=1).mean()
        found = of_mean(self._by_vector(1 - missed / spread), AT_LEAST)
        return replace(found, value=max(0.0, found.value), low=max(0.0, found.low), high=max(0.0, found.high))

    def _recognised(self, made: Made, released: Floats) -> Value:
        members, others = (made.expected(self.rows[rows]) for rows in (self.private, self.others))
        gain = membership_attack(made.seen(released), members, others).advantage
        # Each share is of half of the vectors: the chosen threshold is tried on the other half.
        reach = 1.96 * math.sqrt(0.25 / (len(members) // 2) + 0.25 / (len(others) // 2))
        return Value(gain, gain - reach, gain + reach, AT_LEAST)


def _table(rows: Floats, some: Ids) -> Table:
    away = Euclidean(rows.shape[1]).distances(rows[some], rows)
    near = np.where(away > 0, away, np.inf).min(axis=1)
    radius = float(np.median(near))
    if not math.isfinite(radius):
        raise InvalidInputError("a comparison needs different vectors; all are the same here")
    return Table(
        dimension=rows.shape[1],
        radius=radius,
        farthest=float(away.max()),
        clip=float(np.quantile(np.linalg.norm(rows, axis=1), _CLIPPED)),
        covariance=np.cov(rows, rowvar=False),
    )


def _cosines(first: Floats, second: Floats) -> Floats:
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray(np.divide((first * second).sum(axis=1), lengths, out=np.zeros(len(first)), where=lengths > 0))


def _relative_squares(read: Floats, truth: Floats) -> Floats:
    """Return squared errors over the mean squared length."""
    return np.asarray(np.square(read - truth).sum(axis=1) / np.square(truth).sum(axis=1).mean())


def _root(square: Value) -> Value:
    value, low, high = (math.sqrt(max(0.0, it)) for it in (square.value, square.low, square.high))
    return Value(value, low, high, SAMPLED)
