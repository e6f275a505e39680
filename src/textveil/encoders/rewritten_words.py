"""Texts for vectors, by way of words: a text is rewritten word by word, and what comes out is encoded.

Encoding is a function of the rewritten text and of public things, so the promise is that of the rewriter: losses add
over the words. It is the baseline "word-level metric privacy" of paper 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from textveil.encoders.embedder import named_encoder
from textveil.encoders.encoder import Encoder, Vectors
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.mechanisms.mechanism import Mechanism, from_spec
from textveil.randomness import Streams
from textveil.text import TextRewriter


@dataclass(frozen=True, eq=False)
class RewrittenWords(Mechanism):
    """Release the vector of a text that was rewritten word by word.

    Parameters
    ----------
    rewriter : rewrites texts
    encoder : gives what comes out its vector; SentenceMeans(encoder) for documents
    """

    rewriter: TextRewriter
    _: KW_ONLY
    encoder: Encoder

    def __post_init__(self) -> None:
        if not isinstance(self.rewriter, TextRewriter):
            raise InvalidInputError("RewrittenWords needs a tv.TextRewriter(mechanism)")

    @property
    def guarantee(self) -> Guarantee:
        """That of the rewriter: losses add over the words of a text."""
        return self.rewriter.guarantee

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {"mechanism": "RewrittenWords", "rewriter": self.rewriter.spec(), "encoder": self.encoder.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> RewrittenWords:
        rewriter: Any = objects.get("rewriter")
        if rewriter is None:
            rewriter = from_spec(spec["rewriter"], objects)
        elif rewriter.spec() != spec["rewriter"]:
            raise InvalidInputError("the rewriter is not the one of the spec: give that, or leave it out")
        return cls(rewriter, encoder=named_encoder(spec["encoder"], objects))

    def _check(self, private: Any) -> Packed:
        texts = self.rewriter._check(private)
        if not isinstance(private, str) and len(texts) != len(private):
            raise InvalidInputError(
                f"{len(private) - len(texts)} of {len(private)} texts are missing; a vector can't be: remove them"
            )
        return texts

    def _sample(self, items: Packed, streams: Streams) -> Vectors:
        return self.encoder.encode(self.rewriter._sample(items, streams))

    def _wrap(self, outputs: Vectors, private: Any) -> Vectors:
        return outputs[0] if isinstance(private, str) else outputs
