"""What a run would do and cost, from the sizes of files and the lengths of some texts alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from textveil.files import Shard, Source
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.jobs.journal import read_journal
from textveil.jobs.partial import PartialFolder
from textveil.jobs.planning import Job
from textveil.jobs.receipt import RECEIPT_SUFFIX, receipt_path
from textveil.jobs.traits import traits_of
from textveil.jobs.work import BatchWork

if TYPE_CHECKING:
    from textveil.ledger.ledger import Outlook

_SAMPLED_FILES = 8
_SAMPLED_BATCHES = 4
# So many of a compressed file, for what was read of it to be about what they take there.
_UNPACKED_BYTES = 8 << 20


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a run would do. Nothing was released and no noise was drawn.

    Parameters
    ----------
    files : how many files are read
    size : their bytes, None for standard input
    formats, columns : of the input
    rows : records, where files say so or else as their sizes suggest
    rows_are_exact : whether `rows` was read off the files
    dimension : of the vectors that are written, None for texts
    words, most_words : of a text of the sample, on average and at most; None if a record is released at once
    pieces : what was counted: words, or sentences
    loss, most_loss : the largest loss of such records between any two inputs, in nats; None where nothing bounds it
    guarantee : what is promised, and what is revealed
    target : what is written
    left_out : files of the folder that are not read, since their extension says no format
    resumes : whether an unfinished run would be gone on with
    exists : whether the target is there already
    budget : what the run would cost and leave, if a budget pays for it
    """

    files: int
    size: int | None
    formats: tuple[str, ...]
    columns: tuple[str, ...]
    rows: int | None
    rows_are_exact: bool
    dimension: int | None
    words: float | None
    most_words: float | None
    pieces: str
    loss: float | None
    most_loss: float | None
    guarantee: Guarantee
    target: tuple[str, ...]
    left_out: tuple[str, ...]
    resumes: bool
    exists: bool
    budget: Outlook | None = None

    def __str__(self) -> str:
        size = (
            "standard input"
            if self.size is None
            else f"{self.files} file{'s' * (self.files != 1)}, {self.size:,} bytes"
        )
        lines = [f"Reads    {size}, as {', '.join(self.formats)}"]
        if self.left_out:
            lines.append(f"         and leaves out {len(self.left_out)} of unknown format, such as {self.left_out[0]}")
        if self.columns:
            lines.append(f"Columns  {', '.join(self.columns)}")
        if self.rows is not None:
            lines.append(f"Records  {'' if self.rows_are_exact else 'about '}{self.rows:,}")
        if self.words is not None and self.most_words is not None:
            counted = (
                f"{self.words:.1f} {self.pieces} a record on average, {self.most_words:,.0f} in the longest of the"
            )
            lines += [f"Length   {counted}", "         records that were sampled; longer ones may follow"]
        if self.dimension is not None:
            lines.append(f"Vectors  {self.dimension:,} numbers a record")
        lines += self._about_sentences() if self.guarantee.unit is Unit.SENTENCE else self._about_loss()
        if self.budget is not None:
            lines += self.budget.lines()
        lines.append(f"Promise  {self.guarantee}")
        lines.append(f"Writes   {', '.join(self.target)}")
        if self.resumes:
            lines.append("         and goes on with the unfinished run that is there")
        elif self.exists:
            lines.append("         which exists: it is refused unless overwriting is asked for")
        return "\n".join([*lines, "Nothing has been released."])

    def _about_loss(self) -> list[str]:
        if self.dimension is not None or self.guarantee.unit is Unit.UTTERANCE:
            if self.loss is not None:
                return [f"Loss     {self.loss:,.4g} nats at most, between any two records"]
            if self.guarantee.relation.pairs is Pairs.METRIC:
                return [f"Loss     {self.guarantee.epsilon:,.4g} nats for each unit of distance between two records"]
            return [f"Loss     {self.guarantee.epsilon:,.4g} nats for the pairs that the promise is about"]
        if self.loss is not None:
            longest = f"{self.loss:,.4g} nats for a record of average length, {self.most_loss:,.4g} for the longest"
            return [f"Loss     {longest}", "         sampled, if every word is exchanged for the farthest"]
        if self.words is not None:
            return ["Loss     grows with the distance of the words; nothing bounds it for the farthest"]
        return []

    def _about_sentences(self) -> list[str]:
        one = f"Loss     {self.guarantee.epsilon:,.4g} nats for each sentence of a record that is exchanged"
        if self.guarantee.delta:
            return [f"{one}; delta, which is for one,", "         grows faster than their number"]
        if self.loss is None:
            return [one]
        whole = f"{self.loss:,.4g} nats for one of average length, {self.most_loss:,.4g} for the longest sampled"
        return [f"{one}; for all of them", f"         {whole}"]


