"""Documents for vectors: the sentences of each are encoded one by one, and a document mechanism releases them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from typing import Any

from textveil.encoders.embedder import named_encoder, require_same_dimension
from textveil.encoders.encoder import Encoder
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.hashing import Packed
from textveil.mechanisms.documents import DocumentMechanism
from textveil.mechanisms.mechanism import Mechanism, from_spec
from textveil.randomness import Streams
from textveil.text.documents import all_sentences, documents_in

_LIST = "a document being the list of sentences that it is given as, or that its text is cut into"


@dataclass(frozen=True, eq=False)
class DocumentEmbedder(Mechanism):
    """Release something for each document, given as a text or as a list of sentences.

    A document without sentences counts as one empty sentence where the mechanism needs one (all but DeepCandidate do).

    Parameters
    ----------
    mechanism : takes the vectors of a document's sentences: DeepCandidate, SentenceResponses, AveragedPrivUnit ...
    encoder : gives each sentence its vector, such as MiniLM
    """

    mechanism: DocumentMechanism
    _: KW_ONLY
    encoder: Encoder

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, DocumentMechanism):
            raise InvalidInputError("DocumentEmbedder needs a mechanism that takes documents, such as DeepCandidate")
        require_same_dimension(self.mechanism.dimension, self.encoder)

    @property
    def guarantee(self) -> Guarantee:
        """That of the mechanism, for the sentences of documents."""
        promise = self.mechanism.guarantee
        condition = f"{promise.relation.condition}, {_LIST}"
        return replace(promise, relation=replace(promise.relation, condition=condition))

    def spec(self) -> dict[str, Any]:
        """Return the embedder as plain values."""
        return {"mechanism": "DocumentEmbedder", "documents": self.mechanism.spec(), "encoder": self.encoder.spec()}

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> DocumentEmbedder:
        mechanism: Any = from_spec(spec["documents"], objects)
        return cls(mechanism, encoder=named_encoder(spec["encoder"], objects))

    def vectors(self, documents: Packed) -> Packed:
        """Return the private vectors of the sentences of documents, as the mechanism takes them."""
        sentences, offsets = all_sentences(documents, least=self.mechanism.least_sentences)
        vectors = self.encoder.encode(sentences)
        return self.mechanism._check([vectors[first:last] for first, last in pairwise(offsets.tolist())])

    def _check(self, private: Any) -> Packed:
        return self.vectors(documents_in(private))

    def _sample(self, items: Packed, streams: Streams) -> Any:
        return self.mechanism._sample(items, streams)

    def _wrap(self, outputs: Any, private: Any) -> Any:
        return outputs[0] if isinstance(private, str) else outputs
