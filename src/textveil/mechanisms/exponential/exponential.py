"""Words for words: near words are likelier, and the loss is epsilon times the distance of two inputs.

    P[y | x]  ~  a(y) exp(-rate min(d(x,y), radius))

The rate is the largest one that keeps epsilon for every pair of the vocabulary, certified (T7, T8). The public weights
a are 1, or given, or favour general words, or are optimised too (T9, T15). Proof: docs/mechanisms/exponential.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.compiled import thread_count
from textveil.errors import CertificateError, InvalidInputError, require_positive
from textveil.guarantees import Guarantee, Unit, metric_privacy
from textveil.mechanisms.exponential import certificates
from textveil.mechanisms.exponential.calibration import calibrate, law_keeping
from textveil.mechanisms.exponential.explanation import Explanation, explain
from textveil.mechanisms.exponential.law import (
    DEEPEST,
    DEEPEST_IF_GENERAL,
    DEEPEST_IF_TIGHT,
    Law,
    kept_share,
    truncation_radius,
    uncalibrated,
)
from textveil.mechanisms.exponential.rows import Rows
from textveil.mechanisms.exponential.shipped import curve_for, radius_for
from textveil.mechanisms.exponential.tight import MOST_WORDS, tight_law
from textveil.mechanisms.exponential.weighting import (
    GENERAL_RULE,
    checked_weights,
    digest_of_weights,
    general_weights,
    largest_epsilon,
)
from textveil.mechanisms.mechanism import named_object
from textveil.mechanisms.words import WordMechanism, checked_ids, require_vocabulary
from textveil.randomness import Streams
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import log_normalisers

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

# Without a word from the user, calibration that should take longer than this waits to be asked for.
PATIENCE_SECONDS = 15.0
AT_ONCE_SECONDS = 0.05
_PASSES = 4
_RADIUS_TRIES = 8
_SECONDS_A_PAIR = 6e-9
_SECONDS_A_PRODUCT = 4e-11
# On a CUDA device: all passes over 95,578 words of 300 dimensions took an H200 3.2 s.
_SECONDS_A_PAIR_THERE = 1.8e-10
_NAMED = ("general", "tight")


@dataclass(frozen=True, eq=False)
class Exponential(WordMechanism):
    """Replace words by words, likelier the nearer.

    Parameters
    ----------
    vocabulary : public; its words are the possible outputs
    epsilon : loss per unit of the vocabulary's distance
    radius : cut distances off here (T8): the loss never passes epsilon x radius, rows are sparse and fast; "auto" for
        the distance within which a word has 1 in 128 of the vocabulary, on average
    weights : how much each word is used as an output: "general" in the Poincaré ball, for more general words in the
        place of special ones; an array of public numbers > 0, one a word; "tight" to keep the most words (T9, T15)
    calibrated : True to calibrate now, False for rate = epsilon / 2, which needs no calibration; None takes a
        calibration that comes with the package (it may leave 2% of epsilon unused) or is in the cache, or
        makes it if that should take less than 15 seconds
    """

    vocabulary: Vocabulary
    _: KW_ONLY
    epsilon: float
    radius: float | str | None = None
    weights: str | ArrayLike | None = None
    calibrated: bool | None = None
    law: Law = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_vocabulary(self.vocabulary)
        self._keep(epsilon=require_positive("epsilon", self.epsilon))
        if isinstance(self.radius, str) and self.radius == "auto":
            self._keep(radius=radius_for(self.vocabulary))
        elif self.radius is not None:
            self._keep(radius=require_positive("radius", self.radius))  # type: ignore[arg-type]
        self._check_weights()
        self._keep(law=self._find_law())

    @property
    def guarantee(self) -> Guarantee:
        """Loss at most epsilon x distance for any two words."""
        metric = f"{self.vocabulary.space.metric} of {len(self.vocabulary):,} public word vectors"
        radius = self.law.radius if math.isfinite(self.law.radius) else None
        return metric_privacy(
            self.epsilon, metric=metric, unit=Unit.WORD, radius=radius, reveals=("the number of words",)
        )

    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values."""
        return {
            "mechanism": "Exponential",
            "vocabulary": self.vocabulary.digest,
            "epsilon": self.epsilon,
            "radius": self.radius,
            "weights": digest_of_weights(self.weights) if self._form == "given" else self.weights,
            "calibrated": self.law.certified,
            "rate": self.law.rate,
        }

    def calibrate(self) -> Exponential:
        """Return the calibrated mechanism, certified over all pairs of words; kept in the cache."""
        return self if self.law.certified else replace(self, calibrated=True)

    def is_at_hand(self, epsilon: float) -> bool:
        """Whether `replace(self, epsilon=epsilon)` is there at once: nobody has to wait for a calibration."""
        if self.calibrated is False or self._seconds_to_calibrate() <= AT_ONCE_SECONDS:
            return self._form != "tight"
        shipped = self.weights is None and self.calibrated is None
        curve = curve_for(self.vocabulary.digest, self._radius_at(epsilon)) if shipped else None
        return curve is not None and curve.law_within(epsilon) is not None

    def keeping(self, share: float, *, at_most: bool = True) -> Exponential:
        """Return the mechanism of this form whose words stay with this probability in the mean.

        Its epsilon is the exact loss of that law, so that nothing of it is left unused.
        """
        if self.weights is not None:
            raise InvalidInputError("keeping solves for the rate of the form without weights; use tv.calibrate")
        curve = None if self.calibrated else curve_for(self.vocabulary.digest, self.law.radius)
        known = curve.law_keeping(share, at_most=at_most) if curve else None
        if known is not None:
            return replace(self, epsilon=known.loss)
        epsilon = self.epsilon
        for _ in range(_RADIUS_TRIES):
            # Where weights underflow depends on epsilon, so the radius is found together with it.
            radius = self._radius_at(epsilon)
            law = law_keeping(self.vocabulary, share, radius, at_most=at_most, guess=epsilon / 2)
            epsilon = law.loss * (1 + 1e-11)
            if self._radius_at(epsilon) == radius:
                certificates.save(self._subject(epsilon, radius), law)
                return replace(self, epsilon=epsilon, calibrated=True)
        raise InvalidInputError("no radius fits this share; give radius= yourself")

    def explain(self, word: str) -> Explanation:
        """Say what happens to a word: its chance to stay, its likeliest replacements, what an attacker learns."""
        return explain(self.vocabulary, self._law_with_normalisers, self._rows, word)

    def transition_rows(self, ids: Ids) -> Floats:
        """Return P[y | x] for the words x numbered `ids` and all words y."""
        return self._rows.probabilities(checked_ids(ids, self.vocabulary))

    def transition_matrix(self) -> Floats:
        """Return P[y | x], rows are inputs; p x p numbers, so for vocabularies that fit."""
        return self.transition_rows(np.arange(len(self.vocabulary)))

    def _sample(self, items: Ids, streams: Streams) -> Ids:
        return self._rows.draw(items, streams)

    @cached_property
    def _law_with_normalisers(self) -> Law:
        if self.law.log_normalisers is not None or self._seconds_to_calibrate() > PATIENCE_SECONDS:
            return self.law
        law = self.law
        logs = log_normalisers(self.vocabulary, np.array([law.rate]), radius=law.radius, weights=law.output_weights)[0]
        return replace(law, log_normalisers=logs, kept=float(kept_share(logs, law.output_weights)))

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.vocabulary, self.law)

    def _find_law(self) -> Law:
        epsilon = self.epsilon
        if self._form == "general":
            epsilon = min(epsilon, largest_epsilon(self.vocabulary))
        radius = self._radius_at(epsilon)
        if self.calibrated is False:
            return uncalibrated(self.vocabulary, epsilon, radius, self._weights_at(epsilon, radius))
        if self.calibrated is None and self.weights is None:
            curve = curve_for(self.vocabulary.digest, radius)
            law = curve.law_within(epsilon) if curve else None
            if law is not None:
                return law
        subject = self._subject(epsilon, radius)
        stored = certificates.load(subject)
        if stored is not None:
            return stored
        if self.calibrated is None and self._form != "tight" and self._seconds_to_calibrate() > PATIENCE_SECONDS:
            return uncalibrated(self.vocabulary, epsilon, radius, self._weights_at(epsilon, radius))
        if self._form == "tight":
            law = tight_law(self.vocabulary, epsilon, radius)
        else:
            law = calibrate(self.vocabulary, epsilon, radius, self._weights_at(epsilon, radius))
        if law.certified:
            certificates.save(subject, law)
        return law

    def _weights_at(self, epsilon: float, radius: float) -> Floats | None:
        if self._form == "general":
            return general_weights(self.vocabulary, epsilon, radius)
        return None if self.weights is None else np.asarray(self.weights)

    def _check_weights(self) -> None:
        if self._form == "tight" and self.calibrated is False:
            raise InvalidInputError('weights="tight" is the result of a calibration: leave calibrated out')
        if self._form == "tight" and len(self.vocabulary) > MOST_WORDS:
            raise InvalidInputError(
                f'weights="tight" takes at most {MOST_WORDS:,} words (got {len(self.vocabulary):,}); '
                f"use vocabulary.subset({MOST_WORDS}) or leave weights out"
            )
        if isinstance(self.weights, str) and self._form not in _NAMED:
            raise InvalidInputError(
                f'weights must be "general", "tight", or numbers, one a word (got {self.weights!r})'
            )
        if self.weights is not None and self._form == "given":
            self._keep(weights=checked_weights(self.weights, self.vocabulary))

    @property
    def _form(self) -> str:
        if self.weights is None:
            return "plain"
        return self.weights if isinstance(self.weights, str) else "given"

    def _radius_at(self, epsilon: float) -> float:
        asked = None if self.radius is None else float(self.radius)
        depths = {"tight": DEEPEST_IF_TIGHT, "general": DEEPEST_IF_GENERAL}
        return truncation_radius(self.vocabulary, float(epsilon), asked, depth=depths.get(self._form, DEEPEST))

    def _subject(self, epsilon: float, radius: float) -> dict[str, Any]:
        form = GENERAL_RULE if self._form == "general" else self._form
        if form == "given":
            form = f"weights {digest_of_weights(self.weights)}"
        return certificates.subject_of(
            vocabulary=self.vocabulary.digest, epsilon=float(epsilon), radius=radius, form=form
        )

    def _seconds_to_calibrate(self) -> float:
        pairs, device = len(self.vocabulary) ** 2 / 2, self.vocabulary.device
        if device is not None and device.type == "cuda" and self.vocabulary.pairs_there() is not None:
            return _PASSES * pairs * _SECONDS_A_PAIR_THERE
        one = _SECONDS_A_PAIR + self.vocabulary.dimension * _SECONDS_A_PRODUCT
        return _PASSES * pairs * one / thread_count()

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Exponential:
        vocabulary = named_object("vocabulary", spec["vocabulary"], objects)
        options = {name: spec[name] for name in ("epsilon", "radius", "weights")}
        if options["weights"] not in (None, *_NAMED):
            options["weights"] = named_object("weights", options["weights"], objects, sha256_of=digest_of_weights)
        # A calibrated law came with the package or was computed: whichever gives the rate of the spec.
        for calibrated in (None, True) if spec["calibrated"] else (False,):
            made = cls(vocabulary, calibrated=calibrated, **options)
            if made.law.rate == spec["rate"]:
                return made
        raise CertificateError(f"calibration gave rate {made.law.rate!r}, the spec has {spec['rate']!r}")
