"""Streams: the whole declared maximum is reserved before the first record, and the stream ends when it is used up.

What has been released is sent while the rest still comes, but the service goes on reading even if the caller does not:
a caller that first sends everything and then reads gets no deadlock, unless its answer is longer than a stream may be.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

import anyio
from anyio import from_thread, to_thread
from fastapi import APIRouter, Query, Request, Response
from starlette.types import Receive, Scope, Send

from textveil.receipts import Receipt
from textveil.service.arrow_records import ARROW, through_arrow
from textveil.service.backlog import Backlog, UnreadError
from textveil.service.bodies import DatasetName, Name, Records
from textveil.service.catalogue import Kind, Work
from textveil.service.errors import Code, Refusal, as_refusal, documented, problem_response
from textveil.service.limits import Limits, retry_after
from textveil.service.records import NDJSON, through_lines
from textveil.service.releases import check, finite, paid_receipt, plain, purchase_of
from textveil.service.service import CallerOf, ServiceOf
from textveil.service.spending import Purchase, Spending

router = APIRouter(prefix="/v1")

_AT_ONCE, _OF_ONE_KEY = 8, 2
# How long is waited for what is not blank, and in all.
_PATIENCE_SECONDS, _MOST_SECONDS = 60.0, 3600.0
_SENT_BYTES = 1 << 16
_MEDIA = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in (NDJSON, ARROW)}
_CODES = (
    Code.UNKNOWN_MECHANISM,
    Code.UNKNOWN_DATASET,
    Code.OVER_BUDGET,
    Code.MEDIA_TYPE,
    Code.NO_LEDGER,
    Code.BUSY,
)


class Account:
    """Pays for a stream: reserves its maximum at the start, and lets no record through beyond it."""

    def __init__(self, work: Work, bought: Purchase, spending: Spending, limits: Limits, declared: int) -> None:
        self._work, self._bought, self._limits = work, bought, limits
        self._left = declared
        self.released = 0
        self._receipt: Receipt | None = None
        self._touched = self._closed = False
        self._entry = spending.reserve(bought, touch=False)

    def process(self, records: Sequence[Any]) -> list[Any]:
        """Release records, as many as are paid for."""
        check(self._work, records, self._limits)
        records = records[: self._left]
        if not records:
            return []
        if self._work.adds and self._work.pieces(records) > self._bought.pieces:
            raise Refusal(
                Code.OVER_BUDGET,
                "a record has more words or sentences than the stream declared",
                remedy="Declare as many as the longest record has: pieces=N.",
            )
        if not self._touched:
            self._entry.touch()
            self._touched = True
        self._left -= len(records)
        done = self._work.mechanism.release_with_receipt(records)
        self.released += len(records)
        self._receipt = done.receipt
        return list(plain(done.value))

    def close(self) -> None:
        """Commit what was released; what was never touched is given back."""
        if self._closed:
            return
        self._closed = True
        if self._receipt is not None:
            self._entry.commit(self.described(self.released))
        elif not self._touched:
            self._entry.cancel()

    def committed(self) -> dict[str, Any]:
        """Commit, and return the receipt as plain values."""
        self.close()
        return self.described(self.released)

    def described(self, items: int) -> dict[str, Any]:
        """Return the receipt of the first so many records as plain values."""
        if self._receipt is None:
            raise Refusal(Code.INVALID, "the stream has no records")
        receipt = paid_receipt(self._receipt, self._entry, self._bought, items=items)
        values: dict[str, Any] = finite(receipt.as_dict())
        return values


@router.post(
    "/stream/{kind}",
    response_class=Response,
    responses={200: {"content": _MEDIA, "description": "What is released, record by record"}, **documented(*_CODES)},
    openapi_extra={"requestBody": {"required": True, "content": _MEDIA}},
    operation_id="stream",
)
async def stream(
    kind: Kind,
    request: Request,
    service: ServiceOf,
    caller: CallerOf,
    mechanism: Annotated[Name, Query()],
    records: Annotated[Records, Query(description="how many records it has, at most")],
    pieces: Annotated[Records, Query(description="words or sentences of the longest record, at most")] = 1,
    rows: Annotated[
        Records | None, Query(description="records of one person, at most, where persons are protected")
    ] = None,
    dataset: Annotated[DatasetName | None, Query()] = None,
    part: Annotated[Name | None, Query()] = None,
    epsilon: Annotated[float | None, Query(gt=0, allow_inf_nan=False)] = None,
) -> Response:
    """Release a stream of records: lines of JSON, or Arrow. The declared maximum is paid, used or not."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in (NDJSON, ARROW):
        raise Refusal(Code.MEDIA_TYPE)
    work = service.catalogue.offer(mechanism).work(kind, epsilon)
    limits, places = service.limits, _places(request)
    if records > limits.records:
        raise Refusal(Code.TOO_LARGE, f"a stream may have at most {limits.records:,} records")
    payer = caller.pays_from(service, dataset)
    bought = purchase_of(work, records=records, pieces=pieces, rows=rows, dataset=payer, part=part)
    leave = places.take(None if caller.key is None else caller.key.id)
    try:
        account = await to_thread.run_sync(Account, work, bought, service.spending, limits, records)
    except BaseException:
        leave()
        raise
    body = io.BufferedReader(_Body(request))
    if media == NDJSON:
        pieces_out = through_lines(body, kind, account.process, account.committed, longest=limits.record_bytes)
    else:
        pieces_out = through_arrow(
            body,
            kind,
            account.process,
            account.described,
            account.committed,
            most=limits.records,
            most_bytes=limits.stream_bytes,
        )

    def ended() -> None:
        account.close()
        service.metrics.released(mechanism, kind, account.released)

    backlog = Backlog(limits.stream_bytes, _PATIENCE_SECONDS)
    return _Streamed(pieces_out, backlog, ended, leave, media=media, limiter=places.limiter)


