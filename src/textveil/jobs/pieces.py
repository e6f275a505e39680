"""From batches to pieces of the output: what is done alike in this process and in a worker elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from textveil.compiled import over_threads
from textveil.errors import InvalidInputError
from textveil.files import Batch, Position, Shard, Sink, Source
from textveil.files.batches import NOTHING, Items
from textveil.files.vector_output import ReleasedVectors
from textveil.hashing import Packed
from textveil.jobs.journal import ReleasedFile
from textveil.jobs.receipt import sha256_of
from textveil.randomness import RandomSource

if TYPE_CHECKING:
    from textveil.jobs.planning import Job
    from textveil.jobs.spending import Limit

# Each file has its own range of rows, so that files need not wait for each other to be counted.
ROWS_OF_A_FILE = 1 << 40


def pieces(
    job: Job, source: Source, sink: Sink, random: RandomSource, start: Position | None = None, *, limit: Limit | None
) -> Generator[tuple[Batch, Any], None, None]:
    """Release batches on several threads, in order; each comes without its private content."""

    def released(items: Items, noise: RandomSource) -> Any:
        if isinstance(items, np.ndarray) and not len(items):
            # Where there are no vectors a file may not say how long they would be.
            items = np.empty((0, job.work.takes or 1), dtype=items.dtype)
        if limit is not None:
            limit.check(job, items)
        return job.work.run(items, noise)

    def one(batch: Batch) -> tuple[Batch, Any]:
        noise = random.at(random.row + batch.start.items)
        try:
            items = released(batch.items, noise)
        except InvalidInputError as error:
            raise _placed(error, source, batch, lambda part: released(part, noise)) from None
        if len(items) != len(batch.items):
            raise InvalidInputError(f"the work gave {len(items)} for {len(batch.items)}; it must give one for each")
        piece = sink.pack(source.fill(batch, items))
        return replace(batch, items=NOTHING, rest=None), piece

    yield from over_threads(one, source.batches(start), threads=job.threads)


def released_file(job: Job, shard: Shard, source: Source, position: Position, path: Path) -> ReleasedFile:
    """Return the facts of a file that is all written."""
    return ReleasedFile(
        name=job.name_of(shard),
        format=str(job.format_of(shard)),
        rows=position.rows,
        items=position.items,
        size=path.stat().st_size,
        sha256=sha256_of(path),
        column=source.column if isinstance(source, ReleasedVectors) else None,
    )


def _placed(
    error: InvalidInputError, source: Source, batch: Batch, run: Callable[[Items], object]
) -> InvalidInputError:
    """Say which record an error is about: the first that is refused as the last of those before it."""
    low, high = 0, len(batch.items)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            run(_first(batch.items, middle))
            low = middle
        except InvalidInputError:
            high = middle
    records = np.flatnonzero(source.present(batch))
    if not len(records):
        return error
    return InvalidInputError(f"record {batch.start.rows + 1 + int(records[low])} of the input: {error}")


def _first(items: Items, count: int) -> Items:
    return Packed(items.data, items.offsets[: count + 1]) if isinstance(items, Packed) else items[:count]
