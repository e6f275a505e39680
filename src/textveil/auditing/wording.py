"""An audit in a few plain words, for terminals, pages and failing tests."""

from __future__ import annotations

import math
from typing import Any

from textveil.auditing.promises import exceeds
from textveil.auditing.report import CERTIFYING, AuditReport, Finding, Verdict, Witness
from textveil.guarantees import Pairs, rounded_down, rounded_up

_SHOWN = 6
_DIGITS, _MOST_DIGITS = 4, 7


def facts(report: AuditReport) -> dict[str, str]:
    """Return what was promised and found, and the pair behind it, by title."""
    decides = report.deciding
    told = {"Promise": str(report.claim), "Found": _found(report, decides)}
    if decides is None or decides.witness is None or not (_certain(decides) or decides.verdict is Verdict.VIOLATED):
        return told
    return told | of_witness(decides, decides.witness)


def of_witness(finding: Finding, witness: Witness) -> dict[str, str]:
    """Return the pair of inputs behind a finding, by title."""
    x, y = (shortened(one) for one in witness.pair)
    if x == y:
        x, y = (shortened(one, digits=17) for one in witness.pair)
    told = {"x": x, "x'": y, "Event": witness.event}
    if witness.loss > 0:
        found, claimed = _compared(finding, witness.loss, witness.claimed)
        told["Loss"] = f"{found}, with {claimed} claimed for this pair"
    return told


def drawn(finding: Finding) -> str:
    """Say how a finding was made, and how many outputs would be needed where those drawn can't show a breach."""
    parts = [str(finding.method)]
    if finding.samples:
        parts.append(f"{finding.samples:,} outputs")
    if finding.needed is not None and finding.needed > finding.samples:
        parts.append(f"about {number(finding.needed)} are needed to show a breach")
    return ", ".join(parts)


def shortened(value: Any, digits: int = _DIGITS) -> str:
    """Return a public input in a few words: of a vector the first numbers."""
    if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value):
        first = ", ".join(f"{item:.{digits}g}" for item in value[:_SHOWN])
        return f"({first}{f', ... {len(value)} numbers' if len(value) > _SHOWN else ''})"
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        return f"{len(value)} sentence{'s' if len(value) > 1 else ''}, the first {shortened(value[0], digits)}"
    return f"“{value}”" if isinstance(value, str) else str(value)


def number(value: float) -> str:
    """Return a number with about four digits."""
    return _grouped(f"{value:.{_DIGITS}g}" if value < 1e4 else f"{value:.3g}" if value < 1e7 else f"{value:.2g}")


def times(count: int) -> str:
    """Return how often something happened."""
    return {0: "never", 1: "once"}.get(count, f"{count:,} times")


def _compared(finding: Finding, found: float, claimed: float) -> tuple[str, str]:
    """Return what was found and what was claimed, in digits that tell them apart where the claim is broken.

    What refutes a claim is rounded down, all other losses up: none is printed as more, or as better, than it is.
    """
    least = "" if _certain(finding) else "at least "
    if finding.verdict is not Verdict.VIOLATED:
        true = found if exceeds(found, claimed) else min(found, claimed)
        rounded = rounded_up if _certain(finding) else rounded_down
        return least + _grouped(rounded(true, _DIGITS)), _grouped(rounded_up(claimed, _DIGITS))
    for digits in range(_DIGITS, _MOST_DIGITS + 1):
        shown, promise = rounded_down(found, digits), rounded_up(claimed, digits)
        if float(shown) > float(promise):
            return least + _grouped(shown), _grouped(promise)
    return f"above {_grouped(promise)}", _grouped(promise)


def _grouped(value: str) -> str:
    """Return a printed number with commas between thousands; beyond ten millions as a power of ten."""
    if math.isinf(float(value)):
        return "∞"
    return f"{float(value):,.0f}" if 1e3 <= float(value) < 1e7 else value


def _certain(finding: Finding) -> bool:
    return finding.method in CERTIFYING


def _found(report: AuditReport, decides: Finding | None) -> str:
    if decides is None:
        return "nothing"
    by = f"by {decides.method}: {decides.name}"
    if decides.verdict is Verdict.NOT_CERTIFIABLE and not _certain(decides):
        if decides.contradicts:
            return by
        return f"no breach in {sum(finding.samples for finding in report.findings):,} outputs, which certifies nothing"
    if math.isnan(decides.bound) or not (_certain(decides) or decides.bound > 0):
        return by
    unit = " per unit of distance" if report.claim.relation.pairs is Pairs.METRIC else ""
    found, claimed = _compared(decides, decides.bound, report.claim.epsilon)
    return f"epsilon {found}{unit}, where {claimed} was claimed; {by}"
