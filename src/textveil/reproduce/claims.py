"""What a paper says in words, what was measured, whether it holds, and what lies behind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from textveil.reproduce.pivots import Pivot, Records

YES, NO, UNDECIDED = "yes", "no", "not decided"
# What was measured, to read, and one of the three words above.
Compared = Callable[[Records], tuple[str, str]]
# The names of which two records that are compared must have the same values.
_SAME = ("data", "measure", "epsilon")

RULE = (
    "Each sentence is taken as differences of two means, all of which it says to be above 0. The interval of a "
    "difference is the root of the sum of the squares of the two 95% intervals; a difference of single runs has none, "
    "and runs that are all equal count as certain. A difference is clear if it is further from 0 than its interval; "
    "that of two means that are the same in truth is, if runs are normal and independent, clearly below 0 at most once "
    "in forty times. "
    '"No": more than one in forty are clearly below 0. "Yes": all are clearly above 0. "Not decided": all else. A '
    "sentence with another rule has it in brackets."
)
# Of differences that are truly 0, at most so many are below their 95% intervals, if runs are normal and independent.
_BY_CHANCE = 1 / 40


class Claim(NamedTuple):
    """A sentence of a paper, how it is measured, what lies behind, and the verdict that this explains."""

    says: str
    measured: Compared
    why: str
    explains: str


class Lead(NamedTuple):
    """The difference of two means, and its interval; none if one of them is of a single run."""

    value: float
    around: float | None

    @property
    def is_clear(self) -> bool:
        """Whether it is further from 0 than its interval."""
        return self.around is not None and abs(self.value) > self.around


def claims_table(title: str, claims: Sequence[Claim], records: Records) -> Pivot:
    """Return what became of the claims."""
    rows = []
    for claim in claims:
        found, holds = claim.measured(records)
        rows.append([claim.says, found, holds, claim.why if holds == claim.explains else "-"])
    return Pivot(title, ["the text says", "measured here", "holds", "why"], rows, RULE)


def lead(one: Mapping[str, Any], other: Mapping[str, Any]) -> Lead:
    """Return the mean of one record less that of another."""
    single = min(one["runs"], other["runs"]) < 2
    around = None if single else math.hypot(one["around"] or 0.0, other["around"] or 0.0)
    return Lead(one["mean"] - other["mean"], around)


def leads(
    records: Records,
    ahead: Callable[[dict[str, Any]], bool],
    behind: Callable[[dict[str, Any]], bool],
    also: Callable[[dict[str, Any]], Any] = lambda one: None,
) -> list[Lead]:
    """Return some records less others, wherever data, measure and epsilon are the same, and what `also` gives."""

    def place(one: dict[str, Any]) -> tuple[Any, ...]:
        return (*(one[name] for name in _SAME), also(one))

    others: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in filter(behind, records):
        others.setdefault(place(one), []).append(one)
    return [lead(one, other) for one in filter(ahead, records) for other in others.get(place(one), [])]


def steps(records: Records) -> list[Lead]:
    """Return each record less the one before it, wherever data, measure and epsilon are the same."""
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in records:
        rows.setdefault(tuple(one[name] for name in _SAME), []).append(one)
    return [lead(after, before) for row in rows.values() for before, after in pairwise(row)]


def judged(found: Sequence[Lead], digits: int = 3, *, percent: bool = False) -> tuple[str, str]:
    """Return differences that should be above 0, to read, and whether they are."""
    return told_leads(found, digits, percent=percent), verdict(found)


def verdict(found: Iterable[Lead]) -> str:
    """Return whether differences that should be above 0 are, by `RULE`."""
    known = list(found)
    if sum(one.is_clear and one.value < 0 for one in known) > _BY_CHANCE * len(known):
        return NO
    return YES if known and all(one.is_clear and one.value > 0 for one in known) else UNDECIDED


def told_leads(found: Sequence[Lead], digits: int = 3, *, percent: bool = False) -> str:
    """Return the least and the largest difference, how many are above 0, and how many are clear."""
    if not found:
        return "nothing to compare"
    times, unit = (100, " points") if percent else (1, "")
    least, most = (choose(one.value for one in found) * times for choose in (min, max))
    above, below = ([one for one in found if sign * one.value > 0] for sign in (1, -1))
    counts = [f"{len(above)} of {len(found)} above 0 ({sum(one.is_clear for one in above)} clearly)"]
    if below:
        counts.append(f"{len(below)} below ({sum(one.is_clear for one in below)} clearly)")
    return f"{least:+.{digits}f} to {most:+.{digits}f}{unit}; {', '.join(counts)}"
