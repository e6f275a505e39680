"""Releasing the files of a run on the workers of an engine: one pure function, a file in, a file out.

A worker writes into a folder of attempts, under a name that no other attempt has. What it gives back are the facts of a
whole file, and only then does this process put the file into the output and its journal. So a worker that died, or was
thought dead and writes on, leaves nothing in the output; and since the noise of a record depends on the key, the file
and the record alone, a second attempt gives the same bytes. Into a store, which takes files whole, a worker puts its
file itself; a second attempt puts the same again. A file of the input that is not as it was when the run began is
refused, before it is read and before anything is given back or put.
"""

from __future__ import annotations

import errno
import re
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from textveil.durable import sync_folder
from textveil.errors import InvalidInputError
from textveil.files import Position, Shards, open_sink
from textveil.jobs.journal import Journal, ReleasedFile
from textveil.jobs.partial import PartialFolder
from textveil.jobs.pieces import ROWS_OF_A_FILE, pieces, released_file
from textveil.jobs.spending import Limit, inode
from textveil.progress import Step
from textveil.randomness import RandomSource, fresh_key
from textveil.receipts import digest_of

if TYPE_CHECKING:
    from textveil.engines import Engine
    from textveil.jobs.planning import Job


@dataclass(frozen=True, kw_only=True)
class FileTask:
    """Releases one file of a run, by its number, in any process that can read the input.

    Parameters
    ----------
    job : the run, without the ledger that pays
    limit : what is paid for
    folder : where attempts are written
    mechanism : the digest of what the driver releases with; models may be loaded anew where the task is carried out
    facts : size and time of each file of the input as the run began
    inodes : and what changes with each change of it, where persons were counted
    """

    job: Job
    limit: Limit | None
    folder: Path
    mechanism: str
    facts: list[list[int]]
    inodes: list[list[int]] | None

    def __call__(self, number: int, key: bytes) -> tuple[str, ReleasedFile]:
        """Return the name of the attempt, a whole file on the disk, and its facts; a store has the file already."""
        if digest_of(self.job.work.spec()) != self.mechanism:
            raise InvalidInputError("a worker has another model than is here; install the same on every machine")
        if self.job.stored is None:
            return self._attempt(self.folder, number, key)
        with TemporaryDirectory() as folder:
            name, file = self._attempt(Path(folder), number, key)
            # From here on it is released.
            place = self.job.stored / file.name if file.name else self.job.stored
            place.put(Path(folder, name))
        return name, file

    def _attempt(self, folder: Path, number: int, key: bytes) -> tuple[str, ReleasedFile]:
        shard = self.job.shards.files[number]
        self._require_unchanged(number)
        source, path = self.job.open(shard), folder / f"{number}-{fresh_key().hex()[:16]}"
        random, position = RandomSource.keyed(key, number * ROWS_OF_A_FILE), Position()
        sink = open_sink(source, path, self.job.format_of(shard))
        try:
            if source.head:
                sink.append(sink.pack(source.head))
            with closing(pieces(self.job, source, sink, random, limit=self.limit)) as made:
                for batch, piece in made:
                    sink.append(piece)
                    position = batch.position
            sink.finish()
            self._require_unchanged(number)
        except BaseException:
            sink.close()
            path.unlink(missing_ok=True)
            raise
        return path.name, released_file(self.job, shard, source, position, path)

    def _require_unchanged(self, number: int) -> None:
        """Refuse a file of the input that is another than the one the run began with."""
        path = self.job.shards.files[number].path
        if path is None:
            return
        now = path.stat()
        is_other = self.inodes is not None and inode(now) != self.inodes[number]
        if is_other or [now.st_size, now.st_mtime_ns] != self.facts[number]:
            raise InvalidInputError(f"{path} changed since the run began (size or time)")


def release_elsewhere(
    job: Job, engine: Engine, partial: PartialFolder, journal: Journal, key: bytes, step: Step
) -> None:
    """Release all files that are not done yet, the largest first, so that no worker is left alone with one."""
    sizes = [0 if shard.path is None else shard.path.stat().st_size for shard in job.shards.files]
    done = [job.name_of(shard) in journal.progress.finished for shard in job.shards.files]
    step(sum(size for size, is_done in zip(sizes, done, strict=True) if is_done))
    left = sorted((number for number in range(len(sizes)) if not done[number]), key=lambda number: -sizes[number])
    if not left:
        return
    partial.clear_attempts()
    limit = None if job.payment is None else Limit(words=job.payment.words)
    task = FileTask(
        job=replace(job, shards=_absolute(job.shards), engine=None, spending=None, payment=None, threads=1),
        limit=limit,
        folder=partial.attempts.absolute(),
        mechanism=job.fingerprint["mechanism"],
        facts=[facts[2:] for facts in job.fingerprint["files"]],
        inodes=(journal.progress.plan or {}).get("inodes"),
    )
    with closing(engine.over(task, left, secret=key)) as results:
        for number, (attempt, file) in results:
            _check(number, attempt, file, job)
            if job.stored is None:
                _adopt(partial, partial.attempts / attempt, file)
            journal.finished(file)
            step(sizes[number])


def _absolute(shards: Shards) -> Shards:
    """Return the files by names that hold in whatever folder a worker is."""
    files = [
        replace(shard, path=shard.path.absolute()) if isinstance(shard.path, Path) else shard for shard in shards.files
    ]
    return replace(shards, files=files)


def _check(number: int, attempt: str, file: ReleasedFile, job: Job) -> None:
    """Refuse an answer that is not about the file that was asked for, or would move another one."""
    if file.name != job.name_of(job.shards.files[number]) or not re.fullmatch(rf"{number}-[0-9a-f]+", attempt):
        raise InvalidInputError("a worker gave another file than it was asked for; install the same on every machine")


def _adopt(partial: PartialFolder, attempt: Path, file: ReleasedFile) -> None:
    """Move a whole file into the output."""
    if attempt.stat().st_size != file.size:
        raise OSError(errno.EIO, "a file here is not as large as a worker wrote it")
    path = partial.output / file.name if file.name else partial.output
    path.parent.mkdir(parents=True, exist_ok=True)
    attempt.replace(path)
    # The journal must not tell of a file whose name a power cut could still take away.
    for folder in path.relative_to(partial.folder).parents:
        sync_folder(partial.folder / folder)
