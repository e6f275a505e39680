"""Texts for vectors: each text is given its public vector, which a vector mechanism releases.

A text is released at once, so its length is not revealed, and the loss does not add over its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from textveil.encoders.averaged_words import AveragedWords
from textveil.encoders.encoder import Encoder, Vectors
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.mechanisms.mechanism import Mechanism, from_spec, named_object
from textveil.mechanisms.vectors import VectorMechanism
from textveil.randomness import Streams
from textveil.text.columns import texts_in


@dataclass(frozen=True, eq=False)
class TextEmbedder(Mechanism):
    """Release one vector a text.

    Parameters
    ----------
    mechanism : releases vectors of the encoder's dimension, such as Laplace or PrivUnit
    encoder : gives each text its vector, such as AveragedWords
    """

    mechanism: VectorMechanism
    _: KW_ONLY
    encoder: Encoder

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, VectorMechanism):
            raise InvalidInputError("TextEmbedder needs a mechanism that releases vectors, such as Laplace")
        if self.mechanism.dimension != self.encoder.dimension:
            raise InvalidInputError(
                f"the mechanism takes vectors of {self.mechanism.dimension} numbers, but the encoder gives "
                f"{self.encoder.dimension}; give dimension={self.encoder.dimension}"
            )

    @property
    def guarantee(self) -> Guarantee:
        """That of the vectors, for whole texts of any length."""
        return self.mechanism.guarantee.for_whole_text(self.encoder.meaning)

    def spec(self) -> dict[str, Any]:
        """Return the embedder as plain values."""
        return {"mechanism": "TextEmbedder", "vectors": self.mechanism.spec(), "encoder": self.encoder.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> TextEmbedder:
        mechanism = from_spec(spec["vectors"], objects)
        encoder, named = objects.get("encoder"), spec["encoder"]
        if encoder is None and named.get("encoder") == "AveragedWords" and "vocabulary" in objects:
            encoder = AveragedWords(named_object("vocabulary", named["vocabulary"], objects))
        if not isinstance(mechanism, VectorMechanism) or encoder is None or encoder.spec() != spec["encoder"]:
            raise InvalidInputError("the spec needs its encoder, the same as it names: pass objects={'encoder': ...}")
        return cls(mechanism, encoder=encoder)

    def vectors(self, texts: Packed) -> Vectors:
        """Return the private vectors of UTF-8 texts, as the mechanism takes them."""
        return self.mechanism._check(self.encoder.encode(texts))

    def _check(self, private: Any) -> Vectors:
        texts = texts_in(private)
        if not isinstance(private, str) and len(texts) != len(private):
            raise InvalidInputError(
                f"{len(private) - len(texts)} of {len(private)} texts are missing; a vector can't be: remove them"
            )
        return self.vectors(Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts]))

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        released: Vectors = self.mechanism._sample(items, streams)
        return released

    def _wrap(self, outputs: Vectors, private: Any) -> Vectors:
        return outputs[0] if isinstance(private, str) else outputs
