"""The way in: who asks, how often, how much; before a byte of the body is read."""

from __future__ import annotations

import logging
import math
import re

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textveil.errors import InvalidInputError
from textveil.service.errors import Code, Refusal, problem_response
from textveil.service.keys import LOOPBACK, Key, KeyFile
from textveil.service.limits import retry_after
from textveil.service.service import Caller, Service

LOG = logging.getLogger("textveil.service")
STREAMS = "/v1/stream/"
PATIENCE_SECONDS = 60.0
_LENGTH = re.compile("[0-9]{1,15}")
_NOBODY = "nobody"
_LONGEST_HEADER = 200


class Gate:
    """Lets a request through if its key, its rate and its size allow it."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service
        self._checking: dict[str, anyio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a problem, or pass the request on with its caller."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        try:
            limited = self._limited(scope, receive)
            if path.startswith("/v1/") or path == "/metrics":
                scope["caller"] = await self._caller(Headers(scope=scope), path)
        except Refusal as refusal:
            self._service.metrics.refused(refusal.code)
            await problem_response(refusal)(scope, receive, send)
            return
        await self._app(scope, limited, send)

    async def _caller(self, headers: Headers, path: str) -> Caller:
        service = self._service
        if service.stopping:
            raise Refusal(Code.STOPPING, headers=retry_after(10))
        if service.keys is None:
            key = None
            # A page of another site must not reach a service without keys under a name of its own.
            if _host(headers) not in LOOPBACK:
                raise Refusal(Code.UNAUTHORISED, "without keys only this machine is answered")
        else:
            key = await self._key(service.keys, headers.get("authorization", ""))
        if path == "/metrics" and key is not None and not key.metrics:
            raise Refusal(Code.FORBIDDEN, "the key is not for metrics", remedy="Ask for a key made with --metrics.")
        if path != "/metrics" and key is not None and not key.datasets and not key.playground:
            raise Refusal(Code.FORBIDDEN, "the key is for metrics alone")
        wait = service.buckets.take(_NOBODY) if key is None else service.buckets.take(key.id, rate=key.rate)
        if wait:
            raise Refusal(Code.RATE, headers=retry_after(wait))
        return Caller(key)

    async def _key(self, keys: KeyFile, header: str) -> Key:
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or len(header) > _LONGEST_HEADER:
            raise Refusal(Code.UNAUTHORISED)
        try:
            return keys.remembered(token.strip()) or await self._checked(keys, token.strip())
        except InvalidInputError as error:
            LOG.error("%s", error)
            raise Refusal(Code.INTERNAL) from None

    async def _checked(self, keys: KeyFile, token: str) -> Key:
        claimed = keys.claimed(token)
        if claimed is None:
            raise Refusal(Code.UNAUTHORISED)
        # Many callers may begin at once with one key: one of them pays for the hash.
        async with self._checking.setdefault(claimed, anyio.Lock()):
            if (known := keys.remembered(token)) is not None:
                return known
            if wait := self._service.failures.take(claimed):
                raise Refusal(Code.RATE, headers=retry_after(wait))
            found = await run_in_threadpool(keys.check, token)
        if found is None:
            raise Refusal(Code.UNAUTHORISED)
        return found

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Return a way to receive the body that refuses more than its limit, or one that takes too long."""
        limits, streams = self._service.limits, scope["path"].startswith(STREAMS)
        most = limits.stream_bytes if streams else limits.body_bytes
        refusal = Refusal(Code.TOO_LARGE, f"the body may have at most {most:,} bytes")
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "0")
        if "content-length" in headers and "transfer-encoding" in headers:
            # Who stands in front may see another end of the body, and take what follows for another's request.
            raise Refusal(Code.MALFORMED, "the body has two lengths", headers={"Connection": "close"})
        if not _LENGTH.fullmatch(announced) or int(announced) > most:
            raise refusal
        received, is_whole = 0, False
        # A stream may last, and has its own patience for each piece.
        end = math.inf if streams else anyio.current_time() + PATIENCE_SECONDS

        async def limited() -> Message:
            nonlocal received, is_whole
            with anyio.move_on_at(math.inf if is_whole else end):
                message = await receive()
                received += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if received > most:
                    raise refusal
                return message
            raise Refusal(Code.MALFORMED, "The body did not come in time.")

        return limited


def _host(headers: Headers) -> str:
    name = headers.get("host", "")
    return name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
