"""The "Jaccard mechanism", a baseline of paper 5, as its text has it: refuted (SPEC 6.1).

Words are dense or sparse by the mean distance of their neighbours, and each class has Gaussian noise of its own size.
Docs: docs/mechanisms/nadp.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive, require_probability
from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.word_vector import Ids, Steps, WordVectorMechanism, noisy_points, whole_steps
from textveil.mechanisms.words import require_vocabulary
from textveil.noise.gaussian_curve import unequal_gaussian_delta_both_ways
from textveil.randomness import Streams
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.neighbours import nearest_neighbours

Floats = NDArray[np.float64]

# alpha of dense and of sparse words, from the paper's appendix C.3.
DENSE, SPARSE = 1.835, 1.276


@dataclass(frozen=True, eq=False)
class Jaccard(WordVectorMechanism):
    """Release words as vectors with Gaussian noise of two sizes, one for dense and one for sparse words.

    Deviations are alpha Delta sqrt(2 ln(1.25 / delta)) / epsilon, with alpha = 1.835 for dense and 1.276 for sparse
    words, and Delta the mean distance of a word from the farthest of its neighbours.

    Parameters
    ----------
    vocabulary : public, in Euclidean space
    epsilon, delta : what the paper claims
    neighbours : how many, the word itself not counted
    density : a word is dense if the mean distance of its neighbours is below this; by default the median over all words
    """

    vocabulary: Vocabulary
    _: KW_ONLY
    epsilon: float
    delta: float
    neighbours: int = 10
    density: float | None = None

    def __post_init__(self) -> None:
        require_vocabulary(self.vocabulary)
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            delta=require_probability("delta", require_positive("delta", self.delta)),
            neighbours=require_count("neighbours", self.neighbours),
            density=None if self.density is None else require_positive("density", self.density),
        )
        if not isinstance(self.vocabulary.space, Euclidean):
            raise InvalidInputError(
                f"noise needs Euclidean distance, the vocabulary has {self.vocabulary.space.metric}"
            )
        _ = self._steps

    @property
    def deviations(self) -> Floats:
        """The standard deviation of the noise of each word."""
        return self._steps * np.float64(self.vocabulary.step)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What the paper claims, and why it is not so."""
        metric = f"the {self.neighbours}-neighbour graph of {len(self.vocabulary):,} public word vectors"
        return Guarantee(
            epsilon=self.epsilon,
            delta=self.delta,
            unit=Unit.WORD,
            relation=Relation(pairs=Pairs.EDGES, metric=metric),
            status=Status.REFUTED,
            reason=self._reason(),
            reveals=("the number of words", "whether a word is dense or sparse, by the size of its noise"),
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "Jaccard",
            "vocabulary": self.vocabulary.digest,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.neighbours,
            "density": self.density,
        }

    def _sample(self, items: Ids, streams: Streams) -> Any:
        return noisy_points(self.vocabulary, items, self._steps[items], streams)

    @cached_property
    def _neighbours(self) -> tuple[Ids, Floats]:
        return nearest_neighbours(self.vocabulary.points, self.neighbours, device=self.vocabulary.device)

    @cached_property
    def _steps(self) -> Steps:
        _, distances = self._neighbours
        means = distances.mean(axis=1)
        limit = float(np.median(means)) if self.density is None else self.density
        scale = float(distances[:, -1].mean()) * math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon
        return whole_steps(self.vocabulary, scale * np.where(means < limit, DENSE, SPARSE))

    def _reason(self) -> str:
        """Say what is wrong with the proof, and what comes of it for two pairs of neighbours of this vocabulary."""
        ids, distances = self._neighbours
        reasons = ["its proof takes the mean distance of neighbours for a sensitivity, and forgets that sizes differ"]
        pairs = [("farthest apart", np.unravel_index(distances.argmax(), distances.shape))]
        across = self._steps[ids] != self._steps[:, None]
        if across.any():
            nearest = np.where(across, distances, np.inf).argmin()
            pairs.append(("nearest to each other with noise of two sizes", np.unravel_index(nearest, distances.shape)))
        for name, (word, place) in pairs:
            delta = self._delta_between(int(word), int(ids[word, place]), float(distances[word, place]))
            if delta > self.delta:
                reasons.append(f"for the neighbours {name} delta is {delta:.3g}, not {self.delta:.3g}")
        return "; ".join(reasons)

    def _delta_between(self, first: int, second: int, distance: float) -> float:
        return unequal_gaussian_delta_both_ways(
            self.epsilon,
            dimension=self.vocabulary.dimension,
            sigma=float(self.deviations[first]),
            other_sigma=float(self.deviations[second]),
            distance=distance,
        )

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Jaccard:
        options = {name: value for name, value in spec.items() if name != "vocabulary"}
        return cls(named_object("vocabulary", spec["vocabulary"], objects), **options)
