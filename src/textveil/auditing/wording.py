"""An audit in a few plain words, for terminals, pages and failing tests."""

from __future__ import annotations

import math
from typing import Any

from textveil.auditing.report import CERTIFYING, AuditReport, Finding, Verdict, Witness
from textveil.guarantees import Pairs

_SHOWN = 6


def facts(report: AuditReport) -> dict[str, str]:
    """Return what was promised and found, and the pair behind it, by title."""
    decides = report.deciding
    told = {"Promise": str(report.claim), "Found": _found(report, decides)}
    if decides is None or decides.witness is None or not (_certain(decides) or decides.verdict is Verdict.VIOLATED):
        return told
    return told | of_witness(decides, decides.witness)


def of_witness(finding: Finding, witness: Witness) -> dict[str, str]:
    """Return the pair of inputs behind a finding, by title."""
    told = {"x": shortened(witness.pair[0]), "x'": shortened(witness.pair[1]), "Event": witness.event}
    if witness.loss > 0:
        least = "" if _certain(finding) else "at least "
        told["Loss"] = f"{least}{number(witness.loss)}, with {number(witness.claimed)} claimed for this pair"
    return told


def drawn(finding: Finding) -> str:
    """Say how a finding was made, and how many outputs would be needed where those drawn can't show a breach."""
    parts = [str(finding.method)]
    if finding.samples:
        parts.append(f"{finding.samples:,} outputs")
    if finding.needed is not None and finding.needed > finding.samples:
        parts.append(f"about {number(finding.needed)} are needed to show a breach")
    return ", ".join(parts)


def shortened(value: Any) -> str:
    """Return a public input in a few words: of a vector the first numbers."""
    if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value):
        first = ", ".join(f"{item:.4g}" for item in value[:_SHOWN])
        return f"({first}{f', ... {len(value)} numbers' if len(value) > _SHOWN else ''})"
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        return f"{len(value)} sentence{'s' if len(value) > 1 else ''}, the first {shortened(value[0])}"
    return f"“{value}”" if isinstance(value, str) else str(value)


def number(value: float) -> str:
    """Return a number with about four digits."""
    if math.isinf(value):
        return "∞"
    return f"{value:.4g}" if value < 1e4 else f"{float(f'{value:.3g}'):,.0f}" if value < 1e7 else f"{value:.2g}"


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
    least = "" if _certain(decides) else "at least "
    return f"epsilon {least}{number(decides.bound)}{unit}, where {number(report.claim.epsilon)} was claimed; {by}"
