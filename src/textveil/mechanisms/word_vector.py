"""A word's public vector, released by any mechanism for vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Unit
from textveil.immutable import read_only
from textveil.mechanisms.mechanism import Mechanism, from_spec, named_object
from textveil.mechanisms.vectors import VectorMechanism, Vectors
from textveil.mechanisms.words import check_every_point, require_vocabulary
from textveil.noise.exact import rounded_normal
from textveil.noise.lattice import Lattice
from textveil.randomness import Streams
from textveil.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Steps = NDArray[np.int64]

# Noise this large, in steps of the vocabulary's lattice, still adds up with its points without rounding.
MOST_STEPS = 2**45


class WordVectorMechanism(Mechanism):
    """Releases words as vectors. A word outside the vocabulary enters as its one unknown word."""

    vocabulary: Vocabulary

    def _check(self, private: Any) -> Ids:
        return self.vocabulary.ids(private)

    def _wrap(self, outputs: Vectors, private: Any) -> Vectors:
        return outputs


@dataclass(frozen=True, eq=False)
class WordVector(WordVectorMechanism):
    """Release the vectors of words through a mechanism for vectors.

    Parameters
    ----------
    vocabulary : public
    mechanism : for vectors of the vocabulary's dimension, such as Laplace; it must take every point of the vocabulary
    """

    vocabulary: Vocabulary
    mechanism: VectorMechanism

    def __post_init__(self) -> None:
        require_vocabulary(self.vocabulary)
        if not isinstance(self.mechanism, VectorMechanism):
            raise InvalidInputError("mechanism must release vectors, such as Laplace(epsilon=..., dimension=...)")
        if self.mechanism.dimension != self.vocabulary.dimension:
            raise InvalidInputError(
                f"mechanism has dimension {self.mechanism.dimension}, the vocabulary {self.vocabulary.dimension}"
            )
        check_every_point(self.vocabulary, self.mechanism)

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism, for words, in the distance of their vectors."""
        noise = self.mechanism.guarantee
        return replace(noise, unit=Unit.WORD, reveals=(*noise.reveals, "the number of words"))

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "WordVector", "vocabulary": self.vocabulary.digest, "noise": self.mechanism.spec()}

    def _sample(self, items: Ids, streams: Streams) -> Any:
        return self.mechanism._sample(self.mechanism._check(self.vocabulary.points[items]), streams)

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> WordVector:
        vocabulary = named_object("vocabulary", spec["vocabulary"], objects)
        return cls(vocabulary, from_spec(spec["noise"], objects))  # type: ignore[arg-type]


def whole_steps(vocabulary: Vocabulary, deviations: NDArray[np.float64]) -> Steps:
    """Return deviations in whole steps of the vocabulary's lattice, rounded up and read-only; 0 stays 0."""
    steps = np.ceil(deviations / vocabulary.step)
    if not (steps < MOST_STEPS).all():
        raise InvalidInputError(
            f"noise must have a deviation below {MOST_STEPS * vocabulary.step:.3g} (got {deviations.max():.3g}): "
            "give a larger epsilon or delta, or multiply the vectors by a public constant"
        )
    return read_only(steps.astype(np.int64))


def noisy_points(vocabulary: Vocabulary, ids: Ids, steps: Steps, streams: Streams) -> Vectors:
    """Return the points of words with normal noise of these deviations, rounded to the lattice and drawn exactly.

    A point is on the vocabulary's lattice already, so that its distances are those of the table. Where the
    deviation is 0 the point is returned as it is.
    """
    lattice = Lattice(vocabulary.step)
    integers = lattice.snap(vocabulary.points[ids])
    noisy = np.flatnonzero(steps)
    if len(noisy):
        integers[noisy] += rounded_normal(streams.select(noisy), vocabulary.dimension, steps[noisy])
    return lattice.to_vectors(integers)
