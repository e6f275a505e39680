"""What the page asks for beside the releases."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

import textveil
from textveil.measure.passes import KnownLaw
from textveil.mechanisms.words import WordMechanism
from textveil.service.bodies import Name
from textveil.service.catalogue import Kind
from textveil.service.errors import Code, Refusal, documented
from textveil.service.playground.bodies import (
    MOST_CHARACTERS,
    FrontierBody,
    PageFacts,
    Plausible,
    Samples,
    SamplesOrder,
    Size,
    SizeOrder,
    WordFacts,
    WordOrder,
)
from textveil.service.playground.frontier import points_of
from textveil.service.playground.ladder import Ladder
from textveil.service.playground.samples import made_by, samples_of
from textveil.service.playground.words import plausible, word_facts
from textveil.service.releases import finite
from textveil.service.service import Caller, CallerOf, Service, ServiceOf

router = APIRouter(prefix="/v1/page")
_PUBLIC = documented(Code.UNKNOWN_MECHANISM)


class Ladders(dict[str, Ladder]):
    """The ladders of a catalogue, by the names of its offers."""

    def __missing__(self, name: str) -> Ladder:
        raise Refusal(Code.UNKNOWN_MECHANISM)


def _ladders(request: Request) -> Ladders:
    state, service = request.app.state, request.app.state.service
    if not hasattr(state, "ladders"):
        state.ladders = Ladders({name: Ladder(offer) for name, offer in service.catalogue.offers.items()})
    ladders: Ladders = state.ladders
    return ladders


LaddersOf = Annotated[Ladders, Depends(_ladders)]


def may_sample(service: Service, caller: Caller) -> bool:
    """Whether samples may be drawn unpaid: where nothing is counted, and else by keys that were made for it."""
    return not service.spending.counted or (caller.key is not None and caller.key.playground)


@router.get("", response_model=PageFacts, responses=documented(), operation_id="page")
def page(service: ServiceOf, caller: CallerOf, ladders: LaddersOf) -> Any:
    """Return what the page needs to begin with."""
    return {
        "library": textveil.__version__,
        "counted": service.spending.counted,
        "samples": may_sample(service, caller),
        "most_characters": MOST_CHARACTERS,
        "most_records": service.limits.records,
        "most_bytes": service.limits.stream_bytes,
        "mechanisms": [
            {
                "name": name,
                "made_by": made_by(ladder.offer),
                "takes": ladder.offer.kinds,
                "reads": ladder.reads,
                "words": Kind.TEXTS in ladder.offer.kinds and Kind.WORDS in ladder.offer.kinds,
                "default": ladder.offer.default,
                "offered": list(ladder.offer.works),
                "stays": [next(iter(each.values())).kept for each in ladder.offer.works.values()],
                "stops": list(ladder.stops),
            }
            for name, ladder in ladders.items()
        ],
    }


@router.post("/samples", response_model=Samples, responses=_PUBLIC, operation_id="page_samples")
def samples(order: SamplesOrder, service: ServiceOf, caller: CallerOf, ladders: LaddersOf) -> Any:
    """Draw samples of a text for somebody who knows it: no release, nothing is paid, nothing is kept."""
    _check_may_sample(service, caller)
    ladder = ladders[order.mechanism]
    return samples_of(ladder.work(_reads(ladder), order.epsilon), order.text, order.samples)


@router.post("/word", response_model=WordFacts, responses=_PUBLIC, operation_id="page_word")
def word(order: WordOrder, service: ServiceOf, caller: CallerOf, ladders: LaddersOf) -> Any:
    """Say what happens to a PUBLIC word, and what is around it; where the law is not known, samples are drawn."""
    made = _words(ladders, order)
    if not isinstance(made, KnownLaw):
        _check_may_sample(service, caller)
    return finite(word_facts(made, order.word))


@router.post(
    "/plausible",
    response_model=Plausible,
    responses=documented(Code.UNKNOWN_MECHANISM, Code.BUSY),
    operation_id="page_plausible",
)
def as_plausible(order: WordOrder, ladders: LaddersOf) -> Any:
    """Say how many words are as plausible as a PUBLIC word; it may take seconds the first time."""
    return finite(plausible(_words(ladders, order), order.word))


@router.post("/size", response_model=Size, responses=_PUBLIC, operation_id="page_size")
def size(order: SizeOrder, ladders: LaddersOf) -> Any:
    """Count the words or sentences of the longest text, for a preview; nothing is kept."""
    ladder = ladders[order.mechanism]
    work = ladder.work(_reads(ladder), None)
    return {"records": len(order.texts), "pieces": work.pieces(order.texts)}


@router.get("/frontier/{mechanism}", response_model=FrontierBody, responses=_PUBLIC, operation_id="page_frontier")
def frontier(mechanism: Name, service: ServiceOf, ladders: LaddersOf) -> Any:
    """Return what is kept at each epsilon, and the file of `textveil compare` that the operator gave."""
    return finite({"points": points_of(ladders[mechanism]), "file": service.frontier})


def _check_may_sample(service: Service, caller: Caller) -> None:
    if not may_sample(service, caller):
        remedy = "Ask for a key made with --playground."
        raise Refusal(Code.FORBIDDEN, "the key is not for the playground", remedy=remedy)


def _reads(ladder: Ladder) -> Kind:
    if ladder.reads is None:
        raise Refusal(Code.INVALID, "this mechanism releases numbers, which can't be read as a text")
    return ladder.reads


def _words(ladders: Ladders, order: WordOrder) -> WordMechanism:
    made = ladders[order.mechanism].work(Kind.WORDS, order.epsilon).mechanism
    if not isinstance(made, WordMechanism):
        raise Refusal(Code.INVALID, "this mechanism does not release words as words")
    return made
