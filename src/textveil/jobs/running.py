"""Carrying out a planned run: batches through the work into the partial output, then commit.

A text or npy file that is being written goes on where its journal says, and so does a parquet or Arrow file of a work
that is slow; that of a fast one is redone from its start. Either way the key and the row numbers are the same, so a
redone row gets the noise it had.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from textveil.durable import sync_folder, write_whole
from textveil.errors import InvalidInputError
from textveil.files import Place, Position, Sink, Source, open_sink
from textveil.files.streams import OutputStream
from textveil.jobs.committing import as_plain, commit, refuse_existing, refuse_foreign
from textveil.jobs.journal import Journal, Progress, ReleasedFile, read_journal
from textveil.jobs.keys import key_check, key_in
from textveil.jobs.partial import PartialFolder
from textveil.jobs.pieces import ROWS_OF_A_FILE, pieces, released_file
from textveil.jobs.planning import STREAM, Job
from textveil.jobs.receipt import FileReceipt
from textveil.jobs.spending import settle
from textveil.jobs.spreading import release_elsewhere
from textveil.jobs.stopping import resumable
from textveil.jobs.traits import traits_of
from textveil.progress import Step, progress
from textveil.randomness import RandomSource, fresh_key


def run_to_files(job: Job, target: Path) -> FileReceipt:
    """Release into a file or folder, from where an unfinished run stopped."""
    partial = PartialFolder(target)
    with partial.locked(), resumable(partial, once=job.source is None):
        told = read_journal(partial.journal)
        if told.plan is not None and job.source is None and told.plan["input"] == STREAM:
            # Standard input comes only once: the old run is tidied up, and this is another.
            _tidy(partial, told, overwrite=job.overwrite)
            told = Progress()
        if told.plan is None:
            if job.overwrite:
                refuse_foreign(target)
            else:
                refuse_existing(target, job.stored)
            partial.clear()
        else:
            # Of a run that only has to be tidied up the input is not read again.
            now = {name: value for name, value in job.fingerprint.items() if name != "files" or told.receipt is None}
            _check_same(told.plan, now, partial.folder)
        if told.receipt is not None:
            receipt = FileReceipt.from_dict(told.receipt)
        else:
            # In a store what is there already is what this run has done.
            if not job.overwrite and job.stored is None:
                refuse_existing(target)
            plan = told.plan or _plan(job)
            key = _key(job, partial, told)
            with _keeping_what_is_done(partial, job):
                receipt = _release(job, partial, key, plan)
        settle(job, receipt)
        commit(partial, receipt, overwrite=job.overwrite, stored=job.stored)
    return receipt


def run_to_stream(job: Job) -> FileReceipt:
    """Release to standard output; the key stays in memory."""
    shard = job.shards.files[0]
    random = RandomSource.keyed(fresh_key() if job.key_file is None else key_in(job.key_file))
    source = job.open(shard)
    if job.spending is not None:
        job = replace(job, payment=job.spending.pay(job, job.spending.begin(job)))
    sink = OutputStream()
    position = Position()
    if source.head:
        sink.append(sink.pack(source.head))
    with closing(pieces(job, source, sink, random, limit=job.payment)) as made:
        for batch, piece in made:
            sink.append(piece)
            position = batch.position
            sink.sync(position)
    sink.finish()
    file = ReleasedFile(
        name="",
        format=str(job.format_of(shard)),
        rows=position.rows,
        items=position.items,
        size=sink.size,
        sha256=sink.sha256,
    )
    receipt = _receipt(job, random, [file], source.reveals)
    settle(job, receipt)
    if job.receipt is not None:
        write_whole(job.receipt, (receipt.to_json() + "\n").encode())
    return receipt


@contextmanager
def _keeping_what_is_done(partial: PartialFolder, job: Job) -> Iterator[None]:
    """After a fault of the input, delete what an unfinished run left if that is nothing; else say where it is."""
    try:
        yield
    except InvalidInputError as error:
        done = read_journal(partial.journal)
        # Into a store workers put files themselves, which the journal need not tell of yet.
        is_stored = job.stored is not None and job.stored.exists()
        if not is_stored and done.mark is None and not done.finished:
            partial.clear()
            raise
        where = f"{partial.folder}" if job.stored is None else f"{job.stored}, and how to go on in {partial.folder}"
        raise InvalidInputError(
            f"{error}. What was done until there is in {where}; once the input is mended, begin again with "
            "--discard (or delete that folder)" + ("" if job.stored is None else " and another output")
        ) from None


def _tidy(partial: PartialFolder, told: Progress, *, overwrite: bool) -> None:
    if told.receipt is None:
        partial.clear()
    else:
        commit(partial, FileReceipt.from_dict(told.receipt), overwrite=overwrite)


def _plan(job: Job) -> dict[str, Any]:
    """Return what a new run notes of itself; files are noted before they are counted, so that a change is noticed."""
    noted = job.fingerprint
    return noted if job.spending is None else {**noted, **job.spending.begin(job)}


def _release(job: Job, partial: PartialFolder, key: bytes, plan: dict[str, Any]) -> FileReceipt:
    journal = Journal(partial.journal)
    try:
        if journal.progress.plan is None:
            journal.begin({**plan, "key": key_check(key)})
        if job.spending is not None:
            job = replace(job, payment=job.spending.pay(job, plan))
        random, reveals = RandomSource.keyed(key), dict[str, None]()
        with progress(f"Writing {partial.target.name}", job.bytes) as step:
            if job.engine is not None:
                release_elsewhere(job, job.engine, partial, journal, key, step)
            for number, shard in enumerate(job.shards.files):
                if job.engine is None:
                    shown = _release_file(job, partial, journal, random, number, step)
                else:
                    shown = job.open(shard).reveals
                reveals.update(dict.fromkeys(shown))
        if job.payment is not None:
            job.payment.check_files(job, plan)
        files = [journal.progress.finished[job.name_of(shard)] for shard in job.shards.files]
        if job.stored is not None:
            job.stored.tidy()
        _check_there(partial.output if job.stored is None else job.stored, files)
        receipt = _receipt(job, random, files, tuple(reveals))
        journal.committed(as_plain(receipt))
    finally:
        journal.close()
    return receipt


def _check_there(output: Place, files: list[ReleasedFile]) -> None:
    """Refuse to promise anything of files that are not there any more, as they were written."""
    for file in files:
        path = output / file.name if file.name else output
        if not path.exists() or path.stat().st_size != file.size:
            raise InvalidInputError(f"{path} was changed since it was written")


def _release_file(
    job: Job, partial: PartialFolder, journal: Journal, random: RandomSource, number: int, step: Step
) -> tuple[str, ...]:
    """Release one file unless it is done, and return what it passes through."""
    shard, told = job.shards.files[number], journal.progress
    source = job.open(shard)
    if job.name_of(shard) in told.finished:
        step(0 if shard.path is None else shard.path.stat().st_size)
        return source.reveals
    name = job.name_of(shard)
    path = partial.output / name if name else partial.output
    path.parent.mkdir(parents=True, exist_ok=True)
    spool = partial.spool if traits_of(job.work).slow else None
    keep, skip = (0, 0) if told.mark is None else (told.mark.size, told.mark.skip)
    sink = open_sink(source, path, job.format_of(shard), keep=keep, skip=skip, spool=spool)
    try:
        # The journal must not tell of a file whose name a power cut could still take away.
        for folder in path.relative_to(partial.folder).parents:
            sync_folder(partial.folder / folder)
        position = _write(job, source, sink, random.at(number * ROWS_OF_A_FILE), journal, step)
        sink.finish()
    except BaseException:
        sink.close()
        raise
    sync_folder(path.parent)
    journal.finished(released_file(job, shard, source, position, path))
    return source.reveals


def _write(job: Job, source: Source, sink: Sink, random: RandomSource, journal: Journal, step: Step) -> Position:
    """Write all pieces from where the journal is, and return the position after the last."""
    start = None if journal.progress.mark is None else journal.progress.mark.position
    if start is None and source.head:
        sink.append(sink.pack(source.head))
    position, done, written_down = start or Position(), 0, time.monotonic()
    with closing(pieces(job, source, sink, random, start, limit=job.payment)) as made:
        for batch, piece in made:
            sink.append(piece)
            position = batch.position
            step(batch.done - done)
            done = batch.done
            if time.monotonic() - written_down >= job.checkpoint_seconds:
                mark = sink.sync(position)
                if mark is not None:
                    journal.reached(mark)
                written_down = time.monotonic()
    return position


def _receipt(job: Job, random: RandomSource, files: list[ReleasedFile], reveals: tuple[str, ...]) -> FileReceipt:
    return FileReceipt(
        mechanism=job.work.spec(),
        guarantee=job.guarantee((*reveals, *(job.payment.reveals(job) if job.payment else ()))),
        randomness=random.kind,
        private=random.private,
        items=sum(file.items for file in files),
        rows=sum(file.rows for file in files),
        files=tuple(files),
        selection=vars(job.selection).copy(),
        vectors=None if job.work.gives is None else {"dimension": job.work.gives, "dtype": job.vectors.dtype},
        ledger=None if job.payment is None else job.payment.facts(),
    )


def _key(job: Job, partial: PartialFolder, told: Progress) -> bytes:
    """Return the key of a new run, or that of the unfinished one."""
    path = job.key_file or partial.key
    if told.plan is None:
        if job.key_file is None and job.source is None:
            return fresh_key()
        return key_in(path)
    key = key_in(path) if path.exists() else b""
    if key_check(key) != told.plan.get("key"):
        if job.key_file is None and not path.exists():
            raise InvalidInputError(
                f"the unfinished run in {partial.folder} had a key file: give the same one (--key-file) to go on, or "
                "use --discard to begin again"
            )
        raise InvalidInputError(
            f"the unfinished run in {partial.folder} had another key than {path} has now; "
            f"put it back, or delete the folder to begin again"
        )
    return key


def _check_same(told: dict[str, Any], now: dict[str, Any], folder: Path) -> None:
    changed = [name for name in now if now[name] != told.get(name)]
    if not changed:
        return
    what = [_change(name, told.get(name), now[name]) for name in changed]
    raise InvalidInputError(
        f"the unfinished run in {folder} was another: {'; '.join(what)}. Give the same command on the same input to go "
        "on, or use --discard (delete that folder) to begin again"
    )


def _change(name: str, old: Any, new: Any) -> str:
    if name == "mechanism":
        return "the mechanism or its parameters differ"
    if name != "files":
        return f"{name} was {old!r} and is {new!r}"
    before = {file[0]: file[1:] for file in old}
    changed = [file[0] for file in new if before.pop(file[0], None) != file[1:]] + list(before)
    names = [name or "the input" for name in changed[:3]]
    return f"{', '.join(names)} changed (size, time or format), {len(changed)} of {len(new)} files in all"