class Places:
    """The streams that run: so many in all, and fewer of one key."""

    def __init__(self) -> None:
        self.limiter = anyio.CapacityLimiter(_AT_ONCE)
        self._held: Counter[str | None] = Counter()

    def take(self, key: str | None) -> Callable[[], None]:
        """Take a place, or refuse; returns how to leave it."""
        if self._held.total() >= _AT_ONCE:
            raise Refusal(Code.BUSY, f"{_AT_ONCE} streams are running", headers=retry_after(5))
        if key is not None and self._held[key] >= _OF_ONE_KEY:
            raise Refusal(Code.BUSY, f"{_OF_ONE_KEY} streams of this key are running", headers=retry_after(5))
        self._held[key] += 1

        def leave() -> None:
            self._held[key] -= 1

        return leave


def _places(request: Request) -> Places:
    state = request.app.state
    if not hasattr(state, "streams"):
        state.streams = Places()
    places: Places = state.streams
    return places


class _Body(io.RawIOBase):
    """The body of a request as a file, to be read by a thread."""

    def __init__(self, request: Request) -> None:
        self._chunks = request.stream()
        self._rest = b""
        self._silent = self._waited = 0.0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Wait for what comes next; 0 at the end."""
        while not self._rest:
            chunk = from_thread.run(self._next)
            if chunk is None:
                return 0
            self._rest = chunk
        piece, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)

    async def _next(self) -> bytes | None:
        began = anyio.current_time()
        with anyio.fail_after(min(_PATIENCE_SECONDS - self._silent, _MOST_SECONDS - self._waited)):
            chunk = await anext(self._chunks, None)
        seconds = anyio.current_time() - began
        self._waited += seconds
        # Blank lines are no records: they keep no place.
        self._silent = 0.0 if chunk and not chunk.isspace() else self._silent + seconds
        return chunk


class _Streamed(Response):
    """Sends pieces as they are made; an error before the first of them is a problem with its own status."""

    def __init__(
        self,
        pieces: Iterator[bytes],
        backlog: Backlog,
        ended: Callable[[], None],
        leave: Callable[[], None],
        *,
        media: str,
        limiter: anyio.CapacityLimiter,
    ) -> None:
        super().__init__(media_type=media)
        del self.headers["content-length"]
        self._pieces, self._backlog = pieces, backlog
        self._ended, self._leave, self._limiter = ended, leave, limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Make pieces in a thread, without limit but that of the request, and send them."""
        backlog = self._backlog

        def make() -> None:
            try:
                for piece in self._pieces:
                    # In parts, so that who reads slowly is seen to read.
                    for start in range(0, len(piece), _SENT_BYTES):
                        from_thread.run(backlog.put, piece[start : start + _SENT_BYTES])
            except UnreadError:
                raise
            except Exception as error:  # noqa: BLE001 - it is raised again where the answer is sent
                from_thread.run_sync(backlog.fail, error)
            finally:
                self._ended()

        async def produce() -> None:
            try:
                await to_thread.run_sync(make, limiter=self._limiter)
            finally:
                backlog.end()
            await backlog.all_read()

        fault = None
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(produce)
                async with aclosing(backlog.pieces()) as pieces:
                    fault = await self._send(pieces, scope, receive, send)
        except* UnreadError:
            # What is not read is cut off, and leaves its place to others.
            pass
        finally:
            self._leave()
        if fault is not None:
            raise fault

    async def _send(
        self, pieces: AsyncIterator[bytes | Exception], scope: Scope, receive: Receive, send: Send
    ) -> Exception | None:
        """Send all pieces and return a fault; an answer that can't be finished is cut off."""
        begun = False
        async for piece in pieces:
            if isinstance(piece, Exception):
                refusal = as_refusal(piece)
                if refusal.code is Code.INTERNAL:
                    return piece
                scope["app"].state.service.metrics.refused(refusal.code)
                if not begun:
                    await problem_response(refusal)(scope, receive, send)
                return None
            if not begun:
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                begun = True
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if begun:
            # A server may have taken the last piece, and wait here until it is read.
            with anyio.move_on_after(_PATIENCE_SECONDS):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        return None
