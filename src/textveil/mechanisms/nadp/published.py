"""NADP as published: Gaussian noise whose deviation depends on the neighbourhood of the private word."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
from textveil.mechanisms.word_vector import Ids, Steps, whole_steps
from textveil.noise.gaussian_curve import gaussian_scale, unequal_gaussian_delta_both_ways
from textveil.randomness import Streams
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]


class Published:
    """Deviation u(epsilon, delta) times the longest edge of the word's component; none where there is no edge."""

    def __init__(
        self, vocabulary: Vocabulary, *, epsilon: float, delta: float, sensitivities: Floats, graph: str
    ) -> None:
        self.steps: Steps = whole_steps(vocabulary, gaussian_scale(epsilon, delta) * sensitivities)
        self._vocabulary, self._epsilon, self._delta, self._graph = vocabulary, epsilon, delta, graph

    def choose(self, ids: Ids, streams: Streams) -> Ids:
        """The word itself."""
        return ids

    @cached_property
    def guarantee(self) -> Guarantee:
        """What the paper claims, and why it protects no word."""
        relation = Relation(pairs=Pairs.EDGES, metric=f"{self._graph} of {len(self._vocabulary):,} public word vectors")
        return Guarantee(
            epsilon=self._epsilon,
            delta=self._delta,
            unit=Unit.WORD,
            relation=relation,
            status=Status.REFUTED,
            reason=self._reason(),
            reveals=("the number of words", "the neighbourhood of each word, by the size of its noise"),
        )

    def _reason(self) -> str:
        bare, words = int((self.steps == 0).sum()), len(self.steps)
        reasons = ["as a protection of words: the noise has a size that depends on the word and gives its group away"]
        if bare:
            reasons.append(
                f"{bare:,} of {words:,} words ({bare / words:.1%}) get no noise at all and are released as they are"
            )
        if (self.steps > 0).any():
            delta = self._delta_across()
            if delta > self._delta:
                reasons.append(
                    f"between the words of least and of most noise delta is {delta:.3g} at this epsilon, "
                    f"not {self._delta:.3g}"
                )
        return "; ".join([*reasons, "only for two words that are joined by an edge does the claim hold"])

    def _delta_across(self) -> float:
        noisy = np.flatnonzero(self.steps)
        least, most = (int(noisy[find(self.steps[noisy])]) for find in (np.argmin, np.argmax))
        points, step = self._vocabulary.points, self._vocabulary.step
        return unequal_gaussian_delta_both_ways(
            self._epsilon,
            dimension=self._vocabulary.dimension,
            sigma=float(self.steps[least]) * step,
            other_sigma=float(self.steps[most]) * step,
            distance=float(np.linalg.norm(points[least].astype(np.float64) - points[most])),
        )
