"""Files: texts in txt, csv, jsonl, parquet and Arrow, vectors in npy, npz, parquet and Arrow, read in batches.

Texts are written back with all else as it was; vectors in a format of their own.
"""

from textveil.files.batches import BATCH_BYTES, Batch, Items, Mark, Position, Sink, Source
from textveil.files.formats import Format, Kind
from textveil.files.looking import Found, look
from textveil.files.opening import VECTOR_KINDS, open_sink, open_source
from textveil.files.selection import Holds, Selection
from textveil.files.shards import Shard, Shards, shards_of
from textveil.files.stored import Place, StoredPath, place_of

__all__ = [
    "BATCH_BYTES",
    "VECTOR_KINDS",
    "Batch",
    "Format",
    "Found",
    "Holds",
    "Items",
    "Kind",
    "Mark",
    "Place",
    "Position",
    "Selection",
    "Shard",
    "Shards",
    "Sink",
    "Source",
    "StoredPath",
    "look",
    "open_sink",
    "open_source",
    "place_of",
    "shards_of",
]
