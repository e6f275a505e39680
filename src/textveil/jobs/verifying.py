"""Check that an output is the one its receipt tells of, and say what was promised."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError
from textveil.files import Format, Holds, Selection, open_source
from textveil.files.selection import listed
from textveil.guarantees import Status
from textveil.jobs.journal import ReleasedFile
from textveil.jobs.receipt import FileReceipt, ServiceReceipt, plain_receipt, receipt_path, sha256_of
from textveil.receipts import Receipt, digest_of


@dataclass(frozen=True)
class Finding:
    """One thing that was checked, or a note of one that can't be."""

    ok: bool
    text: str
    note: bool = False

    def __str__(self) -> str:
        return f"{'note  ' if self.note else 'ok    ' if self.ok else 'WRONG '} {self.text}"


@dataclass(frozen=True)
class Verification:
    """All that was checked, and the promise that the receipt makes."""

    findings: tuple[Finding, ...]
    statement: str

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.ok for finding in self.findings)

    def __str__(self) -> str:
        # What is wrong comes last, where people look.
        shown = sorted(self.findings, key=lambda finding: not finding.ok)
        end = f"The receipt is not signed. It says: {self.statement}"
        if not self.ok:
            end = "NOT VERIFIED: this is not the release that the receipt tells of."
        return "\n".join([*map(str, shown), end])


def verify(
    target: str | os.PathLike[str], receipt: str | os.PathLike[str] | None = None, *, ledger: str | None = None
) -> Verification:
    """Check an output against its receipt.

    Parameters
    ----------
    target : the file or folder that was released
    receipt : by default the one beside it; also one of the service, or its whole answer
    ledger : the URL of the ledger that should have paid for it; by default none is asked
    """
    output = Path(target)
    plain = plain_receipt(Path(receipt) if receipt is not None else receipt_path(output))
    if not output.exists():
        raise InvalidInputError(f"there is no output {output}; give its path")
    if isinstance(plain.get("receipt"), dict):
        plain = plain["receipt"]
    if "files" not in plain:
        return _of_service(output, plain, ledger)
    try:
        told = FileReceipt.from_dict(plain)
    except InvalidInputError as error:
        return Verification((Finding(False, str(error)),), "It promises nothing that can be relied on.")
    findings = [
        *_about_promise(told, str(plain.get("statement"))),
        _counted("records in all", told.rows, sum(file.rows for file in told.files)),
        _counted(f"{_things(told)} in all", told.items, sum(file.items for file in told.files)),
        *_about_names(output, told),
    ]
    for file in told.files:
        findings += _about_file(output / file.name if file.name else output, file, told)
    if ledger is not None:
        findings.append(_about_payment(ledger, told.ledger, told))
    return Verification(tuple(findings), told.statement)


def _of_service(output: Path, plain: dict[str, Any], ledger: str | None) -> Verification:
    """Check a receipt of the service: its sentence, and its entry of the ledger. It has no digest of the output."""
    try:
        told = ServiceReceipt.from_dict(plain)
        findings = _about_promise(told, str(plain.get("statement")))
    except InvalidInputError as error:
        return Verification((Finding(False, str(error)),), "It promises nothing that can be relied on.")
    unknown = f"a receipt of the service has no digest of what was released: {output.name} itself can't be checked"
    findings.append(Finding(True, unknown, note=True))
    if ledger is not None:
        paid = told.ledger if told.ledger.get("counted") else None
        findings.append(_about_payment(ledger, paid, plain))
    else:
        findings.append(Finding(True, "give --ledger to check that its entry is of this receipt", note=True))
    return Verification(tuple(findings), told.statement)


def _about_promise(told: FileReceipt | ServiceReceipt, statement: str) -> list[Finding]:
    name, status = told.mechanism["mechanism"], told.guarantee.status
    same = statement == told.statement
    return [
        Finding(True, f"the mechanism is {name} (spec sha256 {digest_of(told.mechanism)[:12]}...), {told.library}"),
        Finding(
            same, "the sentence is what the guarantee says" if same else "the sentence is not what the guarantee says"
        ),
        Finding(
            told.private,
            "the receipt says that the noise was secret" if told.private else "the noise came from a seed: NOT PRIVATE",
        ),
        Finding(status is not Status.REFUTED, f"the receipt says that the guarantee is {status}"),
    ]


def _about_payment(url: str, paid: dict[str, Any] | None, receipt: Receipt | dict[str, Any]) -> Finding:
    from textveil.ledger import Ledger
    from textveil.ledger.ledger import receipt_digest

    if paid is None:
        return Finding(False, "the receipt names no entry of a ledger: no budget paid for the release")
    ledger = Ledger(url)
    try:
        entry = ledger.entry(str(paid.get("entry")))
        digest = receipt_digest(receipt)
    except ValueError as error:
        return Finding(False, str(error))
    if entry.receipt != digest:
        return Finding(False, f"entry {entry.id} of the ledger is not of this receipt ({entry.state})")
    return Finding(
        True, f"the ledger at {ledger.place} has it as entry {entry.number} of {entry.dataset}: {entry.cost}"
    )


def _about_names(output: Path, told: FileReceipt) -> list[Finding]:
    names = {file.name for file in told.files}
    if names == {""} or not output.is_dir():
        return []
    there = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    if more := sorted(there - names):
        return [Finding(False, f"not in the receipt: {listed(more)}")]
    return [Finding(True, "every file is in the receipt")]


def _about_file(path: Path, file: ReleasedFile, told: FileReceipt) -> list[Finding]:
    name = file.name or path.name
    if not path.is_file():
        kind = "is a folder, but the receipt is of one file" if path.is_dir() else "is missing"
        return [Finding(False, f"{name} {kind}")]
    if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
        return [Finding(False, f"{name} was changed after the release, or is of another: its size or sha256 differs")]
    same = Finding(True, f"{name}: sha256 {file.sha256[:12]}..., {file.size:,} bytes")
    try:
        source = open_source(path, Format.named(file.format), _selection(file, told))
        rows = source.rows if source.rows is not None else sum(batch.rows for batch in source.batches())
        dimension = None if told.vectors is None else int(told.vectors["dimension"])
    except (InvalidInputError, TypeError, ValueError, KeyError):
        return [same, Finding(False, f"{name} can't be read as {file.format}")]
    counted = _counted(f"records in {name}", file.rows, rows)
    if dimension is None:
        return [same, counted]
    return [same, counted, _counted(f"numbers in a vector of {name}", dimension, source.dimension or 0)]


def _selection(file: ReleasedFile, told: FileReceipt) -> Selection:
    """Return where the released texts or vectors are; texts are where the private ones were."""
    if told.vectors is not None:
        return Selection(column=file.column, holds=Holds.VECTORS)
    return Selection(**told.selection)


def _things(told: FileReceipt) -> str:
    return "texts" if told.vectors is None else "vectors"


def _counted(what: str, told: int, found: int) -> Finding:
    return Finding(told == found, f"{found:,} {what}" + ("" if told == found else f", but the receipt says {told:,}"))
