"""How well distances tell ancestors from all other nodes: mean average precision and mean rank.

For a node u, all other nodes are sorted by their distance from u. The rank of an ancestor is one more than the number
of nodes that are no ancestors and at most as far; a perfect embedding has mean rank 1 and MAP 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction, over_threads, thread_count
from textveil.learn.poincare_kernel import shuffle
from textveil.learn.relations import Ids, Relations

_TILE = 2048


@dataclass(frozen=True)
class Reconstruction:
    """The two measures, and on how many of the nodes that have ancestors they were taken."""

    mean_average_precision: float
    mean_rank: float
    nodes: int
    of: int

    def __str__(self) -> str:
        on = "all" if self.nodes == self.of else f"{self.nodes:,} sampled of"
        return f"MAP {self.mean_average_precision:.3f}, mean rank {self.mean_rank:.2f} ({on} {self.of:,} nodes)"


def reconstruction(
    points: NDArray[np.float64], relations: Relations, *, sample: int | None = None, threads: int | None = None
) -> Reconstruction:
    """Measure points of the Poincaré ball against the relations that they should show.

    Parameters
    ----------
    points
        One row a name, in the order of `relations.names`.
    relations
        What the points were trained on.
    sample
        Measure only so many nodes, always the same ones, against all; by default all of them.
    """
    lower = np.flatnonzero(np.diff(relations.offsets))
    chosen = lower.copy()
    if sample is not None and sample < len(lower):
        shuffle(chosen, np.array([1], dtype=np.uint64))
        chosen = chosen[:sample]
    columns = np.ascontiguousarray(points.T)
    gaps = 1 - np.einsum("ij,ij->i", points, points)

    def work(nodes: Ids) -> tuple[float, float]:
        precision, ranks = _measure(columns, gaps, nodes, relations.offsets, relations.above)
        return float(precision), float(ranks)

    parts = np.array_split(chosen, 8 * (threads or thread_count()))
    sums = np.sum(list(over_threads(work, parts, threads=threads)), axis=0)
    pairs = (relations.offsets[chosen + 1] - relations.offsets[chosen]).sum()
    return Reconstruction(float(sums[0] / len(chosen)), float(sums[1] / pairs), len(chosen), len(lower))


@compiled_reduction
def _order_of_distances(columns, gaps, node, out):  # type: ignore[no-untyped-def]
    """|u - v|^2 / (1 - |v|^2), which grows with the distance of v from u."""
    for start in range(0, gaps.size, _TILE):
        stop = min(start + _TILE, gaps.size)
        out[start:stop] = 0.0
        for k in range(columns.shape[0]):
            own = columns[k, node]
            for j in range(start, stop):
                difference = columns[k, j] - own
                out[j] += difference * difference
    for j in range(gaps.size):
        out[j] /= gaps[j]


@compiled
def _measure(columns, gaps, nodes, offsets, above):  # type: ignore[no-untyped-def]
    """Return the sum of the average precisions of the nodes, and of the ranks of all their ancestors."""
    precision = ranks = 0.0
    values = np.empty(gaps.size)
    for node in nodes:
        _order_of_distances(columns, gaps, node, values)
        ancestors = above[offsets[node] : offsets[node + 1]]
        ordered = np.sort(values[ancestors])
        values[node] = np.inf
        for i in ancestors:
            values[i] = np.inf
        # nearer[k]: others that are at most as far as ancestor k, but not as ancestor k - 1.
        nearer = np.zeros(ordered.size, dtype=np.int64)
        for value in values:
            if value <= ordered[-1]:
                nearer[np.searchsorted(ordered, value)] += 1
        others, sum_here = 0, 0.0
        for k in range(ordered.size):
            others += nearer[k]
            sum_here += (k + 1) / (others + k + 1)
            ranks += others + 1
        precision += sum_here / ordered.size
    return precision, ranks
