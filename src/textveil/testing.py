"""For the tests of other projects: a function or mechanism that breaks its promise fails the test.

    from textveil.testing import assert_private

    def test_our_noise_keeps_its_promise():
        assert_private(our_function, claim="claim.yaml")

How to write the claim, and what a test can show: docs/auditing.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from textveil.auditing import AuditReport, Verdict, audit
from textveil.auditing.claim_file import ClaimFile
from textveil.auditing.functions import Called
from textveil.auditing.wording import facts
from textveil.errors import InvalidInputError, NotPrivateWarning
from textveil.guarantees import Guarantee
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource

# A test is run again and again, and must not fail by chance.
_ALPHA = 1e-6


def assert_private(
    subject: Mechanism | Callable[[Any], Any],
    claim: Guarantee | str | Path | None = None,
    pair: tuple[Any, Any] | None = None,
    *,
    pairs: Iterable[Sequence[Any]] | None = None,
    certified: bool = False,
    alpha: float = _ALPHA,
    seed: int | None = None,
    **how: Any,
) -> AuditReport:
    """Fail, with the report of the audit, if a promise is broken.

    Parameters
    ----------
    subject : a mechanism, or a function of one input
    claim : a guarantee, or the path of a claim file; a mechanism brings its own
    pair, pairs : public inputs to try, as `textveil.audit` takes them; a claim file brings its own
    certified : whether "not certifiable" fails, too: only what is exact or analytic can be certified
    alpha : the chance, at most, that the test fails although the promise is kept
    seed : of a mechanism's noise and of the auditor's own choices; None for fresh noise in each run
    how : what else `textveil.audit` takes: samples, methods, checks
    """
    __tracebackhide__ = True
    given = [*([] if pair is None else [pair]), *([] if pairs is None else pairs)]
    if isinstance(claim, str | Path):
        told = ClaimFile.load(claim)
        claim, given = told.claim, given or list(told.pairs)
        if told.batch:
            if isinstance(subject, Mechanism):
                raise InvalidInputError("batch is for functions: a mechanism draws many outputs by itself")
            subject = Called(subject, getattr(subject, "__name__", type(subject).__name__), batch=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotPrivateWarning)
        source = None if seed is None else RandomSource.seeded(seed)
    report = audit(subject, claim=claim, pairs=given or None, alpha=alpha, source=source, **how)
    if report.verdict is Verdict.VIOLATED or (certified and report.verdict is not Verdict.HOLDS):
        raise AssertionError(_told(report))
    return report


def _told(report: AuditReport) -> str:
    return "\n".join([str(report), *(f"{name}: {value}" for name, value in facts(report).items())])
