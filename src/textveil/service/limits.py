"""How much one caller may ask for: requests a second, and bytes and items of one request."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from textveil.errors import require_count, require_positive

MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The sizes that a request may have.

    Parameters
    ----------
    body_bytes : of a request that is answered at once
    stream_bytes : of a streamed request, all together
    record_bytes : of one record of a stream
    records : of one request, streamed or not
    numbers : of all vectors of a request, or of its answer, which cost more than their bytes
    """

    body_bytes: int = 4 * MIB
    stream_bytes: int = 64 * MIB
    record_bytes: int = MIB
    records: int = 100_000
    numbers: int = 2_000_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            require_count(name, value)


class Buckets:
    """A bucket of tokens for each caller: `rate` come back each second, at most `burst` are there.

    Parameters
    ----------
    rate, burst : by default; a caller may have its own rate
    clock : seconds, from any start
    """

    def __init__(self, rate: float, burst: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst = require_positive("rate", rate), require_positive("burst", burst)
        self._clock = clock
        self._levels: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def take(self, caller: str, *, rate: float | None = None) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        own = self._rate if rate is None else rate
        most = self._burst if rate is None else max(1.0, self._burst * rate / self._rate)
        with self._lock:
            now = self._clock()
            level, then = self._levels.get(caller, (most, now))
            level = min(most, level + (now - then) * own)
            if level >= 1:
                self._levels[caller] = level - 1, now
                return 0.0
            self._levels[caller] = level, now
            return (1 - level) / own


def retry_after(seconds: float) -> dict[str, str]:
    """Return the header that says how long to wait."""
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
