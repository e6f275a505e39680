"""What can be asked: releases, and what helps to decide about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Response

from textveil.errors import InvalidInputError
from textveil.guarantees import Unit
from textveil.service.auditing import audited
from textveil.service.bodies import (
    AuditBody,
    AuditOrder,
    DatasetFacts,
    DatasetName,
    Datasets,
    DocumentsOrder,
    ExplainOrder,
    Explanations,
    History,
    MechanismFacts,
    Mechanisms,
    Name,
    Order,
    Preview,
    PreviewOrder,
    Released,
    TextsOrder,
    VectorsOrder,
    WordsOrder,
)
from textveil.service.catalogue import Kind, Offer
from textveil.service.errors import Code, Refusal, documented
from textveil.service.releases import finite, purchase_of, release
from textveil.service.service import Caller, CallerOf, Service, ServiceOf

router = APIRouter(prefix="/v1")
_PAID = documented(Code.UNKNOWN_MECHANISM, Code.UNKNOWN_DATASET, Code.OVER_BUDGET, Code.NO_LEDGER)
_PUBLIC = documented(Code.UNKNOWN_MECHANISM)


@router.post("/release/words", response_model=Released, responses=_PAID, operation_id="release_words")
def words(order: WordsOrder, service: ServiceOf, caller: CallerOf) -> Response:
    """Release words."""
    return _released(Kind.WORDS, order, order.words, service, caller)


@router.post("/release/texts", response_model=Released, responses=_PAID, operation_id="release_texts")
def texts(order: TextsOrder, service: ServiceOf, caller: CallerOf) -> Response:
    """Release texts: as texts, as vectors or as public sentences, as the mechanism does."""
    return _released(Kind.TEXTS, order, order.texts, service, caller)


@router.post("/release/vectors", response_model=Released, responses=_PAID, operation_id="release_vectors")
def vectors(order: VectorsOrder, service: ServiceOf, caller: CallerOf) -> Response:
    """Release vectors."""
    return _released(Kind.VECTORS, order, order.vectors, service, caller)


@router.post("/release/documents", response_model=Released, responses=_PAID, operation_id="release_documents")
def documents(order: DocumentsOrder, service: ServiceOf, caller: CallerOf) -> Response:
    """Release documents."""
    return _released(Kind.DOCUMENTS, order, order.documents, service, caller)


@router.post("/preview", response_model=Preview, responses=_PAID, operation_id="preview")
def preview(order: PreviewOrder, service: ServiceOf, caller: CallerOf) -> Any:
    """Say what a release would promise, cost and leave, from its size alone; nothing is reserved or released."""
    work = service.catalogue.offer(order.mechanism).work(order.kind, order.epsilon)
    dataset = caller.pays_from(service, order.dataset)
    records = order.pieces if order.kind is Kind.WORDS else order.records
    bought = purchase_of(work, records=records, pieces=order.pieces, rows=order.rows, dataset=dataset, part=order.part)
    promise = work.guarantee.for_text(bought.pieces) if work.guarantee.by_words else work.guarantee
    return finite(
        {
            "promise": str(promise),
            "guarantee": promise.as_dict(),
            "worst_case": promise.worst_case() * (bought.pieces if promise.unit is Unit.SENTENCE else 1),
            "stays": work.kept,
            **service.spending.preview(bought),
        }
    )


@router.get("/mechanisms", response_model=Mechanisms, responses=documented(), operation_id="list_mechanisms")
def mechanisms(service: ServiceOf) -> Any:
    """List the mechanisms, with their parameters and guarantees."""
    return {"mechanisms": [_facts(offer) for offer in service.catalogue.offers.values()]}


@router.get("/mechanisms/{name}", response_model=MechanismFacts, responses=_PUBLIC, operation_id="get_mechanism")
def mechanism(name: Name, service: ServiceOf) -> Any:
    """Return one mechanism, with its parameters and guarantees."""
    return _facts(service.catalogue.offer(name))


@router.post("/explain", response_model=Explanations, responses=_PUBLIC, operation_id="explain")
def explain(order: ExplainOrder, service: ServiceOf) -> Any:
    """Say what happens to PUBLIC words: nothing is released, and nothing is paid."""
    made = service.catalogue.offer(order.mechanism).work(Kind.WORDS, order.epsilon).mechanism
    if not hasattr(made, "explain"):
        raise InvalidInputError("explain needs a law that is known exactly, as Exponential's is")
    explained = [made.explain(word) for word in order.words]
    found = [finite({**vars(each), "statement": str(each)}) for each in explained]
    return {"promise": str(made.guarantee), "words": found}


@router.post(
    "/audit", response_model=AuditBody, responses=documented(Code.UNKNOWN_MECHANISM, Code.BUSY), operation_id="audit"
)
def audit(order: AuditOrder, service: ServiceOf) -> Any:
    """Compute whether a mechanism keeps its promise; it may take minutes the first time."""
    offer = service.catalogue.offer(order.mechanism)
    return audited(offer.work(offer.kinds[0], order.epsilon).mechanism)


@router.get(
    "/datasets",
    response_model=Datasets,
    responses=documented(Code.NO_LEDGER),
    operation_id="list_datasets",
)
def datasets(service: ServiceOf, caller: CallerOf) -> Any:
    """List the data sets that the key may spend from, with what is left of their budgets."""
    names = [name for name in service.spending.datasets() if caller.may_spend(name)]
    found = [{"name": name, "facts": finite(service.spending.facts(name))} for name in names]
    return {"counted": service.spending.counted, "datasets": found}


@router.get(
    "/datasets/{name}",
    response_model=DatasetFacts,
    responses=documented(Code.UNKNOWN_DATASET, Code.NO_LEDGER),
    operation_id="get_dataset",
)
def dataset(name: DatasetName, service: ServiceOf, caller: CallerOf) -> Any:
    """Return a data set's budget and what is left of it."""
    return {"name": name, "facts": finite(service.spending.facts(_known(name, service, caller)))}


