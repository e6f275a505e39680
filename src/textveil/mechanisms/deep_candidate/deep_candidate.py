"""DeepCandidate: a public document that lies deep among the sentences of a private one (SPEC 5, paper 4).

The utility of a candidate is its depth among the sentence vectors; exchanging a sentence moves it by at most 1. Or it
is the sum of the sentences' inner products with it, clipped, which moves by at most the width of the clip. The choice
is made by permute-and-flip, or, as published, by the exponential mechanism.
Proof: docs/mechanisms/deep-candidate.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads, thread_count
from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.guarantees import Guarantee, Pairs, Relation, Unit
from textveil.hashing import Packed
from textveil.immutable import read_only
from textveil.mechanisms.candidates import Candidates, Chosen, as_candidates
from textveil.mechanisms.deep_candidate.depth import Depth
from textveil.mechanisms.deep_candidate.inner_product import InnerProducts, checked_clip, usual_clip
from textveil.mechanisms.deep_candidate.law import exponential_law, permute_and_flip_law
from textveil.mechanisms.documents import ONE_SENTENCE, DocumentMechanism, Offsets, unpacked
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.vectors import Vectors
from textveil.noise.flip import choose
from textveil.noise.transforms import normals
from textveil.randomness import RandomSource, Streams

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

CHOICES = ("permute-and-flip", "exponential")
UTILITIES = ("depth", "inner-product")
# Directions are normal numbers in steps of this.
_DIRECTION_STEP = 2.0**-10
_MOST_DIMENSIONS = 32_768
_MOST_PROJECTIONS = 10_000
# Documents and sentences that are worked on at a time, unless one document has more; numbers of utility in memory.
_DOCUMENTS = 128
_SENTENCES = 4096
_NUMBERS = 1 << 23


@dataclass(frozen=True, eq=False)
class DeepCandidate(DocumentMechanism):
    """Release one public candidate for a document, given the vectors of its sentences.

    Parameters
    ----------
    candidates : public documents as vectors, encoded like the sentences; an array will do if they have no texts
    epsilon : the loss if one sentence is exchanged for any other
    projections : along how many public directions depth is measured; more tell better, and cost more time
    choose : "permute-and-flip", or "exponential" (the default of the published variant)
    variant : "repaired" counts a sentence at the place of a candidate for both sides; "published" as lying above it
    seed : public, of the directions
    utility : "depth", or "inner-product": the sum over the sentences of their inner products with the candidate
    clip : for inner products, the least and the largest that counts, both public; by default the range that tells
        candidates from each other (see `usual_clip`)
    """

    candidates: Candidates
    _: KW_ONLY
    epsilon: float
    projections: int = 50
    choose: str | None = None
    variant: str = "repaired"
    seed: int = 0
    utility: str = "depth"
    clip: tuple[float, float] | None = None

    least_sentences = 0

    def __post_init__(self) -> None:
        self._keep(
            candidates=as_candidates(self.candidates),
            epsilon=require_positive("epsilon", self.epsilon),
            projections=require_count("projections", self.projections),
            seed=require_count("seed", self.seed, least=0),
        )
        if self.projections > _MOST_PROJECTIONS:
            raise InvalidInputError(f"projections must be at most {_MOST_PROJECTIONS:,} (got {self.projections!r})")
        if self.variant not in ("repaired", "published"):
            raise InvalidInputError(f'variant must be "repaired" or "published" (got {self.variant!r})')
        if self.choose is None:
            self._keep(choose=CHOICES[self.variant == "published"])
        if self.choose not in CHOICES:
            raise InvalidInputError(f"choose must be one of {CHOICES} (got {self.choose!r})")
        if self.dimension > _MOST_DIMENSIONS:
            raise InvalidInputError(
                f"vectors must have at most {_MOST_DIMENSIONS:,} dimensions (got {self.dimension:,})"
            )
        self._check_utility()
        _ = self._scores

    def _check_utility(self) -> None:
        if self.utility not in UTILITIES:
            raise InvalidInputError(f"utility must be one of {UTILITIES} (got {self.utility!r})")
        if self.utility == "depth":
            if self.clip is not None:
                raise InvalidInputError('clip is for utility="inner-product"; depth needs none: leave it out')
            return
        if self.variant == "published":
            raise InvalidInputError('the published variant has utility="depth"; leave utility or variant out')
        self._keep(clip=usual_clip(self.candidates.vectors) if self.clip is None else checked_clip(self.clip))

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """Length of a sentence's vector."""
        return self.candidates.dimension

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon if one sentence is exchanged; half of it if one is added or left out."""
        return Guarantee(
            epsilon=self.epsilon,
            unit=Unit.SENTENCE,
            relation=Relation(pairs=Pairs.ANY, condition=ONE_SENTENCE),
        )

    def guarantee_for(self, *, sentences: int) -> Guarantee:
        """Return the promise for documents that differ in several sentences.

        Parameters
        ----------
        sentences : how many are exchanged; one that is added or left out counts half
        """
        count = require_count("sentences", sentences)
        differ = (
            f"that differ in at most {count} sentence{'s' if count > 1 else ''} (added or left out ones count half)"
        )
        relation = Relation(pairs=Pairs.ANY, condition=differ)
        return Guarantee(epsilon=count * self.epsilon, unit=Unit.DOCUMENT, relation=relation)

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "DeepCandidate",
            "candidates": self.candidates.digest,
            "epsilon": self.epsilon,
            "projections": self.projections,
            "choose": self.choose,
            "variant": self.variant,
            "seed": self.seed,
            "utility": self.utility,
            "clip": None if self.clip is None else list(self.clip),
        }

    @cached_property
    def directions(self) -> Floats:
        """The public directions, shape (projections, dimension): normal numbers in whole steps of 2^-10."""
        key = hashlib.sha256(b"textveil deep candidate %d" % self.seed).digest()
        streams = RandomSource.keyed(key).streams(b"directions %d" % self.dimension, np.arange(self.projections))
        return read_only(np.rint(normals(streams, self.dimension) / _DIRECTION_STEP))

    def utilities(self, document: Any) -> NDArray[np.int64]:
        """Return the depth of every candidate in one document, or its steps of inner product. It is private."""
        sentences, offsets = unpacked(self._check(document), self.dimension)
        if len(offsets) != 2:
            raise InvalidInputError(f"give one document, an array of shape (sentences, {self.dimension})")
        return np.asarray(self._scores.among(sentences, offsets)[0], dtype=np.int64)

    def law(self, document: Any) -> Floats:
        """Return the probability with which each candidate is released for one document. It is private."""
        scores = self.utilities(document)
        law = exponential_law if self.choose == "exponential" else permute_and_flip_law
        return law(scores.max() - scores, float(self._rate))

    @cached_property
    def _scores(self) -> Depth | InnerProducts:
        if self.utility == "inner-product":
            return InnerProducts(self.candidates.vectors, cast(tuple[float, float], self.clip))
        closed, device = self.variant == "repaired", self.candidates.device
        return Depth(self.candidates.vectors, self.directions, closed=closed, device=device)

    @property
    def _rate(self) -> Fraction:
        """Half of epsilon for what one sentence can add to a score."""
        return Fraction(self.epsilon) / 2 / self._scores.steps

    def _sample(self, items: Packed, streams: Streams) -> list[Chosen]:
        sentences, offsets = unpacked(items, self.dimension)
        portions = list(_portions(offsets, max(1, min(_DOCUMENTS, _NUMBERS // len(self.candidates)))))

        def work(documents: slice) -> Ids:
            return self._choose(sentences, offsets[documents.start : documents.stop + 1], streams.select(documents))

        spread = over_threads(work, portions, threads=min(thread_count(), len(portions) or 1))
        return [self.candidates[index] for part in spread for index in part]

    def _choose(self, sentences: Vectors, offsets: Offsets, streams: Streams) -> Ids:
        scores = self._scores.among(sentences[offsets[0] : offsets[-1]], offsets - offsets[0])
        return choose(scores, self._rate, streams, exponential=self.choose == "exponential")

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> DeepCandidate:
        options = {name: value for name, value in spec.items() if name != "candidates"}
        return cls(named_object("candidates", spec["candidates"], objects), **options)


def _portions(offsets: Offsets, documents: int) -> Iterator[slice]:
    """Cut the documents into portions of so many, or of about 4,096 sentences."""
    first = 0
    while first < len(offsets) - 1:
        enough = int(np.searchsorted(offsets, offsets[first] + _SENTENCES, side="right")) - 1
        last = min(max(enough, first + 1), first + documents, len(offsets) - 1)
        yield slice(first, last)
        first = last
