"""A run as it is planned: which files, which work, what will be written; nothing is released yet."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textveil.compiled import thread_count
from textveil.errors import InvalidInputError, require_count
from textveil.files import (
    BATCH_BYTES,
    VECTOR_KINDS,
    Format,
    Holds,
    Kind,
    Place,
    Selection,
    Shard,
    Shards,
    Source,
    StoredPath,
    open_source,
    place_of,
    shards_of,
)
from textveil.files.vector_output import ReleasedVectors, VectorOutput
from textveil.guarantees import Guarantee
from textveil.jobs.committing import commit
from textveil.jobs.journal import read_journal
from textveil.jobs.partial import PartialFolder
from textveil.jobs.places import (
    check_engine,
    check_kind,
    check_mixture,
    check_names,
    check_places,
    check_receipt,
    whole_name,
)
from textveil.jobs.receipt import FileReceipt
from textveil.jobs.spending import Payment, Spending
from textveil.jobs.traits import traits_of
from textveil.jobs.work import BatchWork, Work, work_of
from textveil.receipts import digest_of, library

if TYPE_CHECKING:
    from textveil.engines import Engine
    from textveil.jobs.previewing import Preview

STREAM = "-"
RECORDS_REVEAL = "the number and order of the records"
SAME_KEY_REVEAL = "which records are the same as in other runs under the same key file"
NAMES_REVEAL = "the names of the files"
CHECKPOINT_SECONDS = 1.0

# A batch of short texts may be many times as large once each of them is a vector.
_LEAST_BATCH_BYTES = 32 << 10
_BATCH_BYTES_BY_DIMENSION = 16 << 20
# About a second of a sentence encoder on one core: a progress bar should move, and little be lost when a run stops.
_SLOW_BATCH_BYTES = 16 << 10


@dataclass(frozen=True, kw_only=True)
class Job:
    """A planned run; make one with `plan`. It holds nothing private and no key.

    What is written into a store is `stored` there; `target` is then where it would be here, beside its partial folder.
    """

    source: Place | None
    target: Path | None
    work: BatchWork
    selection: Selection
    shards: Shards
    form: Format | None
    vectors: VectorOutput
    key_file: Path | None
    receipt: Path | None
    overwrite: bool
    threads: int
    batch_bytes: int
    checkpoint_seconds: float
    spending: Spending | None = None
    payment: Payment | None = None
    engine: Engine | None = None
    stored: StoredPath | None = None

    def preview(self) -> Preview:
        """Say what the run would read, write, cost and promise; it releases nothing and draws no noise."""
        from textveil.jobs.previewing import preview

        return preview(self)

    def run(self) -> FileReceipt:
        """Release all files, or go on with an unfinished run, and return the receipt."""
        from textveil.jobs.running import run_to_files, run_to_stream

        return run_to_stream(self) if self.target is None else run_to_files(self, self.target)

    def discard(self) -> None:
        """Delete what an unfinished run has done; one whose output is in its place already is tidied up instead."""
        if self.target is not None:
            partial = PartialFolder(self.target)
            with partial.locked():
                told = read_journal(partial.journal)
                if told.receipt is not None and self.stored is None and not partial.output.exists():
                    commit(partial, FileReceipt.from_dict(told.receipt), overwrite=True)
                    return
                partial.bring_back()
                if self.spending is not None:
                    self.spending.give_up(told.plan)
                partial.clear()

    def open(self, shard: Shard) -> Source:
        """Open one file of the input, to be given back with what is released."""
        source = open_source(shard.path, shard.format, self.selection, batch_bytes=self.batch_bytes)
        if self.work.gives is None:
            return source
        if source.dimension not in (None, self.work.takes):
            raise InvalidInputError(
                f"the vectors of {shard.path} have {source.dimension} numbers, but the mechanism takes "
                f"{self.work.takes}; give dimension={source.dimension}"
            )
        kind = self.format_of(shard).kind
        return ReleasedVectors(
            source,
            kind,
            dimension=self.work.gives,
            output=self.vectors,
            describe=self._describe,
            beside=traits_of(self.work).beside,
        )

    def kept_texts(self) -> tuple[str, ...]:
        """Return the columns of files (not of standard input) that hold text and pass through unchanged."""
        files = [self.open(shard) for shard in self.shards.files if shard.path is not None]
        return tuple(dict.fromkeys(name for source in files for name in source.kept_texts))

    def left_out(self) -> tuple[str, ...]:
        """Return the columns of files that the format of the output has no room for."""
        files = [self.open(shard) for shard in self.shards.files if shard.path is not None]
        return tuple(dict.fromkeys(name for file in files for name in getattr(file, "left_out", ())))

    def format_of(self, shard: Shard) -> Format:
        """Return the format in which a file is written."""
        if self.form is not None or self.work.gives is None:
            return self.form or shard.format
        return shard.format if shard.format.kind in VECTOR_KINDS else Format(_default_kind(shard.format.kind))

    def name_of(self, shard: Shard) -> str:
        """Return the path of a written file within the output folder, "" for a single file."""
        kind = self.format_of(shard).kind
        if not shard.name or self.format_of(shard) == shard.format or self.work.gives is None:
            return shard.name
        name = shard.name.removesuffix(".gz") if shard.format.gzipped else shard.name
        return Path(name).with_suffix(f".{kind}").as_posix()

    @property
    def bytes(self) -> int:
        """The size of all files of the input, for a progress bar."""
        return sum(shard.path.stat().st_size for shard in self.shards.files if shard.path is not None)

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

    def _describe(self, files: tuple[str, ...]) -> dict[str, str]:
        """Return what a file of vectors says of itself; the same for the same release."""
        guarantee = self.guarantee(files)
        facts = {"mechanism": self.work.spec(), "guarantee": guarantee.as_dict(), "library": library()}
        return {"textveil.guarantee": str(guarantee), "textveil.release": json.dumps(facts, ensure_ascii=False)}

    @cached_property
    def fingerprint(self) -> dict[str, Any]:
        """What must be the same for a run to be gone on with."""
        return {
            "mechanism": digest_of(self.work.spec()),
            "input": STREAM if self.source is None else _fingerprint(self.source),
            "output": None if self.stored is None else _fingerprint(self.stored),
            "files": self.files_now(),
            "column": self.selection.column,
            "header": self.selection.header,
            "delimiter": self.selection.delimiter,
            "output format": None if self.form is None else str(self.form),
            "vectors": None if self.work.gives is None else vars(self.vectors),
            "ledger": None if self.spending is None else self.spending.fingerprint,
        }

    def files_now(self) -> list[list[Any]]:
        """Return the names, formats, sizes and times of the files of the input as they are now."""
        facts = [(shard, shard.path.stat()) for shard in self.shards.files if shard.path is not None]
        return [[shard.name, str(shard.format), fact.st_size, fact.st_mtime_ns] for shard, fact in facts]


def plan(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    work: Work,
    *,
    column: str | int | None = None,
    format: str | None = None,  # noqa: A002 - the word that users know
    header: bool | None = None,
    delimiter: str | None = None,
    vectors: VectorOutput | None = None,
    key_file: str | os.PathLike[str] | None = None,
    receipt: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    batch_bytes: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    spending: Spending | None = None,
    engine: Engine | None = None,
) -> Job:
    """Plan a run over a file, a folder of files, or standard input, and check what can be checked before it.

    Parameters
    ----------
    source : a file, a folder, the URL of either in an object store, or "-" for standard input; what is private
    target : a file or folder to make, a URL if there is an engine, or "-" for standard output
    work : what is done: a TextRewriter (texts for texts), a TextEmbedder or DocumentEmbedder (vectors for texts), a
        vector mechanism or PublicResponse (vectors for vectors), or any BatchWork
    column : the column, key or array that holds the texts or vectors, by name or by number from 1
    format : of the input: "txt", "csv", "tsv", "jsonl" (with ".gz"), "parquet", "arrow", "feather", "npy" or "npz"; by
        default from the extension
    header : whether the first row of csv names the columns; must be said unless the column is given by name
    delimiter : of csv; by default a comma, a tab for tsv
    vectors : how released vectors are written; the target's extension says the format
    key_file : the secret that all noise comes from, made if absent; by default a new one that is deleted at the end
    receipt : where the receipt goes if the target is standard output; a file's goes beside it
    overwrite : replace a target that exists
    threads : how many batches are worked on at once; by default as many as there are cores
    batch_bytes : about how much of the input is one batch; by default 2 MiB, or less where each text becomes a vector
    checkpoint_seconds : how often it is written down how far the run is
    spending : whose budget pays for the run; by default nothing is counted
    engine : where files are released, each by a worker of one thread; by default one after the other in this process
    """
    path = None if os.fspath(source) == STREAM else place_of(source)
    place = None if os.fspath(target) == STREAM else place_of(target)
    goal, stored = (Path(place.name), place) if isinstance(place, StoredPath) else (place, None)
    task = work_of(work)
    texts = Holds.DOCUMENTS if traits_of(task).documents else Holds.TEXTS
    holds = texts if task.takes is None else Holds.VECTORS
    shards = shards_of(path, format, holds)
    check_places(path, place, receipt)
    check_receipt(path, receipt, overwrite=overwrite)
    check_kind(place, shards)
    check_mixture(path, shards, column)
    check_engine(path, place, engine, overwrite=overwrite)
    if path is None and not shards.files[0].format.kind.is_text:
        raise InvalidInputError(
            f"{format} can't be read from standard input, since its end is needed first; give a file"
        )
    asked = format is not None
    job = Job(
        source=path,
        target=goal,
        work=task,
        selection=Selection(column=column, header=header, delimiter=delimiter, holds=holds),
        shards=shards,
        form=None if shards.files[0].name else _output_format(shards.files[0].format, goal, task.gives, asked=asked),
        vectors=vectors or VectorOutput(),
        key_file=None if key_file is None else Path(key_file),
        receipt=None if receipt is None else Path(receipt),
        overwrite=overwrite,
        threads=thread_count() if threads is None else require_count("threads", threads),
        batch_bytes=_batch_bytes(task) if batch_bytes is None else require_count("batch_bytes", batch_bytes),
        checkpoint_seconds=checkpoint_seconds,
        spending=spending,
        engine=engine,
        stored=stored,
    )
    for shard in shards.files:
        if shard.path is not None:
            job.open(shard)
    check_names([job.name_of(shard) for shard in shards.files])
    return job


def _batch_bytes(work: BatchWork) -> int:
    if traits_of(work).slow:
        return _SLOW_BATCH_BYTES
    if work.takes is not None or work.gives is None:
        return BATCH_BYTES
    return min(BATCH_BYTES, max(_LEAST_BATCH_BYTES, _BATCH_BYTES_BY_DIMENSION // work.gives))


def _fingerprint(place: Place) -> str:
    """Return the whole name, and a digest of what a URL says beyond it."""
    query = place.query if isinstance(place, StoredPath) else ""
    return f"{whole_name(place)}?{digest_of(query)}" if query else whole_name(place)


def _default_kind(kind: Kind) -> Kind:
    return Kind.NPY if kind is Kind.NPZ else Kind.PARQUET


def _vector_format(target: Path | None) -> Format:
    told = None if target is None else Format.guessed(target)
    if told is None or told.kind not in VECTOR_KINDS:
        where = "standard output" if target is None else target.name
        kinds = ", ".join(f".{kind}" for kind in VECTOR_KINDS)
        raise InvalidInputError(f"vectors can't be written to {where}; name the output by a format for them: {kinds}")
    return told


def _output_format(form: Format, target: Path | None, gives: int | None, *, asked: bool) -> Format:
    if gives is not None:
        return _vector_format(target)
    if target is None:
        if not form.kind.is_text:
            raise InvalidInputError(f"{form} can't be written to standard output; give a file")
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
