"""Which finding a verdict rests on."""

from __future__ import annotations

import math

import pytest

import textveil as tv
from textveil.auditing.report import AuditReport, Finding, Method, Verdict
from textveil.guarantees import local_privacy

CLAIM = local_privacy(1.0, unit=tv.Unit.VECTOR)


def found(name, method, bound, verdict=Verdict.VIOLATED):
    return Finding(name=name, method=method, verdict=verdict, explanation="", bound=bound)


def test_a_violation_rests_on_what_was_computed_or_else_on_the_largest_bound():
    sampled = (
        found("unknown", Method.CHECK, math.nan),
        found("just above", Method.BLACK_BOX, 1.0),
        found("large", Method.CHECK, 30.0),
        found("no breach", Method.BLACK_BOX, 99.0, Verdict.NOT_CERTIFIABLE),
    )
    report = AuditReport(subject="x", claim=CLAIM, findings=sampled)
    assert report.deciding.name == "large"
    assert report.bound == 30.0
    computed = (*sampled, found("law", Method.ANALYTIC, 2.0))
    assert AuditReport(subject="x", claim=CLAIM, findings=computed).deciding.name == "law"


@pytest.mark.parametrize("verdict", [Verdict.HOLDS, Verdict.NOT_CERTIFIABLE])
def test_other_verdicts_rest_on_what_was_computed(verdict):
    findings = (
        found("outputs", Method.BLACK_BOX, 0.9, Verdict.NOT_CERTIFIABLE),
        found("law", Method.EXACT, 0.5, verdict),
    )
    assert AuditReport(subject="x", claim=CLAIM, findings=findings).deciding.name == "law"
