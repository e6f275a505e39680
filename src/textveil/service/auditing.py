"""Audits of what is offered: computed once for each mechanism, one at a time, from public objects alone."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any

from textveil.auditing import audit
from textveil.mechanisms.mechanism import Mechanism
from textveil.receipts import digest_of
from textveil.service.errors import Code, Refusal
from textveil.service.limits import retry_after

_METHODS = ("exact", "analytic")
_RUNNING = Lock()
_DONE: dict[str, dict[str, Any]] = {}


def audited(mechanism: Mechanism) -> dict[str, Any]:
    """Return what the law or the parameters of a mechanism say about its promise."""
    digest = digest_of(mechanism.spec())
    if digest not in _DONE:
        if not _RUNNING.acquire(blocking=False):
            raise Refusal(Code.BUSY, "another audit is running", headers=retry_after(60))
        try:
            _DONE[digest] = json.loads(audit(mechanism, methods=_METHODS).to_json())
        finally:
            _RUNNING.release()
    return _DONE[digest]
