"""Three repairs of NADP (SPEC 6.2): the same noise for all (N1), a private neighbourhood (N2), a private word (N3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import Law, truncation_radius, uncalibrated
from textveil.mechanisms.exponential.rows import Buffers, Row, Rows, integer_row
from textveil.mechanisms.word_vector import Ids, Steps, whole_steps
from textveil.noise.gaussian_curve import gaussian_scale
from textveil.randomness import Streams
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.graph import component_diameters

Floats = NDArray[np.float64]

REVEALS = ("the number of words",)
# More than the rounding of a product of floats.
_ROOM = 1 + 1e-12


class Radius:
    """N1: noise of one deviation for every word, enough for all pairs within a public radius."""

    def __init__(self, vocabulary: Vocabulary, *, epsilon: float, delta: float, radius: float) -> None:
        deviation = gaussian_scale(epsilon, delta) * radius * _ROOM
        self.steps: Steps = whole_steps(vocabulary, np.full(len(vocabulary), deviation))
        relation = Relation(pairs=Pairs.WITHIN, metric=_metric(vocabulary), radius=radius)
        mu = 1 / (float(self.steps[0]) * vocabulary.step)
        self.guarantee = Guarantee(
            epsilon=epsilon, delta=delta, unit=Unit.WORD, relation=relation, reveals=REVEALS, mu=mu
        )

    def choose(self, ids: Ids, streams: Streams) -> Ids:
        """The word itself."""
        return ids


class Component:
    """N2: a neighbourhood chosen with loss (1 - split) epsilon x distance, then noise of its diameter at split epsilon.

    The word that is released with noise is the nearest of the neighbourhood chosen.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        epsilon: float,
        delta: float,
        split: float,
        radius: float | None,
        components: Ids,
    ) -> None:
        noise, choice = split * epsilon, (1 - split) * epsilon
        exactness = 1 + 2 * vocabulary.space.relative_error(vocabulary.points)
        diameters = component_diameters(vocabulary, components) * exactness
        deviations = gaussian_scale(noise, delta) * diameters * _ROOM
        self.steps: Steps = whole_steps(vocabulary, deviations[components])
        cut = truncation_radius(vocabulary, choice, radius)
        # The distance to a neighbourhood moves by no more than the word does, so half of epsilon is enough.
        self.rows = ComponentRows(vocabulary, uncalibrated(vocabulary, choice, cut), components)
        relation = Relation(pairs=Pairs.METRIC, metric=_metric(vocabulary), radius=cut if np.isfinite(cut) else None)
        self.guarantee = Guarantee(
            epsilon=choice, offset=noise, delta=delta, unit=Unit.WORD, relation=relation, reveals=REVEALS
        )

    def choose(self, ids: Ids, streams: Streams) -> Ids:
        """The nearest word of a neighbourhood, which is drawn."""
        return self.rows.draw(ids, streams)


class Word:
    """N3: a word drawn by the exponential mechanism; its public vector is released without noise."""

    def __init__(
        self, vocabulary: Vocabulary, *, epsilon: float, radius: float | str | None, calibrated: bool | None
    ) -> None:
        self.exponential = Exponential(vocabulary, epsilon=epsilon, radius=radius, calibrated=calibrated)
        self.steps: Steps = whole_steps(vocabulary, np.zeros(len(vocabulary)))
        self.guarantee = self.exponential.guarantee

    def choose(self, ids: Ids, streams: Streams) -> Ids:
        """A word, likelier the nearer."""
        return self.exponential._sample(ids, streams)


class ComponentRows(Rows):
    """For each word, the nearest word of every component, with weight exp(-rate x distance)."""

    def __init__(self, vocabulary: Vocabulary, law: Law, components: Ids) -> None:
        count = int(components.max()) + 1
        # Equal weights, given one by one: then no weight is shared among candidates that have no row.
        single = Law(
            rate=law.rate,
            radius=law.radius,
            loss=law.loss,
            certified=False,
            output_weights=np.ones(count),
            row_boosts=np.ones(len(vocabulary)),
        )
        super().__init__(vocabulary, single)
        self._components, self._count = components, count

    def _row(self, word: int, distances: Floats, buffers: Buffers) -> Row:
        nearest = np.empty(self._count, dtype=np.int32)
        _nearest_members(distances, self._components, word, nearest)
        own = int(self._components[word])
        row = integer_row(word, own, distances[nearest], self._law, 1.0, buffers)
        row.ids[:] = nearest[row.ids]
        return row


def _metric(vocabulary: Vocabulary) -> str:
    return f"{vocabulary.space.metric} of {len(vocabulary):,} public word vectors"


@compiled
def _nearest_members(distances, components, word, nearest):  # type: ignore[no-untyped-def]
    """The nearest word of every component, the lowest id among equals; the word itself in its own."""
    nearest[:] = -1
    for other in range(distances.size):
        component = components[other]
        if nearest[component] < 0 or distances[other] < distances[nearest[component]]:
            nearest[component] = other
    nearest[components[word]] = word
