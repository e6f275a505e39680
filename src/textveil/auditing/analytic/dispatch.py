"""Which analysis belongs to which mechanism."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from textveil.auditing.analytic.search import density_search
from textveil.auditing.report import Finding
from textveil.auditing.wrappers import inner_of
from textveil.guarantees import Guarantee


@singledispatch
def analysis(mechanism: Any, claim: Guarantee) -> Finding | None:
    """Compare a claim with what follows from a mechanism's parameters; None if nothing does.

    Each family registers its own.
    """
    return density_search(mechanism, claim)


def analytic_finding(mechanism: Any, claim: Guarantee) -> Finding | None:
    """Compare a claim with the law that a mechanism's parameters stand for; None if that law is not known."""
    inner = inner_of(mechanism, claim)
    if inner is not None:
        return inner.finding(analytic_finding(inner.mechanism, inner.claim))
    return analysis(mechanism, claim)
