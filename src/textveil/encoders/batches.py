"""Which texts go through a network together, so that none sees the others.

Texts of the same number of tokens need no padding. What is left of a batch in a vector is the order in which a
kernel adds numbers, which may depend on how many rows it is given: that is tried out before it is relied on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.encoders.encoder import Vectors

Rows = NDArray[np.int64]


def same_length(lengths: Sequence[int], at_once: Callable[[int], int]) -> Iterator[Rows]:
    """Yield the numbers of texts that have the same length, at most `at_once(length)` together."""
    order = np.argsort(lengths, kind="stable")
    edges = np.flatnonzero(np.diff(np.asarray(lengths)[order])) + 1
    for rows in np.split(order, edges) if len(order) else ():
        most = at_once(lengths[rows[0]])
        yield from (rows[start : start + most] for start in range(0, len(rows), most))


def gathered(work: Callable[[Rows], Vectors], batches: Iterable[Rows], out: Vectors, *, spread: bool) -> Vectors:
    """Write the vectors of each batch where they belong; on all cores if `spread`, unless others share them already."""

    def one(rows: Rows) -> None:
        out[rows] = work(rows)

    alone = threading.current_thread() is threading.main_thread()
    for _ in over_threads(one, batches) if spread and alone else map(one, batches):
        pass
    return out


def each_alone(run: Callable[[NDArray[np.int32]], Vectors], tokens: NDArray[np.int32]) -> bool:
    """Whether each text of a batch has, bit for bit, the vector that it has alone, in a smaller batch and elsewhere."""
    together = run(tokens)
    alone = np.concatenate([run(tokens[row : row + 1]) for row in (0, len(tokens) - 1)])
    return (
        np.array_equal(together[[0, -1]], alone)
        and np.array_equal(together[:3], run(tokens[:3]))
        and np.array_equal(together[::-1], run(tokens[::-1]))
    )
