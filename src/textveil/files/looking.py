"""What a run would find in its files: texts, or vectors and how long they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textveil.errors import InvalidInputError
from textveil.files.opening import open_source
from textveil.files.selection import Holds, Selection
from textveil.files.shards import Shard, Shards


@dataclass(frozen=True)
class Found:
    """What the selected column holds; `dimension` is that of its vectors."""

    holds: Holds
    dimension: int | None = None


def look(shards: Shards, selection: Selection) -> Found:
    """Look into files until one tells what the column holds."""
    for shard in shards.files:
        found = _look_into(shard, selection)
        if found.holds is Holds.TEXTS or found.dimension is not None:
            return found
    raise InvalidInputError("there is no vector in the input, so nothing tells how long they are; give one at least")


def _look_into(shard: Shard, selection: Selection) -> Found:
    if shard.format.kind.is_text:
        return Found(Holds.TEXTS)
    vectors = replace(selection, holds=Holds.VECTORS)
    if shard.format.kind.is_array:
        return Found(Holds.VECTORS, open_source(shard.path, shard.format, vectors).dimension)
    try:
        open_source(shard.path, shard.format, replace(selection, holds=Holds.DOCUMENTS))
    except InvalidInputError:
        return Found(Holds.VECTORS, open_source(shard.path, shard.format, vectors).dimension)
    return Found(Holds.TEXTS)
