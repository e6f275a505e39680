"""What is said of an audit is neither more nor less than was found."""

from __future__ import annotations

import math

import pytest

import textveil as tv
from textveil.auditing.report import AuditReport, Finding, Method, Verdict, Witness
from textveil.auditing.wording import facts, number, of_witness, times
from textveil.guarantees import local_privacy

VIOLATED, HOLDS = Verdict.VIOLATED, Verdict.HOLDS


def told(verdict, method, bound, claimed=1.0):
    finding = Finding(name="it", method=method, verdict=verdict, explanation="", bound=bound)
    claim = local_privacy(claimed, unit=tv.Unit.VECTOR)
    return facts(AuditReport(subject="x", claim=claim, findings=(finding,)))["Found"].partition(";")[0]


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (1.0, "epsilon above 1, where 1 was claimed"),
        (1.00000001, "epsilon above 1, where 1 was claimed"),
        (1.00049, "epsilon at least 1.0004, where 1 was claimed"),
        (2.7189, "epsilon at least 2.718, where 1 was claimed"),
        (6082.7, "epsilon at least 6,082, where 1 was claimed"),
        (math.inf, "epsilon at least ∞, where 1 was claimed"),
    ],
)
def test_a_violation_never_reads_as_none(bound, said):
    assert told(VIOLATED, Method.BLACK_BOX, bound) == said


def test_what_refutes_is_rounded_down_and_what_is_left_to_fear_up():
    assert told(VIOLATED, Method.ANALYTIC, math.sqrt(32)) == "epsilon 5.656, where 1 was claimed"
    assert told(HOLDS, Method.EXACT, math.sqrt(32), 6.0) == "epsilon 5.657, where 6 was claimed"
    assert told(HOLDS, Method.EXACT, 1.5 * (1 + 1e-12), 1.5) == "epsilon 1.5, where 1.5 was claimed"


def test_numbers_have_one_style():
    assert [number(value) for value in (0.5, 999.96, 6082.0, 27_312.0, 3e9, math.inf)] == [
        *("0.5", "1,000", "6,082", "27,300", "3e+09", "∞"),
    ]
    assert [times(count) for count in (0, 1, 2, 6082)] == ["never", "once", "2 times", "6,082 times"]


def test_inputs_that_differ_in_late_digits_are_shown_with_them():
    witness = Witness(pair=([0.5, 0.25], [0.5, 0.25 + 2**-30]), event="any")
    finding = Finding(name="it", method=Method.CHECK, verdict=VIOLATED, explanation="", witness=witness)
    said = of_witness(finding, witness)
    assert said["x"] == "(0.5, 0.25)"
    assert said["x'"] == "(0.5, 0.25000000093132257)"
