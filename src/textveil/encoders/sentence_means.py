"""The mean of the vectors of a text's sentences: what stands for a document of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textveil.encoders.encoder import Encoder, Vectors, packed
from textveil.hashing import Packed
from textveil.mechanisms.documents import sums
from textveil.receipts import digest_of
from textveil.text.documents import all_sentences


class SentenceMeans:
    """Gives a text the mean of the vectors of its sentences; one without sentences counts as one empty sentence.

    Parameters
    ----------
    encoder : gives each sentence its vector
    """

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    @property
    def dimension(self) -> int:
        """That of the encoder."""
        return self.encoder.dimension

    @property
    def fast(self) -> bool:
        """Whether the encoder says that files may be read in large batches."""
        return bool(getattr(self.encoder, "fast", False))

    @property
    def digest(self) -> str:
        """The sha256 of the encoder."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        return f"the mean over its sentences, each of which has {self.encoder.meaning}"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {"encoder": "SentenceMeans", "sentences": self.encoder.spec()}

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the mean vector of each text: nothing is released, so give public texts."""
        sentences, offsets = all_sentences(packed(texts), least=1)
        return np.asarray(sums(self.encoder.encode(sentences), offsets) / np.diff(offsets)[:, None])
