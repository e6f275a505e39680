"""What a job does to each batch: one pure function of the texts or vectors and the source of noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from textveil.encoders import DocumentEmbedder, TextEmbedder
from textveil.encoders.encoder import packed, readable
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.jobs.traits import Traits, as_columns, columns_beside, embedding_traits
from textveil.mechanisms.adept import Adept
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.public_response import PublicResponse
from textveil.mechanisms.vectors import VectorMechanism
from textveil.randomness import RandomSource
from textveil.text import TextRewriter
from textveil.text.documents import all_sentences

Applicable = TypeVar("Applicable", bound=Mechanism)


class BatchWork(Protocol):
    """Releases batches of texts or vectors; the same at the same row of the same key come out the same."""

    @property
    def takes(self) -> int | None:
        """The dimension of the vectors that are released, None for texts."""
        ...

    @property
    def gives(self) -> int | None:
        """The dimension of the vectors that come out, None for texts."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What the release of one record promises."""
        ...

    @property
    def purpose(self) -> bytes:
        """What the noise is for: works that differ in anything never share noise."""
        ...

    def spec(self) -> dict[str, Any]:
        """Return the work as plain values."""
        ...

    def words(self, items: Any) -> NDArray[np.int64] | None:
        """Return how many words or sentences that are paid for each text has; None if a record is released at once."""
        ...

    def run(self, items: Any, source: RandomSource) -> Any:
        """Release items, the first with the noise of the source's row, each as one; from any thread.

        Texts come and go as `Packed`, vectors as the rows of an array, or `Answered` with columns beside them.
        """
        ...

    # `traits: Traits` may say more; a work without is a fast one of words.


Work: TypeAlias = BatchWork | TextRewriter | Adept | TextEmbedder | DocumentEmbedder | VectorMechanism | PublicResponse


def work_of(work: Work) -> BatchWork:
    """Return the work that a rewriter, an embedder or a vector mechanism does."""
    if isinstance(work, TextRewriter):
        return Rewriting(work)
    if isinstance(work, Adept):
        return Saying(work)
    if isinstance(work, TextEmbedder | DocumentEmbedder):
        return Embedding(work)
    if isinstance(work, VectorMechanism | PublicResponse):
        return Releasing(work)
    if isinstance(work, Mechanism):
        raise InvalidInputError(
            f"{type(work).__name__} can't release files; give a TextRewriter, a TextEmbedder, a DocumentEmbedder or a "
            "vector mechanism"
        )
    return work


@dataclass(frozen=True)
class _Applied(Generic[Applicable]):
    """What a work has from the mechanism that it applies; it takes and gives texts, unless it says otherwise."""

    mechanism: Applicable

    @property
    def takes(self) -> int | None:
        """None: texts."""
        return None

    @property
    def gives(self) -> int | None:
        """None: texts."""
        return None

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism."""
        return self.mechanism.guarantee

    @property
    def purpose(self) -> bytes:
        """The digest of the mechanism's spec."""
        return self.mechanism._purpose

    def spec(self) -> dict[str, Any]:
        """That of the mechanism."""
        return self.mechanism.spec()

    def words(self, items: Any) -> NDArray[np.int64] | None:
        """Return None: a record is released at once."""
        return None


class Rewriting(_Applied[TextRewriter]):
    """Rewrite texts word by word."""

    def words(self, texts: Packed) -> NDArray[np.int64]:
        """Return how many words each text has."""
        return self.mechanism.word_counts(texts)

    def run(self, texts: Packed, source: RandomSource) -> Packed:
        """Rewrite texts."""
        return Packed(*self.mechanism.rewrite(texts, source.streams(self.purpose, texts)))


class Saying(_Applied[Adept]):
    """Rewrite whole utterances."""

    @property
    def traits(self) -> Traits:
        """That it takes its time."""
        return Traits(slow=True)

    def run(self, texts: Packed, source: RandomSource) -> Packed:
        """Rewrite utterances."""
        items = self.mechanism.vectors(readable(texts))
        return packed(self.mechanism._sample(items, source.streams(self.purpose, items)))


class Releasing(_Applied[VectorMechanism | PublicResponse]):
    """Release vectors, or answer them by public ones."""

    @property
    def takes(self) -> int:
        """The mechanism's dimension."""
        return self.mechanism.dimension

    @property
    def gives(self) -> int:
        """The dimension that the mechanism releases."""
        return _released_dimension(self.mechanism)

    @property
    def traits(self) -> Traits:
        """That candidates are named."""
        return Traits(beside=columns_beside(self.mechanism))

    def run(self, vectors: NDArray[Any], source: RandomSource) -> Any:
        """Release the rows of an array."""
        items = self.mechanism._check(vectors)
        released = self.mechanism._sample(items, source.streams(self.purpose, items))
        if isinstance(self.mechanism, PublicResponse):
            released = [self.mechanism.candidates[index] for index in released]
        return as_columns(released, self.gives)


class Embedding(_Applied[TextEmbedder | DocumentEmbedder]):
    """Release a vector for each text or document."""

    @property
    def gives(self) -> int:
        """The dimension that the mechanism releases."""
        return _released_dimension(self.mechanism.mechanism)

    @property
    def traits(self) -> Traits:
        """Those of its encoder and mechanism."""
        return embedding_traits(self.mechanism)

    def words(self, texts: Packed) -> NDArray[np.int64] | None:
        """Return how many sentences each document has; None for texts, which are released at once."""
        if isinstance(self.mechanism, TextEmbedder):
            return None
        return np.diff(all_sentences(texts, least=self.mechanism.mechanism.least_sentences)[1])

    def run(self, texts: Packed, source: RandomSource) -> Any:
        """Encode texts and release their vectors."""
        items: Any = self.mechanism.vectors(texts)
        return as_columns(self.mechanism._sample(items, source.streams(self.purpose, items)), self.gives)


def _released_dimension(mechanism: Any) -> int:
    return int(getattr(mechanism, "released_dimension", mechanism.dimension))