@router.get(
    "/datasets/{name}/history",
    response_model=History,
    responses=documented(Code.UNKNOWN_DATASET, Code.NO_LEDGER),
    operation_id="get_history",
)
def history(name: DatasetName, service: ServiceOf, caller: CallerOf) -> Any:
    """Return what was spent from a data set."""
    return {"dataset": name, "entries": finite(service.spending.history(_known(name, service, caller)))}


def _released(kind: Kind, order: Order, private: Sequence[Any], service: Service, caller: Caller) -> Response:
    work = service.catalogue.offer(order.mechanism).work(kind, order.epsilon)
    answer = release(
        work,
        private,
        spending=service.spending,
        limits=service.limits,
        dataset=caller.pays_from(service, order.dataset),
        part=order.part,
        rows=order.rows,
    )
    service.metrics.released(order.mechanism, kind, len(private))
    return Response(answer, media_type="application/json")


def _known(name: str, service: Service, caller: Caller) -> str:
    if not caller.may_spend(name) or name not in service.spending.datasets():
        raise Refusal(Code.UNKNOWN_DATASET)
    return name


def _facts(offer: Offer) -> dict[str, Any]:
    first = offer.works[offer.default]
    return {
        "name": offer.name,
        "takes": offer.kinds,
        "dimension": next(iter(first.values())).dimension,
        "parameters": finite({kind: work.mechanism.spec() for kind, work in first.items()}),
        "default_epsilon": offer.default,
        "epsilons": [
            {
                "epsilon": epsilon,
                "promises": {kind: str(work.guarantee) for kind, work in works.items()},
                "guarantees": {kind: finite(work.guarantee.as_dict()) for kind, work in works.items()},
            }
            for epsilon, works in offer.works.items()
        ],
    }
