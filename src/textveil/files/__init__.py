"""Files: texts in txt, csv, jsonl, parquet and Arrow, read in batches and written back with all else as it was."""

from textveil.files.batches import BATCH_BYTES, Batch, Position, Sink, Source
from textveil.files.formats import Format, Kind
from textveil.files.opening import open_sink, open_source
from textveil.files.selection import Selection
from textveil.files.shards import Shard, Shards, shards_of

__all__ = [
    "BATCH_BYTES",
    "Batch",
    "Format",
    "Kind",
    "Position",
    "Selection",
    "Shard",
    "Shards",
    "Sink",
    "Source",
    "open_sink",
    "open_source",
    "shards_of",
]
