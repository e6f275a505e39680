"""What an audit found: findings, each by one method, and the verdict over all of them.

"Holds" is said only by methods that look at the whole law. Sampling can show that a promise is broken; that it did not
is no certificate, so the verdict is then "not certifiable", with the number of samples that would show a breach.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from textveil.guarantees import Guarantee


class Verdict(StrEnum):
    """What an audit can say about a promise. There is no "passed"."""

    HOLDS = "holds"
    VIOLATED = "violated"
    NOT_CERTIFIABLE = "not certifiable"


class Method(StrEnum):
    """How a finding was made."""

    EXACT = "exact"
    ANALYTIC = "analytic"
    DISTRIBUTION = "distribution test"
    BLACK_BOX = "black box"
    CHECK = "check"


CERTIFYING = (Method.EXACT, Method.ANALYTIC)


@dataclass(frozen=True, kw_only=True)
class Witness:
    """Where a promise breaks, or comes closest to it: two public inputs and what may come out of them.

    Parameters
    ----------
    pair : the two inputs, as plain values
    event : the output, or the set of outputs, in words
    distance : how far apart the inputs are, in the metric of the claim
    loss : the log-ratio of the event's probabilities, or the lower bound of it that was shown
    claimed : the loss that was promised for the pair
    """

    pair: tuple[Any, Any]
    event: str
    distance: float = math.nan
    loss: float = math.nan
    claimed: float = math.nan


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one method says about one promise.

    Parameters
    ----------
    name : what was looked at, in a few words
    method, verdict : how, and what follows
    explanation : one or two sentences for a reader who must act on it
    bound : the true epsilon (exact, analytic) or a lower bound of it (sampling), in the unit of the claim
    witness : the pair and the event behind the bound
    samples : how many outputs were drawn, of both inputs together
    alpha : the chance that a correct mechanism is accused by this finding; 0 for what is computed
    needed : how many samples would show a breach, where the samples drawn do not
    curve : what a picture shows, as plain lists: see `curves.with_curve`
    contradicts : that what is sampled is not the law that others computed with, so that their "holds" does not count
    """

    name: str
    method: Method
    verdict: Verdict
    explanation: str
    bound: float = math.nan
    witness: Witness | None = None
    samples: int = 0
    alpha: float = 0.0
    needed: float | None = None
    curve: dict[str, list[Any]] = field(default_factory=dict)
    contradicts: bool = False

    @property
    def certifies(self) -> bool:
        """Whether this finding alone shows that the promise holds."""
        return self.verdict is Verdict.HOLDS and self.method in CERTIFYING


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What was audited, what it promised, and what was found.

    Parameters
    ----------
    subject : the name of what was audited
    claim : the promise that was tested
    findings : in the order in which they were made
    """

    subject: str
    claim: Guarantee
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """Violated if anything was; holds if an exact or analytic method says so, and no sampler contradicts."""
        if any(finding.verdict is Verdict.VIOLATED for finding in self.findings):
            return Verdict.VIOLATED
        contradicted = any(finding.contradicts for finding in self.findings)
        if not contradicted and any(finding.certifies for finding in self.findings):
            return Verdict.HOLDS
        return Verdict.NOT_CERTIFIABLE

    @property
    def deciding(self) -> Finding | None:
        """The finding that the verdict rests on: of violations one that was computed, or else the largest shown."""
        agreeing = [finding for finding in self.findings if finding.verdict is self.verdict]
        if self.verdict is Verdict.VIOLATED:
            return max(agreeing, key=lambda finding: (finding.method in CERTIFYING, _known(finding.bound)))
        if self.verdict is Verdict.HOLDS:
            agreeing = [finding for finding in agreeing if finding.certifies]
        ranked = sorted(agreeing, key=lambda finding: (not finding.contradicts, finding.method not in CERTIFYING))
        return ranked[0] if ranked else None

    @property
    def bound(self) -> float:
        """The true epsilon, or the lower bound of it that was shown; nan if nothing was."""
        return self.deciding.bound if self.deciding else math.nan

    @property
    def witness(self) -> Witness | None:
        """The pair and the event behind the verdict."""
        return self.deciding.witness if self.deciding else None

    @property
    def method(self) -> Method | None:
        """How the verdict was reached."""
        return self.deciding.method if self.deciding else None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "subject": self.subject,
            "verdict": self.verdict,
            "claim": self.claim.as_dict(),
            "promise": str(self.claim),
            "findings": [asdict(finding) for finding in self.findings],
        }

    def to_json(self) -> str:
        """Return the report as JSON; numbers that are not finite are null."""
        return json.dumps(_finite(self.as_dict()), indent=2, allow_nan=False)

    def __str__(self) -> str:
        lines = (f"- {found.name} ({found.method}): {found.verdict}. {found.explanation}" for found in self.findings)
        return "\n".join([f"{self.subject}: {self.verdict}.", *lines])


def _known(bound: float) -> float:
    return -math.inf if math.isnan(bound) else bound


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return _finite(value.tolist()) if hasattr(value, "tolist") else repr(value)
