"""Run a service until it is told to stop; what is under way is finished first."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from textveil.service.app import build
from textveil.service.service import Service

LOG = logging.getLogger("textveil.service")
GRACE_SECONDS = 30
_AT_ONCE = 200
_IDLE_SECONDS = 10


class _Prompt(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """Closes a connection on which nobody asks: a request has some seconds to come, whole but for its body."""

    def connection_made(self, transport: Any) -> None:
        """Begin to look."""
        super().connection_made(transport)
        self._look(None)

    def _look(self, before: Any) -> None:
        """Close it if no request came since the last look, and none is being answered."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        idle = cycle is None or cycle.response_complete
        if idle and before is not None and cycle is before[0]:
            self.transport.close()
            return
        self.loop.call_later(_IDLE_SECONDS, self._look, (cycle,) if idle else None)


class _Server(uvicorn.Server):
    """Says that it is not ready as soon as it is told to stop."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See first to it that faults nobody waits for are logged by their kind alone."""
        asyncio.get_running_loop().set_exception_handler(_log_kind)
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take no new work."""
        self._service.stopping = True
        super().handle_exit(sig, frame)


def _log_kind(_: asyncio.AbstractEventLoop, facts: dict[str, Any]) -> None:
    LOG.error("fault %s outside of a request", type(facts.get("exception")).__name__)


def server_of(service: Service, *, host: str, port: int, grace: int = GRACE_SECONDS) -> uvicorn.Server:
    """Return what answers requests; its log has no bodies, paths or queries."""
    config = uvicorn.Config(
        build(service),
        host=host,
        port=port,
        http=_Prompt,
        proxy_headers=False,
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=grace,
        timeout_keep_alive=_IDLE_SECONDS,
        limit_concurrency=_AT_ONCE,
        ws="none",
        lifespan="off",
    )
    return _Server(config, service)


def run(service: Service, *, host: str, port: int) -> None:
    """Answer requests until told to stop; the log goes to standard error."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server raises the signal again when it has stopped; to have been told to stop is no failure.
        signal.signal(number, lambda *_: sys.exit(0))
    server_of(service, host=host, port=port).run()
