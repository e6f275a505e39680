"""Several samples of one text, side by side with it. They are drawn as releases are, but nobody pays for them."""

from __future__ import annotations

from typing import Any

from textveil.mechanisms.candidates import Chosen
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.sentence_responses import Answers
from textveil.service.catalogue import Kind, Offer, Work
from textveil.service.releases import finite
from textveil.text import TextRewriter
from textveil.text.alignment import aligned


def reads(offer: Offer) -> Kind | None:
    """Return how an offer takes a text to give one back that can be read; None if it releases numbers."""
    kind = next((kind for kind in (Kind.TEXTS, Kind.DOCUMENTS) if kind in offer.kinds), None)
    if kind is None:
        return None
    (value,) = offer.work(kind, None).mechanism.release(["public"])
    return None if _readable(value) is None else kind


def made_by(offer: Offer) -> str:
    """Return the name in Python of what releases; of what only reads or writes texts for another, that of the other."""
    made = next(iter(offer.works[offer.default].values())).mechanism
    while isinstance(inner := getattr(made, "mechanism", None), Mechanism):
        made = inner
    return type(made).__name__


def samples_of(work: Work, text: str, count: int) -> dict[str, Any]:
    """Draw samples of a text, and say what a release of it would promise."""
    pieces: list[dict[str, Any]] = []
    found: list[dict[str, Any]]
    if isinstance(work.mechanism, TextRewriter):
        both = aligned(work.mechanism, text, samples=count)
        pieces = [vars(piece) for piece in both.pieces]
        found = [{"words": list(words), "text": None} for words in both.samples]
    else:
        found = [{"words": None, "text": _readable(each)} for each in work.mechanism.release([text] * count)]
    promise, number = work.guarantee, work.pieces([text])
    unit = "word" if promise.by_words else "sentence" if work.adds else "text"
    if promise.by_words:
        promise = promise.for_text(number)
    each = promise.loss(float("inf"))
    told = {"promise": str(promise), "status": promise.status, "unit": unit, "units": number, "each": each}
    values: dict[str, Any] = finite({"pieces": pieces, "samples": found, **told, "worst_case": each * number})
    return values


def _readable(value: Any) -> str | None:
    if isinstance(value, Chosen):
        return value.text
    if isinstance(value, Answers):
        return None if value.texts is None else " ".join(value.texts)
    return value if isinstance(value, str) else None
