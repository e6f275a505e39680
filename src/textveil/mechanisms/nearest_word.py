"""Noise on a word's vector, then the word nearest to it.

The nearest word is a function of the noisy vector and of public data alone, so the guarantee is that of
the noise. In many dimensions Exponential keeps far more at the same epsilon (SPEC T9); this is here
for comparison and for papers that use it. Proof: docs/mechanisms/nearest-word.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.errors import InvalidInputError
from textveil.gpu.devices import own_queue
from textveil.guarantees import Guarantee, Pairs, Status, Unit
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.mechanism import from_spec, named_object
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import AdditiveMechanism
from textveil.mechanisms.words import WordMechanism, check_every_point, require_vocabulary
from textveil.randomness import Streams
from textveil.spaces import Euclidean, Poincare
from textveil.vocabulary import Vocabulary

Ids = NDArray[np.int64]

# Noisy vectors held at a time, here and on a GPU.
_PORTION = 16_384
_PORTION_THERE = 65_536


@dataclass(frozen=True, eq=False)
class NearestWord(WordMechanism):
    """Replace words by the word nearest to their noisy vector.

    Parameters
    ----------
    vocabulary : public
    mechanism : noise on vectors of the vocabulary's dimension, such as Laplace, Mahalanobis (which keeps its own
        distance) or PrivUnit; HyperbolicLaplace in the Poincaré ball
    """

    vocabulary: Vocabulary
    mechanism: AdditiveMechanism | Mahalanobis | PrivUnit | HyperbolicLaplace

    def __post_init__(self) -> None:
        require_vocabulary(self.vocabulary)
        if not isinstance(self.mechanism, AdditiveMechanism | Mahalanobis | PrivUnit | HyperbolicLaplace):
            raise InvalidInputError(
                "mechanism must add noise to vectors and keep their dimension, such as Laplace(epsilon=..., "
                f"dimension={self.vocabulary.dimension}) (got {type(self.mechanism).__name__})"
            )
        if self.mechanism.dimension != self.vocabulary.dimension:
            raise InvalidInputError(
                f"mechanism has dimension {self.mechanism.dimension}, the vocabulary {self.vocabulary.dimension}"
            )
        if isinstance(self.mechanism, HyperbolicLaplace):
            self._check_hyperbolic(self.mechanism)
        elif not isinstance(self.vocabulary.space, Euclidean):
            raise InvalidInputError(
                f"noise protects Euclidean distance, the vocabulary has {self.vocabulary.space.metric}: use Exponential"
            )
        elif isinstance(self.mechanism, AdditiveMechanism) and not self._has_own_pairs:
            self._check_euclidean(self.mechanism)
        check_every_point(self.vocabulary, self.mechanism)

    def _check_euclidean(self, noise: AdditiveMechanism) -> None:
        if not noise.is_euclidean:
            raise InvalidInputError(
                f"{type(noise).__name__} promises by {noise.guarantee.relation.metric}, not by the Euclidean "
                "distance of the words: use Laplace or Gaussian, or WordVector, which releases the noisy vector"
            )
        if noise.lattice.step > self.vocabulary.step:
            # On the vocabulary's own lattice rounding moves no word, so distances are those of the vocabulary.
            self._keep(mechanism=replace(noise, step=self.vocabulary.step))  # type: ignore[type-var]

    def _check_hyperbolic(self, noise: HyperbolicLaplace) -> None:
        if not isinstance(self.vocabulary.space, Poincare):
            raise InvalidInputError(
                f"noise protects hyperbolic distance, the vocabulary has {self.vocabulary.space.metric}: make it with "
                "space=Poincare(...), or use Laplace"
            )
        if not noise.stays_inside:
            raise InvalidInputError(
                f"margin={noise.margin:g} puts points outside the ball, where they have no distance to any word; "
                f"give a negative one, such as {-abs(noise.margin):g}"
            )

    @property
    def _has_own_pairs(self) -> bool:
        """Whether the noise says itself between which words it promises what."""
        return isinstance(self.mechanism, Mahalanobis) or self.mechanism.guarantee.relation.pairs is Pairs.ANY

    @property
    def guarantee(self) -> Guarantee:
        """That of the noise, for words."""
        noise = self.mechanism.guarantee
        relation = noise.relation
        if isinstance(self.mechanism, HyperbolicLaplace) and noise.status is Status.CONDITIONAL:
            noise = replace(noise, reason="for ideal arithmetic: the noise is drawn in floating point")
        if not self._has_own_pairs:
            metric = f"{self.vocabulary.space.metric} of {len(self.vocabulary):,} public word vectors"
            relation = replace(relation, metric=metric)
        return replace(noise, unit=Unit.WORD, relation=relation, reveals=("the number of words",))

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "NearestWord",
            "vocabulary": self.vocabulary.digest,
            "noise": self.mechanism.spec(),
        }

    def _sample(self, items: Ids, streams: Streams) -> Ids:
        noise = self.mechanism
        if self.vocabulary.device is not None and isinstance(noise, AdditiveMechanism) and noise.draws_there:
            return self._sample_there(noise, items, streams)
        chosen = np.empty(len(items), dtype=np.int64)
        for start in range(0, len(items), _PORTION):
            part = slice(start, start + _PORTION)
            vectors = noise._check(self.vocabulary.points[items[part]])
            chosen[part] = self.vocabulary.nearest(noise._sample(vectors, streams.select(part)))
        return chosen

    def _sample_there(self, noise: AdditiveMechanism, items: Ids, streams: Streams) -> Ids:
        chosen = np.empty(len(items), dtype=np.int64)

        def decode(start: int) -> None:
            part = slice(start, start + _PORTION_THERE)
            with own_queue(self.vocabulary.device, start // _PORTION_THERE):
                # Every point was checked when the mechanism was made.
                vectors = noise.sample_there(self.vocabulary.points_there(items[part]), streams.select(part))
                found: Any = self.vocabulary.nearest(vectors)
                chosen[part] = found.cpu()

        # Sets the table up, once for both queues.
        self.vocabulary.points_there(items[:1])
        # While one thread waits for the device, the other gives it work.
        for _ in over_threads(decode, range(0, len(items), _PORTION_THERE), threads=2):
            pass
        return chosen

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> NearestWord:
        vocabulary = named_object("vocabulary", spec["vocabulary"], objects)
        noise = from_spec(spec["noise"], objects)
        return cls(vocabulary, noise)  # type: ignore[arg-type]
