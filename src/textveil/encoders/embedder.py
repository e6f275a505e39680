"""Texts for vectors: each text is given its public vector, which a mechanism releases, or answers by a public one.

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
from textveil.mechanisms.public_response import PublicResponse
from textveil.mechanisms.vectors import VectorMechanism
from textveil.randomness import Streams
from textveil.text.columns import texts_in


@dataclass(frozen=True, eq=False)
class TextEmbedder(Mechanism):
    """Release one vector a text, or one public sentence.

    Parameters
    ----------
    mechanism : takes vectors of the encoder's dimension: PublicResponse, or one that releases vectors, such as PrivUnit
    encoder : gives each text its vector, such as MiniLM
    """

    mechanism: VectorMechanism | PublicResponse
    _: KW_ONLY
    encoder: Encoder

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, VectorMechanism | PublicResponse):
            raise InvalidInputError("TextEmbedder needs a mechanism that answers or releases vectors, such as Laplace")
        require_same_dimension(self.mechanism.dimension, self.encoder)

    @property
    def guarantee(self) -> Guarantee:
        """That of the vectors, for whole texts of any length."""
        return self.mechanism.guarantee.for_whole_text(self.encoder.meaning)

    def spec(self) -> dict[str, Any]:
        """Return the embedder as plain values."""
        return {"mechanism": "TextEmbedder", "vectors": self.mechanism.spec(), "encoder": self.encoder.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> TextEmbedder:
        mechanism: Any = from_spec(spec["vectors"], objects)
        return cls(mechanism, encoder=named_encoder(spec["encoder"], objects))

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

    def _sample(self, items: Vectors, streams: Streams) -> Any:
        released = self.mechanism._sample(items, streams)
        if isinstance(self.mechanism, PublicResponse):
            return [self.mechanism.candidates[index] for index in released]
        return released

    def _wrap(self, outputs: Any, private: Any) -> Any:
        return outputs[0] if isinstance(private, str) else outputs


def require_same_dimension(dimension: int, encoder: Encoder) -> None:
    """Refuse an encoder whose vectors the mechanism does not take."""
    if not (hasattr(encoder, "encode") and hasattr(encoder, "dimension")):
        raise InvalidInputError(
            f"encoder must be one such as tv.AveragedWords(vocabulary) (got {type(encoder).__name__})"
        )
    if dimension != encoder.dimension:
        raise InvalidInputError(
            f"the mechanism takes vectors of {dimension} numbers, but the encoder gives {encoder.dimension}; give "
            f"dimension={encoder.dimension}, or candidates of the same encoder"
        )


def named_encoder(spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Encoder:
    """Return the encoder of a spec from the objects given, or made from their vocabulary."""
    encoder: Encoder | None = objects.get("encoder")
    if encoder is None and spec.get("encoder") == "AveragedWords" and "vocabulary" in objects:
        encoder = AveragedWords(named_object("vocabulary", spec["vocabulary"], objects))
    if encoder is None or encoder.spec() != spec:
        raise InvalidInputError("the spec needs its encoder, the same as it names: pass objects={'encoder': ...}")
    return encoder
