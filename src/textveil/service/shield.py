"""The way out: safe headers, one line in the log for each request, and no fault that shows what it met.

The log has the method, the route (not the path, nor the query), the status, the time, and the id of the key. Of a
fault nobody foresaw it has the kind and the place in the code, not the message, which might quote what was sent.
"""

from __future__ import annotations

import asyncio
import logging
import time
import traceback

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from textveil.service.errors import Code, as_refusal, problem_response
from textveil.service.service import Service

LOG = logging.getLogger("textveil.service")
_OTHER = "other"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'",
    "Cache-Control": "no-store",
}


class Shield:
    """Around everything else."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and see to what comes back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await self._app(scope, receive, guarded)
        except Exception as error:  # noqa: BLE001 - a message that nobody foresaw must not reach the server's log
            refusal = as_refusal(error)
            self._service.metrics.refused(refusal.code)
            if refusal.code is Code.INTERNAL:
                LOG.error("fault %s at %s", type(error).__name__, _place(error))
            if status == 0:
                await problem_response(refusal)(scope, receive, guarded)
        except asyncio.CancelledError:
            if not self._service.stopping:
                raise
            # The server would write all it knows of this into its log.
            LOG.warning("cut off, since the service stops")
        self._record(scope, status, time.perf_counter() - began)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", _OTHER)
        caller = scope.get("caller")
        key = caller.key.id if caller is not None and caller.key is not None else "-"
        self._service.metrics.answered(route, status, seconds)
        LOG.info("%s %s %d %.1f ms key %s", _method(scope), route, status, 1000 * seconds, key)


def _method(scope: Scope) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else _OTHER


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "unknown"
