"""NADP: words released as vectors, with noise that looks at the neighbourhood of a word (paper 5, SPEC 6).

As published, the noise depends on the private word, and most words may get none. The repairs promise something for
every pair of words. Proofs: docs/mechanisms/nadp.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import (
    CertificateError,
    InvalidInputError,
    require_count,
    require_number,
    require_positive,
    require_probability,
)
from textveil.guarantees import Guarantee
from textveil.immutable import read_only
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.nadp.published import Published
from textveil.mechanisms.nadp.repaired import Component, Radius, Word
from textveil.mechanisms.word_vector import Ids, WordVectorMechanism, noisy_points
from textveil.mechanisms.words import checked_ids, require_vocabulary
from textveil.randomness import Streams
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.graph import NeighbourGraph, neighbour_graph
from textveil.vocabulary.neighbours import nearest_neighbours

Floats = NDArray[np.float64]

VARIANTS = ("word", "radius", "component", "published")


@dataclass(frozen=True, eq=False)
class Nadp(WordVectorMechanism):
    """Release words as vectors: a list of n words in, an array of shape (n, d) out.

    Parameters
    ----------
    vocabulary : public, in Euclidean space
    epsilon : "published", "radius": the loss of the pairs covered. "word": the loss per unit of distance. "component":
        the loss at distance 1
    delta : probability mass that may escape the bound; "word" needs none
    neighbours, threshold, overlap : of the graph, see `textveil.vocabulary.graph.neighbour_graph`
    variant : "word" draws a word and releases its public vector (N3); "radius" adds the same noise to every word (N1);
        "component" draws a neighbourhood and adds noise of its size (N2); "published" adds noise of the size of the
        word's own neighbourhood, which protects no word
    radius : "radius": pairs up to this distance are covered; by default the largest distance of a word from its
        `neighbours`, so that every pair that the graph may join is. "word", "component": where distances are cut off
    split : "component": loss is (1 - split) epsilon x distance for the neighbourhood, plus split epsilon for the noise
    sensitivities : "published": public, one number a word, in place of those of the graph
    calibrated : "word": as in Exponential
    """

    vocabulary: Vocabulary
    _: KW_ONLY
    epsilon: float
    delta: float = 0.0
    neighbours: int = 2
    threshold: float = 0.5
    overlap: int | None = None
    variant: str = "word"
    radius: float | None = None
    split: float = 0.5
    sensitivities: ArrayLike | None = None
    calibrated: bool | None = None

    def __post_init__(self) -> None:
        require_vocabulary(self.vocabulary)
        self._keep(
            epsilon=require_positive("epsilon", self.epsilon),
            delta=require_probability("delta", self.delta),
            neighbours=require_count("neighbours", self.neighbours),
            threshold=require_number("threshold", self.threshold),
            overlap=None if self.overlap is None else require_count("overlap", self.overlap),
            radius=None if self.radius is None else require_positive("radius", self.radius),
            split=require_number("split", self.split),
        )
        if not 0 <= self.threshold <= 1:
            raise InvalidInputError(f"threshold must be between 0 and 1 (got {self.threshold!r})")
        if self.variant not in VARIANTS:
            raise InvalidInputError(f"variant must be one of {', '.join(VARIANTS)} (got {self.variant!r})")
        if self.variant != "word":
            require_positive("delta", self.delta)
            if not isinstance(self.vocabulary.space, Euclidean):
                raise InvalidInputError(
                    f"noise protects Euclidean distance, the vocabulary has {self.vocabulary.space.metric}: "
                    'use variant="word"'
                )
        if not 0 < self.split < 1:
            raise InvalidInputError(f"split must be above 0 and below 1 (got {self.split!r})")
        if self.sensitivities is not None:
            self._keep(sensitivities=self._checked_sensitivities())
        _ = self._variant

    @property
    def guarantee(self) -> Guarantee:
        """What a release promises; refuted for the published variant."""
        return self._variant.guarantee

    @cached_property
    def graph(self) -> NeighbourGraph:
        """The neighbour graph of the vocabulary."""
        return neighbour_graph(
            self.vocabulary, neighbours=self.neighbours, threshold=self.threshold, overlap=self.overlap
        )

    @property
    def deviations(self) -> Floats:
        """The standard deviation of the noise that is added to each word of the vocabulary once it was chosen."""
        return self._variant.steps * np.float64(self.vocabulary.step)

    @property
    def zero_noise_words(self) -> list[str]:
        """The words that are released as they are: always none, except in the published variant."""
        if self.variant != "published":
            return []
        return self.vocabulary.words_of(np.flatnonzero(self._variant.steps == 0))

    def log_density(self, output: ArrayLike, given: Sequence[str]) -> Floats:
        """Return ln p(output | given) of the noise before rounding, for "published" and "radius".

        Parameters
        ----------
        output : vectors, (n, d) or (d,)
        given : n words, or one; where no noise is added the law is a point: inf there, and -inf elsewhere
        """
        if self.variant not in ("published", "radius"):
            raise InvalidInputError(f"variant {self.variant!r} has no density in closed form; see transition_rows")
        ids = self.vocabulary.ids(given)
        squares = np.square(np.asarray(output, dtype=np.float64) - self.vocabulary.points[ids]).sum(axis=-1)
        deviations = np.broadcast_to(self.deviations[ids], squares.shape)
        noisy = deviations > 0
        sigma = np.where(noisy, deviations, 1.0)
        normal = -squares / (2 * sigma**2) - self.vocabulary.dimension * (np.log(sigma) + math.log(2 * math.pi) / 2)
        return np.where(noisy, normal, np.where(squares == 0, np.inf, -np.inf))

    def transition_rows(self, ids: Ids) -> Floats:
        """Return the chances that words x numbered `ids` get the vectors of the words y, before noise."""
        words = checked_ids(ids, self.vocabulary)
        if isinstance(self._variant, Word):
            return self._variant.exponential.transition_rows(words)
        if isinstance(self._variant, Component):
            return self._variant.rows.probabilities(words)
        return np.eye(len(self.vocabulary))[words]

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        given = None if self.sensitivities is None else np.asarray(self.sensitivities)
        variant = self._variant
        return {
            "mechanism": "Nadp",
            "vocabulary": self.vocabulary.digest,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "neighbours": self.neighbours,
            "threshold": self.threshold,
            "overlap": self.overlap,
            "variant": self.variant,
            "radius": self.radius,
            "split": self.split,
            "sensitivities": None if given is None else hashlib.sha256(given.tobytes()).hexdigest(),
            "choice": variant.exponential.spec() if isinstance(variant, Word) else None,
        }

    def _sample(self, items: Ids, streams: Streams) -> Any:
        # The choice and the noise each have a stream of their own: they must not share a bit.
        both = streams.split(np.full(len(items), 2))
        chosen = self._variant.choose(items, both.select(slice(0, None, 2)))
        return noisy_points(self.vocabulary, chosen, self._variant.steps[chosen], both.select(slice(1, None, 2)))

    @cached_property
    def _variant(self) -> Published | Radius | Component | Word:
        vocabulary, epsilon, delta = self.vocabulary, self.epsilon, self.delta
        if self.variant == "word":
            return Word(vocabulary, epsilon=epsilon, radius=self.radius, calibrated=self.calibrated)
        if self.variant == "radius":
            return Radius(vocabulary, epsilon=epsilon, delta=delta, radius=self._protection_radius())
        if self.variant == "component":
            return Component(
                vocabulary,
                epsilon=epsilon,
                delta=delta,
                split=self.split,
                radius=self.radius,
                components=self.graph.components,
            )
        if self.sensitivities is None:
            overlap = self.neighbours if self.overlap is None else self.overlap
            name = f"the {self.neighbours}-neighbour graph (Jaccard index of {overlap} words >= {self.threshold:g})"
            sensitivities = self.graph.sensitivities
        else:
            name, sensitivities = "the graph behind the given sensitivities", np.asarray(self.sensitivities)
        return Published(vocabulary, epsilon=epsilon, delta=delta, sensitivities=sensitivities, graph=name)

    def _protection_radius(self) -> float:
        if self.radius is not None:
            return self.radius
        _, distances = nearest_neighbours(
            self.vocabulary.points, self.neighbours, include_self=True, device=self.vocabulary.device
        )
        farthest = float(distances[:, -1].max())
        if farthest == 0:
            raise InvalidInputError("every word has its neighbours at distance 0, so there is no default: give radius=")
        return farthest

    def _checked_sensitivities(self) -> Floats:
        given = np.array(self.sensitivities, dtype=np.float64)
        if self.variant != "published":
            raise InvalidInputError(f'sensitivities are for variant="published" (got variant={self.variant!r})')
        if given.shape != (len(self.vocabulary),) or not (np.isfinite(given) & (given >= 0)).all():
            raise InvalidInputError(
                f"sensitivities must be {len(self.vocabulary):,} finite numbers >= 0, one a word "
                f"(got shape {given.shape})"
            )
        return read_only(given)

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Nadp:
        vocabulary = named_object("vocabulary", spec["vocabulary"], objects)
        options = {name: value for name, value in spec.items() if name not in ("vocabulary", "sensitivities", "choice")}
        if spec["sensitivities"] is not None:
            options["sensitivities"] = objects.get("sensitivities")
        certified = spec["choice"] is not None and spec["choice"]["calibrated"]
        for calibrated in (None, True) if certified else (False,):
            made = cls(vocabulary, calibrated=calibrated, **options)
            if {**spec, "mechanism": "Nadp"} == made.spec():
                return made
        raise CertificateError("the spec does not come out again: check objects={'sensitivities': ...}")
