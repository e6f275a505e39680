"""PublicResponse: one of the public candidates near a private vector, or any of them (T16).

Each of the m nearest is e^epsilon times as likely as each of the others, wherever the vector is: the loss between any
two vectors is at most epsilon. Proof: docs/mechanisms/public-response.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Unit, local_privacy
from textveil.mechanisms.candidates import Candidates, Chosen, as_candidates
from textveil.mechanisms.mechanism import Mechanism, named_object
from textveil.mechanisms.vectors import Vectors, checked_vectors
from textveil.noise.digits import Bounds, exponential_between, flip_coins
from textveil.noise.transforms import below
from textveil.randomness import RandomSource, Streams
from textveil.vocabulary.nearest_set import NearestSet

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_EPSILONS = (1e-9, 500.0)
# So many candidates stand for private vectors when the number of nearest ones is chosen.
_SAMPLE = 128
_SAMPLE_BLOCK = 16


@dataclass(frozen=True, eq=False)
class PublicResponse(Mechanism):
    """Release one of the public candidates for a vector.

    Parameters
    ----------
    candidates : public sentences or documents as vectors, encoded like the private ones; an array will do if they have
        no texts
    epsilon : the loss between any two vectors
    nearest : how many candidates count as near; by default the number whose answers are most similar on average, in
        cosine, when candidates themselves are the private vectors (see `best_nearest`)
    """

    candidates: Candidates
    _: KW_ONLY
    epsilon: float
    nearest: int | None = None

    def __post_init__(self) -> None:
        self._keep(candidates=as_candidates(self.candidates))
        if len(self.candidates) < 2:
            raise InvalidInputError("candidates must be at least two, to choose from (got 1)")
        low, high = _EPSILONS
        self._keep(epsilon=require_positive("epsilon", self.epsilon))
        if not low <= self.epsilon <= high:
            raise InvalidInputError(f"epsilon must be from {low:g} to {high:g} (got {self.epsilon!r})")
        if self.nearest is None:
            self._keep(nearest=best_nearest(self.candidates, self.epsilon))
        self._keep(nearest=require_count("nearest", self.near))
        if not self.near < len(self.candidates):
            raise InvalidInputError(
                f"nearest must be below {len(self.candidates):,}, the number of candidates (got {self.nearest!r})"
            )

    @property
    def near(self) -> int:
        """How many candidates count as near."""
        return cast(int, self.nearest)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.candidates.dimension

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon between any two vectors; the choice is exact."""
        return local_privacy(self.epsilon, unit=Unit.VECTOR)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values, with the number of nearest ones that was chosen."""
        return {
            "mechanism": "PublicResponse",
            "candidates": self.candidates.digest,
            "epsilon": self.epsilon,
            "nearest": self.near,
        }

    def release_indices(self, vectors: Any, *, source: RandomSource | None = None) -> Ids:
        """Release the numbers of candidates for vectors (n, dimension): the fast path.

        Parameters
        ----------
        vectors : private, one or many
        source : where the noise comes from; by default fresh noise from the operating system
        """
        items = self._check(vectors)
        return self._sample(items, RandomSource.given(source).streams(self._purpose, items))

    def transition_rows(self, vectors: Any) -> Floats:
        """Return the probability of each candidate given each vector: shape (n, candidates)."""
        odds, count = math.exp(-self.epsilon), len(self.candidates)
        items = self._check(vectors)
        rows = np.full((len(items), count), odds / (self.near + (count - self.near) * odds))
        np.put_along_axis(rows, self._search.nearest(items), 1 / (self.near + (count - self.near) * odds), axis=1)
        return rows

    @cached_property
    def _search(self) -> NearestSet:
        return NearestSet(self.candidates.vectors, self.near)

    def _check(self, private: Any) -> Vectors:
        # -0.0 is the same number as 0.0 and gets the same noise from a key.
        return checked_vectors(private, self.dimension) + 0.0

    def _sample(self, items: Vectors, streams: Streams) -> Ids:
        # With this chance it is one of the near ones; else any candidate, near or not. All is drawn and looked up in
        # either case, so that the time it takes does not tell which.
        near = flip_coins(streams, self._chance)
        rank = below(streams, self.near)
        anyone = below(streams, len(self.candidates))
        return np.where(near, self._search.nearest(items)[np.arange(len(items)), rank], anyone)

    def _chance(self, decimals: int) -> Bounds:
        """Bounds of m (e^epsilon - 1) / (M + m (e^epsilon - 1)), for m near ones of M."""
        digits_lost = max(0, -math.floor(math.log10(self.epsilon)))
        low, high = exponential_between(Fraction(self.epsilon), decimals + digits_lost)
        return self._chance_at(low), self._chance_at(high)

    def _chance_at(self, factor: Fraction) -> Fraction:
        excess = self.near * (factor - 1)
        return excess / (len(self.candidates) + excess)

    def _wrap(self, outputs: Ids, private: Any) -> Chosen | list[Chosen]:
        chosen = [self.candidates[index] for index in outputs]
        return chosen[0] if np.ndim(private) == 1 else chosen

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> PublicResponse:
        options = {name: value for name, value in spec.items() if name != "candidates"}
        return cls(named_object("candidates", spec["candidates"], objects), **options)


def best_nearest(candidates: Candidates, epsilon: float) -> int:
    """Choose how many candidates count as near, on public data alone.

    Up to 128 candidates, evenly spaced in the list, stand for private vectors. For each the others are ordered by
    cosine. A release with m near ones has mean cosine q(m) A(m) + (1 - q(m)) A(all), where q(m) is the chance of a
    near one and A(m) the mean cosine of the m most similar; the m with the largest mean over the sample is returned.
    """
    vectors = candidates.vectors.astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    count = len(units)
    sample = np.unique(np.linspace(0, count - 1, min(count, _SAMPLE)).astype(np.int64))
    total = np.zeros(count)
    for start in range(0, len(sample), _SAMPLE_BLOCK):
        rows = sample[start : start + _SAMPLE_BLOCK]
        differences = units[rows] @ -units.T
        # The private vector is not among the candidates, so its stand-in must not answer for itself.
        differences[np.arange(len(rows)), rows] = np.inf
        differences.sort(axis=1)
        total[:-1] -= np.cumsum(differences[:, :-1], axis=1, dtype=np.float64).sum(axis=0)
    near = np.arange(1, count)
    means = total[:-1] / len(sample) / near
    # m (e^epsilon - 1) / (M + m (e^epsilon - 1)), for any epsilon
    chance = near / (near + count / math.expm1(epsilon))
    return int(near[np.argmax(chance * means + (1 - chance) * means[-1])])
