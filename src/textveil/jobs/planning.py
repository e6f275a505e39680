"""A run as it is planned: which files, which work, what will be written; nothing is released yet."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textveil.compiled import thread_count
from textveil.errors import InvalidInputError, require_count
from textveil.files import BATCH_BYTES, Format, Kind, Selection, Shard, Shards, Source, open_source, shards_of
from textveil.guarantees import Guarantee
from textveil.jobs.partial import PartialFolder
from textveil.jobs.work import BatchWork, Rewriting
from textveil.receipts import digest_of
from textveil.text import TextRewriter

if TYPE_CHECKING:
    from textveil.jobs.previewing import Preview
    from textveil.jobs.receipt import FileReceipt

STREAM = "-"
RECORDS_REVEAL = "the number and order of the records"
SAME_KEY_REVEAL = "which records are the same as in other runs under the same key file"
NAMES_REVEAL = "the names of the files"
CHECKPOINT_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """A planned run; make one with `plan`. It holds no private text and no key."""

    source: Path | None
    target: Path | None
    work: BatchWork
    selection: Selection
    shards: Shards
    form: Format | None
    key_file: Path | None
    receipt: Path | None
    overwrite: bool
    threads: int
    batch_bytes: int
    checkpoint_seconds: float

    def preview(self) -> Preview:
        """Say what the run would read, write, cost and promise; it releases nothing and draws no noise."""
        from textveil.jobs.previewing import preview

        return preview(self)

    def run(self) -> FileReceipt:
        """Release all files, or go on with an unfinished run, and return the receipt."""
        from textveil.jobs.running import run_to_files, run_to_stream

        return run_to_stream(self) if self.target is None else run_to_files(self, self.target)

    def discard(self) -> None:
        """Delete what an unfinished run has done."""
        if self.target is not None:
            partial = PartialFolder(self.target)
            with partial.locked():
                partial.clear()

    def open(self, shard: Shard) -> Source:
        """Open one file of the input."""
        return open_source(shard.path, shard.format, self.selection, batch_bytes=self.batch_bytes)

    def format_of(self, shard: Shard) -> Format:
        """Return the format in which a file is written."""
        return self.form or shard.format

    @property
    def is_folder(self) -> bool:
        """Whether the input is a folder of files."""
        return bool(self.shards.files[0].name)

    def guarantee(self, files: tuple[str, ...]) -> Guarantee:
        """Return what the release promises, given what its files pass through."""
        names = [NAMES_REVEAL] if self.is_folder else []
        keys = [SAME_KEY_REVEAL] if self.key_file is not None else []
        shown = (RECORDS_REVEAL, *files, *names, *keys)
        promise = self.work.guarantee
        return replace(promise, reveals=tuple(dict.fromkeys((*promise.reveals, *shown))))

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What must be the same for a run to be gone on with."""
        facts = [(shard, shard.path.stat()) for shard in self.shards.files if shard.path is not None]
        return {
            "mechanism": digest_of(self.work.spec()),
            "input": STREAM if self.source is None else str(self.source.resolve()),
            "files": [[shard.name, str(shard.format), fact.st_size, fact.st_mtime_ns] for shard, fact in facts],
            "column": self.selection.column,
            "header": self.selection.header,
            "delimiter": self.selection.delimiter,
            "output format": None if self.form is None else str(self.form),
        }


def plan(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    work: BatchWork | TextRewriter,
    *,
    column: str | int | None = None,
    format: str | None = None,  # noqa: A002 - the word that users know
    header: bool | None = None,
    delimiter: str | None = None,
    key_file: str | os.PathLike[str] | None = None,
    receipt: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    batch_bytes: int = BATCH_BYTES,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Job:
    """Plan a run over a file, a folder of files, or standard input, and check what can be checked before it.

    Parameters
    ----------
    source : a file, a folder, or "-" for standard input; what is private
    target : a file or folder to make, or "-" for standard output
    work : what releases the texts: a TextRewriter, or any BatchWork
    column : the column or key that holds the texts, by name or by number from 1
    format : "txt", "csv", "tsv", "jsonl" (with ".gz"), "parquet", "arrow" or "feather"; by default from the extension
    header : whether the first row of csv names the columns; must be said unless the column is given by name
    delimiter : of csv; by default a comma, a tab for tsv
    key_file : the secret that all noise comes from, made if absent; by default a new one that is deleted at the end
    receipt : where the receipt goes if the target is standard output; a file's goes beside it
    overwrite : replace a target that exists
    threads : how many batches are worked on at once; by default as many as there are cores
    batch_bytes : about how much text is one batch
    checkpoint_seconds : how often it is written down how far the run is
    """
    path = None if os.fspath(source) == STREAM else Path(source)
    goal = None if os.fspath(target) == STREAM else Path(target)
    shards = shards_of(path, format)
    _check_places(path, goal, receipt)
    if path is None and not shards.files[0].format.kind.is_text:
        raise InvalidInputError(
            f"{format} can't be read from standard input, since its end is needed first; give a file"
        )
    job = Job(
        source=path,
        target=goal,
        work=Rewriting(work) if isinstance(work, TextRewriter) else work,
        selection=Selection(column=column, header=header, delimiter=delimiter),
        shards=shards,
        form=None if shards.files[0].name else _output_format(shards.files[0].format, goal, asked=format is not None),
        key_file=None if key_file is None else Path(key_file),
        receipt=None if receipt is None else Path(receipt),
        overwrite=overwrite,
        threads=thread_count() if threads is None else require_count("threads", threads),
        batch_bytes=require_count("batch_bytes", batch_bytes),
        checkpoint_seconds=checkpoint_seconds,
    )
    for shard in shards.files:
        if shard.path is not None:
            job.open(shard)
    return job


def _check_places(source: Path | None, target: Path | None, receipt: object) -> None:
    if target is None:
        if source is not None and source.is_dir():
            raise InvalidInputError("a folder can't be written to standard output; give an output folder")
        return
    if receipt is not None:
        raise InvalidInputError("receipt= is for standard output; the receipt of a file goes beside it")
    if not target.parent.is_dir():
        raise InvalidInputError(f"there is no folder {target.parent} for the output; make it")
    if source is None:
        return
    inside, outside = target.resolve(), source.resolve()
    if inside == outside:
        raise InvalidInputError(f"the output {target} is the input; give another output, since the input is kept")
    if source.is_dir() and inside.is_relative_to(outside):
        raise InvalidInputError(f"the output {target} is inside the input folder; give one outside of it")


def _output_format(form: Format, target: Path | None, *, asked: bool) -> Format:
    if target is None:
        return Format(form.kind)
    told = Format.guessed(target)
    columnar = {Kind.ARROW, Kind.FEATHER}
    if told is not None and told.kind != form.kind and not asked:
        if {told.kind, form.kind} == columnar:
            return told
        raise InvalidInputError(
            f"the output {target.name} would be {told.kind} but the input is {form.kind}; a run keeps the format, "
            f"so name the output .{form.kind}"
        )
    return Format(form.kind, form.kind.is_text and target.suffix.lower() == ".gz")
