"""Audits as the command line runs them: of one mechanism or function, or of every mechanism."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from rich.console import Console

from textveil.auditing import AuditReport, Verdict, audit
from textveil.auditing.claim_file import ClaimFile
from textveil.auditing.curves import with_curve
from textveil.auditing.functions import Called, function_of
from textveil.auditing.page import page
from textveil.cli.audit_printing import print_report, table_of
from textveil.cli.audit_subjects import every_instance, instance
from textveil.durable import write_whole
from textveil.errors import InvalidInputError, require_positive, require_probability
from textveil.guarantees import Status
from textveil.mechanisms.mechanism import Mechanism
from textveil.progress import progress
from textveil.randomness import RandomSource

_AS_MARKED = "Only promises that are marked refuted are violated: published versions, kept for comparison."


@dataclass(frozen=True, kw_only=True)
class Audit:
    """How to audit, and where to write what was found.

    Parameters
    ----------
    alpha, samples, checks : as `textveil.audit` takes them
    seed : of the noise of mechanisms and of the auditor's own choices; None for fresh noise
    json_file, html_file : what to write, besides what is printed
    """

    alpha: float
    samples: int | None
    seed: int | None
    checks: bool | Mapping[str, Any]
    json_file: Path | None
    html_file: Path | None

    def __post_init__(self) -> None:
        require_probability("alpha", require_positive("alpha", self.alpha))
        for path in (self.json_file, self.html_file):
            if path is not None and not path.absolute().parent.is_dir():
                raise InvalidInputError(f"there is no folder {path.parent}; make it first")

    def of_one(self, name: str, given: Mapping[str, Any], claim: Path | None) -> bool:
        """Audit what a name stands for, print it, and return whether its promise is broken."""
        if ":" not in name:
            if claim is not None:
                raise InvalidInputError("--claim is for functions: a mechanism brings the promise that it makes")
            made = instance(name, given)
            return self._told(self._examined(made.mechanism), str(made))
        if given:
            option = next(iter(given)).replace("_", "-")
            raise InvalidInputError(f"--{option} is not for functions; what they promise is in --claim")
        found = function_of(name)
        if isinstance(found, Mechanism):
            if claim is not None:
                raise InvalidInputError(f"{name} is a mechanism, which brings its own promise: leave --claim out")
            return self._told(self._examined(found), name)
        if claim is None:
            raise InvalidInputError("say what the function promises: --claim claim.yaml (--template prints one)")
        return self._told(self._of_function(found, name, ClaimFile.load(claim)), f"{name}, for {claim.name}")

    def of_all(self, given: Mapping[str, Any], claim: Path | None) -> bool:
        """Audit every mechanism and print a table; a promise that is marked refuted is expected to be broken."""
        if given or claim is not None or self.html_file is not None:
            raise InvalidInputError(
                "--all takes no parameters of a mechanism, no --claim and no --html; leave them out"
            )
        ways = every_instance()
        reports: dict[str, AuditReport] = {}
        with progress("Auditing", len(ways)) as step:
            for make in ways:
                made = make()
                # What all audits together may accuse by chance is alpha.
                reports[made.title] = self._audited(made.mechanism, self.alpha / len(ways))
                step(title=f"Audited {made.name}")
        Console().print(table_of(reports))
        self._write_json([json.loads(report.to_json()) | {"instance": name} for name, report in reports.items()])
        broken = [name for name, report in reports.items() if report.verdict is Verdict.VIOLATED]
        unexpected = [name for name in broken if reports[name].claim.status is not Status.REFUTED]
        told = f"VIOLATED, though not marked refuted: {'; '.join(unexpected)}." if unexpected else _AS_MARKED
        Console(highlight=False).print(f"\n{told}", markup=False)
        return bool(unexpected)

    def _of_function(self, function: Callable[[Any], Any], name: str, told: ClaimFile) -> AuditReport:
        calls = count(1)
        with progress(f"Calling {name}", None) as step:
            called = Called(
                function, name, batch=told.batch, step=lambda: step(title=f"Calling {name}: {next(calls):,} times")
            )
            return self._examined(called, claim=told.claim, pairs=told.pairs)

    def _examined(self, subject: Any, **promise: Any) -> AuditReport:
        report = self._audited(subject, self.alpha, **promise)
        pictured = self.json_file is not None or self.html_file is not None
        return with_curve(report, subject, source=self._source()) if pictured else report

    def _told(self, report: AuditReport, audited: str) -> bool:
        """Print and write a report, and return whether the promise is broken."""
        print_report(Console(highlight=False), report, audited)
        self._write_json(json.loads(report.to_json()))
        if self.html_file is not None:
            write_whole(self.html_file, page(report).encode())
        return report.verdict is Verdict.VIOLATED

    def _audited(self, subject: Any, alpha: float, **promise: Any) -> AuditReport:
        return audit(subject, alpha=alpha, samples=self.samples, source=self._source(), checks=self.checks, **promise)

    def _source(self) -> RandomSource | None:
        return None if self.seed is None else RandomSource.seeded(self.seed)

    def _write_json(self, content: Any) -> None:
        if self.json_file is not None:
            write_whole(self.json_file, (json.dumps(content, indent=2) + "\n").encode())
