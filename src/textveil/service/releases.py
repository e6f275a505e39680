"""One release: check, reserve and touch, release, commit; only then is there an answer to send."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.mechanisms.candidates import Chosen
from textveil.mechanisms.sentence_responses import Answers
from textveil.receipts import Receipt
from textveil.service.catalogue import Kind, Work
from textveil.service.errors import Code, Refusal
from textveil.service.limits import Limits
from textveil.service.spending import NOT_COUNTED, Entry, Purchase, Spending
from textveil.text.apart import refuse_shared


def check(work: Work, private: Sequence[Any], limits: Limits) -> None:
    """Refuse what the mechanism would not take, before anything is paid."""
    if len(private) > limits.records:
        raise Refusal(Code.TOO_LARGE, f"a request may have at most {limits.records:,} records")
    if work.dimension is not None:
        if any(len(vector) != work.dimension for vector in private):
            raise InvalidInputError(f"each vector must have {work.dimension} numbers")
        if len(private) * work.dimension > limits.numbers:
            raise Refusal(Code.TOO_LARGE, f"a request may have at most {limits.numbers:,} numbers")
    if work.shared is not None:
        refuse_shared(work.shared(private))


@dataclass(frozen=True, kw_only=True)
class PaidReceipt(Receipt):
    """The facts of one release over HTTP.

    Parameters
    ----------
    ledger : whether and where it was counted
    """

    ledger: dict[str, Any]


def purchase_of(
    work: Work, *, records: int, pieces: int, rows: int | None, dataset: str | None, part: str | None
) -> Purchase:
    """Return what a release of so much would have to pay for.

    Words in one list may be those of one text, so they are paid for as one record. That no person has more than `rows`
    of the records is the caller's word; without it, all of them may be one person's.
    """
    if work.kind is Kind.WORDS:
        records, pieces = 1, records
    return Purchase(
        released=work.mechanism,
        pieces=pieces,
        rows=records if rows is None else min(rows, records),
        dataset=dataset,
        part=part,
    )


def release(
    work: Work,
    private: Sequence[Any],
    *,
    spending: Spending,
    limits: Limits,
    dataset: str | None,
    part: str | None,
    rows: int | None,
) -> bytes:
    """Release private values and return the answer, which is paid for."""
    check(work, private, limits)
    if len(private) * work.gives > limits.numbers:
        raise Refusal(Code.TOO_LARGE, f"an answer may have at most {limits.numbers:,} numbers")
    pieces = work.pieces(private)
    bought = purchase_of(work, records=len(private), pieces=pieces, rows=rows, dataset=dataset, part=part)
    entry = spending.reserve(bought, touch=True)
    done = work.mechanism.release_with_receipt(private)
    receipt = finite(paid_receipt(done.receipt, entry, bought).as_dict())
    answer = {"released": plain(done.value), "receipt": receipt}
    body = json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
    entry.commit(receipt)
    return body


def paid_receipt(receipt: Receipt, entry: Entry, bought: Purchase, *, items: int | None = None) -> PaidReceipt:
    """Return a receipt with what the ledger has of it; its promise is for the longest record."""
    promise = receipt.guarantee
    paid = {
        "counted": entry.id is not None,
        "dataset": bought.dataset,
        "part": bought.part,
        "entry": entry.id,
        "statement": NOT_COUNTED if entry.id is None else f"Counted in the ledger for {bought.dataset}.",
    }
    return PaidReceipt(
        mechanism=receipt.mechanism,
        guarantee=promise.for_text(bought.pieces) if promise.by_words else promise,
        randomness=receipt.randomness,
        private=receipt.private,
        items=receipt.items if items is None else items,
        created=receipt.created,
        ledger=paid,
    )


def plain(value: Any) -> Any:
    """Return what a mechanism released as values for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Chosen):
        return {"index": value.index, "text": value.text, "vector": np.asarray(value.vector).tolist()}
    if isinstance(value, Answers):
        texts = None if value.texts is None else list(value.texts)
        return {"indices": list(value.indices), "texts": texts, "vector": np.asarray(value.vector).tolist()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def finite(value: Any) -> Any:
    """Return plain values in which numbers that are not finite are null."""
    if isinstance(value, dict):
        return {str(name): finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
