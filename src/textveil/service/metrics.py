"""Numbers for Prometheus. Labels are routes, mechanisms, kinds and codes: never data sets, keys or texts."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest

CONTENT_TYPE = CONTENT_TYPE_LATEST
_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)


class Metrics:
    """What is counted; one registry for each service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("textveil_requests", "Requests answered", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "textveil_request_seconds", "Time to answer", ["route"], registry=self._registry, buckets=_SECONDS
        )
        self._records = Counter(
            "textveil_released_records", "Records released", ["mechanism", "kind"], registry=self._registry
        )
        self._problems = Counter("textveil_problems", "Requests refused", ["code"], registry=self._registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def released(self, mechanism: str, kind: str, records: int) -> None:
        """Count records that were released and paid for."""
        self._records.labels(mechanism, kind).inc(records)

    def refused(self, code: str) -> None:
        """Count a problem."""
        self._problems.labels(code).inc()

    def page(self) -> bytes:
        """Return all numbers as Prometheus reads them."""
        return generate_latest(self._registry)
