"""PublicResponse for the sentences of a document: each is answered, and the mean of the answers stands for it.

What one answer promises holds for each sentence. Proof: docs/mechanisms/public-response.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.hashing import Packed
from textveil.mechanisms.candidates import Candidates
from textveil.mechanisms.documents import SAME_NUMBER, DocumentMechanism, unpacked
from textveil.mechanisms.mechanism import from_spec
from textveil.mechanisms.public_response import PublicResponse
from textveil.randomness import Streams

_REVEALS = ("the number of sentences",)


class Answers(NamedTuple):
    """What was released for a document: the number and text of each answer, and the mean of their vectors."""

    indices: tuple[int, ...]
    vector: NDArray[Any]
    texts: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class SentenceResponses(DocumentMechanism):
    """Release one public candidate for each sentence of a document, and the mean of their vectors.

    Parameters
    ----------
    response : answers a sentence
    """

    response: PublicResponse

    def __post_init__(self) -> None:
        if not isinstance(self.response, PublicResponse):
            raise InvalidInputError("SentenceResponses needs what answers a sentence: tv.PublicResponse(...)")

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """Length of a sentence's vector."""
        return self.response.dimension

    @property
    def candidates(self) -> Candidates:
        """What answers are chosen from."""
        return self.response.candidates

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon for each sentence that is exchanged; their number is public."""
        relation = Relation(pairs=Pairs.ANY, condition=SAME_NUMBER)
        return replace(self.response.guarantee, unit=Unit.SENTENCE, relation=relation, reveals=_REVEALS)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "SentenceResponses", "response": self.response.spec()}

    def _sample(self, items: Packed, streams: Streams) -> list[Answers]:
        sentences, offsets = unpacked(items, self.dimension)
        chosen = self.response._sample(sentences, streams.split(np.diff(offsets)))
        return [self._answers(chosen[first:last]) for first, last in pairwise(offsets.tolist())]

    def _answers(self, chosen: NDArray[np.int64]) -> Answers:
        vector = self.candidates.vectors[chosen].mean(axis=0, dtype=np.float64)
        texts = self.candidates.texts
        numbers = tuple(chosen.tolist())
        return Answers(numbers, vector, None if texts is None else tuple(texts[number] for number in numbers))

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> SentenceResponses:
        response = from_spec(spec["response"], objects)
        if not isinstance(response, PublicResponse):
            raise InvalidInputError("the spec must name a PublicResponse")
        return cls(response)
