"""Exact, analytic and black-box tests of a guarantee."""

from textveil.auditing.audit import audit
from textveil.auditing.report import AuditReport, Finding, Method, Verdict, Witness

__all__ = ["AuditReport", "Finding", "Method", "Verdict", "Witness", "audit"]
