"""Read streams a portion at a time: some items after a rejection, or as many as fit into the cache.

Every item reads on in its own stream, and the streams handed in are left beyond what any item has read, at a
place that does not depend on the batch: two draws in a row never meet the same words.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads, thread_count
from textveil.randomness import Streams

Rows = NDArray[np.int64]

# A megabyte of words: the keystream is fastest there, and words and noise stay in the second-level cache.
_PORTION_WORDS = 1 << 17
# Below this many portions a pool of threads costs more than it brings.
_LEAST_PORTIONS = 8

# Blocks set aside for rejections in each stream: 64 GB of keystream, which no item reads to the end.
RESERVED = 1 << 32


def until_done(streams: Streams, attempt: Callable[[Streams, Rows], NDArray[np.bool_]]) -> None:
    """Repeat `attempt(part, rows)` on the items that it has not yet marked as done."""
    part, rows = streams, np.arange(len(streams))
    beyond = streams.used + RESERVED
    while len(rows):
        again = ~attempt(part, rows)
        part, rows = part.select(again), rows[again]
    streams.used = beyond


def in_portions(
    streams: Streams, item_words: int, fill: Callable[[Streams, slice], None], *, threads: int | None = None
) -> None:
    """Call `fill(part, rows)` for portions of items that fit into the cache, over threads if there are many.

    Parameters
    ----------
    streams : one an item
    item_words : about how many words an item reads
    fill : draws for the items of one portion and writes them to its rows
    threads : how many; the default is `textveil.compiled.thread_count()`
    """
    count = len(streams)
    places: set[int] = set()
    size = max(1, _PORTION_WORDS // max(1, item_words))
    if count <= size:
        if count:
            fill(streams, slice(0, count))
        return

    def work(first: int) -> None:
        rows = slice(first, min(first + size, count))
        part = streams.select(rows)
        fill(part, rows)
        places.add(part.used)

    portions = range(0, count, size)
    threads = threads or thread_count()
    spread = over_threads(work, portions, threads=threads)
    for _ in spread if threads > 1 and len(portions) >= _LEAST_PORTIONS else map(work, portions):
        pass
    (streams.used,) = places
