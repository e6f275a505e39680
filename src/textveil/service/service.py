"""What the parts of a running service share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from textveil.service.catalogue import Catalogue
from textveil.service.errors import Code, Refusal
from textveil.service.keys import Key, KeyFile
from textveil.service.limits import Buckets, Limits
from textveil.service.metrics import Metrics
from textveil.service.spending import Spending


@dataclass
class Service:
    """Everything that requests need.

    Parameters
    ----------
    catalogue : what is offered
    spending : where it is paid
    keys : who may ask; None if anybody may
    limits, rate, burst : how much
    frontier : what `textveil compare` wrote, for the page to show
    stopping : whether no new work is taken
    """

    catalogue: Catalogue
    spending: Spending
    keys: KeyFile | None
    limits: Limits = field(default_factory=Limits)
    rate: float = 50.0
    burst: float = 100.0
    frontier: dict[str, Any] | None = None
    stopping: bool = False
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.buckets = Buckets(self.rate, self.burst)
        # Wrong secrets for a key that exists: a few a minute, since each costs the service tens of milliseconds.
        self.failures = Buckets(0.2, 10)


@dataclass(frozen=True)
class Caller:
    """Who asks: a key, or nobody in particular where no keys are kept."""

    key: Key | None

    def pays_from(self, service: Service, dataset: str | None) -> str | None:
        """Return the data set that pays, or refuse one that the key is not for."""
        if dataset is None:
            if service.spending.counted:
                raise Refusal(Code.INVALID, "dataset is missing: name the data set whose budget pays")
            return None
        if not self.may_spend(dataset):
            raise Refusal(Code.UNKNOWN_DATASET)
        return dataset

    def may_spend(self, dataset: str) -> bool:
        """Whether it may spend from a data set."""
        return self.key is None or self.key.may_spend(dataset)


def service_of(request: Request) -> Service:
    """Return the service that a request came to."""
    service: Service = request.app.state.service
    return service


def caller_of(request: Request) -> Caller:
    """Return who asks: the gate let nobody else through."""
    caller: Caller = request.scope["caller"]
    return caller


ServiceOf = Annotated[Service, Depends(service_of)]
CallerOf = Annotated[Caller, Depends(caller_of)]
