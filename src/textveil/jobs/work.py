"""What a job does to each batch: one pure function of the texts and the source of noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.randomness import RandomSource
from textveil.text import TextRewriter


class BatchWork(Protocol):
    """Releases batches of texts; the same texts at the same row of the same key come out the same."""

    @property
    def guarantee(self) -> Guarantee:
        """What the release of one text promises."""
        ...

    @property
    def purpose(self) -> bytes:
        """What the noise is for: works that differ in anything never share noise."""
        ...

    def spec(self) -> dict[str, Any]:
        """Return the work as plain values."""
        ...

    def words(self, texts: Packed) -> NDArray[np.int64]:
        """Return how many units that are paid for each text has."""
        ...

    def run(self, texts: Packed, source: RandomSource) -> Packed:
        """Release texts, the first with the noise of the source's row, each as one text; from any thread."""
        ...


@dataclass(frozen=True)
class Rewriting:
    """Rewrite texts word by word."""

    rewriter: TextRewriter

    @property
    def guarantee(self) -> Guarantee:
        """That of the rewriter."""
        return self.rewriter.guarantee

    @property
    def purpose(self) -> bytes:
        """The digest of the rewriter's spec."""
        return self.rewriter._purpose

    def spec(self) -> dict[str, Any]:
        """That of the rewriter."""
        return self.rewriter.spec()

    def words(self, texts: Packed) -> NDArray[np.int64]:
        """Return how many words each text has."""
        return self.rewriter.word_counts(texts)

    def run(self, texts: Packed, source: RandomSource) -> Packed:
        """Rewrite texts."""
        return Packed(*self.rewriter.rewrite(texts, source.streams(self.purpose, texts)))
