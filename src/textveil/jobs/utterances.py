"""Rewriting the utterances of files: each record is one, and is released at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textveil.encoders.encoder import packed, readable
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.jobs.traits import Traits
from textveil.mechanisms.adept import Adept
from textveil.randomness import RandomSource


@dataclass(frozen=True)
class Saying:
    """Rewrite utterances, for texts that are released at once."""

    mechanism: Adept
    takes: int | None = None
    gives: int | None = None

    @property
    def traits(self) -> Traits:
        """That it takes its time."""
        return Traits(slow=True)

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

    def words(self, texts: Packed) -> None:
        """Return None: an utterance is released at once."""

    def run(self, texts: Packed, source: RandomSource) -> Packed:
        """Rewrite utterances."""
        items = self.mechanism.vectors(readable(texts))
        return packed(self.mechanism._sample(items, source.streams(self.purpose, items)))
