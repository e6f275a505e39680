"""What a paper says in words, what was measured, whether it holds, and why it may differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textveil.reproduce.pivots import Pivot, Records

Compared = Callable[[Records], tuple[str, bool]]


class Claim(NamedTuple):
    """A sentence of a paper, how it is measured, and one sentence on what lies behind."""

    says: str
    measured: Compared
    why: str


def claims_table(title: str, claims: Sequence[Claim], records: Records) -> Pivot:
    """Return what became of the claims."""
    rows = []
    for claim in claims:
        told, holds = claim.measured(records)
        rows.append([claim.says, told, "yes" if holds else "no", claim.why])
    return Pivot(title, ["the text says", "measured here", "holds", "why"], rows)


def leads(
    records: Records, ahead: Callable[[dict[str, Any]], bool], behind: Callable[[dict[str, Any]], bool]
) -> list[float]:
    """Return the means of some records less those of others, wherever data, measure and epsilon are the same."""
    others: dict[tuple[Any, ...], list[float]] = {}
    for one in filter(behind, records):
        others.setdefault((one["data"], one["measure"], one["epsilon"]), []).append(one["mean"])
    return [
        one["mean"] - other
        for one in filter(ahead, records)
        for other in others.get((one["data"], one["measure"], one["epsilon"]), [])
    ]


def told_leads(found: Sequence[float], digits: int = 3) -> str:
    """Return the least and the largest lead, and how often there is one."""
    ahead = sum(lead > 0 for lead in found)
    return f"{min(found):+.{digits}f} to {max(found):+.{digits}f}; ahead in {ahead} of {len(found)}"