def preview(job: Job) -> Preview:
    """Look at a planned run."""
    sources = [(shard, job.open(shard)) for shard in job.shards.files if shard.path is not None]
    shown = [reveal for _, source in sources for reveal in source.reveals]
    shown += () if job.spending is None else job.spending.reveals(job)
    guarantee = job.guarantee(tuple(dict.fromkeys(shown)))
    lengths, rows = _sample(job.work, sources)
    exact = bool(sources) and all(source.rows is not None for _, source in sources)
    words = float(lengths.mean()) if len(lengths) else None
    most = float(lengths.max()) if len(lengths) else None
    at_once = guarantee.unit is Unit.UTTERANCE or (job.work.gives is not None and guarantee.unit is not Unit.SENTENCE)
    partial = None if job.target is None else PartialFolder(job.target)
    return Preview(
        files=len(job.shards.files),
        size=sum(shard.path.stat().st_size for shard, _ in sources if shard.path) if sources else None,
        formats=tuple(dict.fromkeys(str(shard.format) for shard in job.shards.files)),
        columns=tuple(dict.fromkeys(name for _, source in sources for name in source.columns)),
        rows=sum(source.rows or 0 for _, source in sources) if exact else rows,
        rows_are_exact=exact,
        dimension=job.work.gives,
        words=words,
        most_words=most,
        pieces=traits_of(job.work).pieces,
        loss=_loss(guarantee, 1 if at_once else words),
        most_loss=_loss(guarantee, 1 if at_once else most),
        guarantee=guarantee,
        target=_written(job, job.receipt),
        left_out=tuple(job.shards.left_out),
        resumes=partial is not None and job.source is not None and read_journal(partial.journal).plan is not None,
        exists=job.target is not None and (job.stored or job.target).exists(),
        budget=None if job.spending is None else job.spending.preview(job),
    )


def _sample(
    work: BatchWork, sources: list[tuple[Shard, Source]]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], int | None]:
    """Return the numbers of words of the first texts of some files, and about how many records all files have."""
    lengths, seen, rows = [np.empty(0, dtype=np.int64)], 0, 0
    step = max(1, len(sources) // _SAMPLED_FILES)
    for shard, source in sources[::step]:
        done, plain = 0, shard.format.kind.is_text and not shard.format.gzipped
        for number, batch in enumerate(source.batches()):
            if number < _SAMPLED_BATCHES:
                words = work.words(batch.items)
                lengths += [] if words is None else [words]
            rows += batch.rows
            # More may have been read of the file than the records of the batch, of a compressed one much more.
            done = batch.position.bytes if plain else batch.done
            if number + 1 >= _SAMPLED_BATCHES and not (shard.format.gzipped and batch.position.bytes < _UNPACKED_BYTES):
                break
        seen += done
    total = sum(shard.path.stat().st_size for shard, _ in sources if shard.path is not None)
    return np.concatenate(lengths), round(rows * total / seen) if seen else None


def _loss(guarantee: Guarantee, words: float | None) -> float | None:
    if words is None:
        return None
    loss = guarantee.loss(np.inf) * words
    return float(loss) if np.isfinite(loss) else None


def _written(job: Job, receipt: Path | None) -> tuple[str, ...]:
    target = job.target
    if job.stored is not None:
        return (str(job.stored), str(job.stored.beside(RECEIPT_SUFFIX)))
    if target is None:
        return ("standard output", *([str(receipt)] if receipt else []))
    return (str(target), str(receipt_path(target)))
