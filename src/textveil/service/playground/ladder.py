"""A mechanism at more epsilons than it is offered at: to look at, never to release with."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from threading import RLock

from textveil.errors import InvalidInputError
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.words import WordMechanism
from textveil.service.catalogue import Kind, Offer, Work
from textveil.service.errors import Code, Refusal
from textveil.service.playground.samples import reads
from textveil.text import TextRewriter

# Sixteen steps for a factor of ten, two digits each: from 0.1 to 21.
STEPS = tuple(float(f"{10 ** (step / 16):.2g}") for step in range(-16, 22))
# Each may come to hold half a gigabyte of rows.
_AT_A_TIME = 8


class Ladder:
    """The epsilons at which an offer can be looked at: those that are offered, and those that need no calibration.

    Parameters
    ----------
    offer : of the catalogue
    """

    def __init__(self, offer: Offer) -> None:
        self.offer = offer
        self._words = lru_cache(_AT_A_TIME)(self._make_words)
        self._making = RLock()

    @cached_property
    def reads(self) -> Kind | None:
        """How it takes a text to give one back that can be read; None if it releases numbers."""
        return reads(self.offer)

    @cached_property
    def stops(self) -> tuple[float, ...]:
        """All epsilons, ascending."""
        words = self.offer.works[self.offer.default].get(Kind.WORDS)
        more = [step for step in STEPS if words is not None and _is_at_hand(words.mechanism, step)]
        return tuple(sorted({*self.offer.works, *more}))

    def work(self, kind: Kind, epsilon: float | None) -> Work:
        """Return what would release this kind at this epsilon."""
        if epsilon is None or epsilon in self.offer.works or epsilon not in self.stops:
            return self.offer.work(kind, epsilon)
        own = self.offer.work(kind, None).mechanism
        with self._making:
            words = self._words(epsilon)
        return Work(kind, own.using(words) if isinstance(own, TextRewriter) else words)

    def _make_words(self, epsilon: float) -> WordMechanism:
        made = _at(self.offer.work(Kind.WORDS, None).mechanism, epsilon)
        if not isinstance(made, WordMechanism):
            raise Refusal(Code.INVALID, "the mechanism can't be made at this epsilon")
        return made


def _is_at_hand(mechanism: Mechanism, epsilon: float) -> bool:
    try:
        if isinstance(mechanism, Exponential):
            return mechanism.is_at_hand(epsilon)
        # Noise refuses an epsilon that it has no law for.
        return isinstance(mechanism, NearestWord) and bool(replace(mechanism.mechanism, epsilon=epsilon))  # type: ignore[type-var]
    except (InvalidInputError, TypeError):
        return False


def _at(mechanism: Mechanism, epsilon: float) -> Mechanism | None:
    if isinstance(mechanism, Exponential):
        return replace(mechanism, epsilon=epsilon)
    if isinstance(mechanism, NearestWord):
        return replace(mechanism, mechanism=replace(mechanism.mechanism, epsilon=epsilon))  # type: ignore[type-var]
    return None
