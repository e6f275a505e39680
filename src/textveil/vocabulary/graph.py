"""The neighbour graph of a vocabulary, and the groups of words that it joins (paper 5, algorithms 1 and 2).

S_m(x) are the m words nearest to x, x itself being the first of them. Two words are joined if one is in S_m of the
other and the Jaccard index of their sets is at least a threshold. A neighbourhood is a connected component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError, require_count, require_number
from textveil.immutable import Immutable
from textveil.spaces import Euclidean
from textveil.vocabulary.neighbours import nearest_neighbours
from textveil.vocabulary.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]

_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class NeighbourGraph(Immutable):
    """Which words are joined, and the components that follow; nobody can change it.

    Parameters
    ----------
    edges : shape (e, 2), each pair once, the lower id first
    lengths : the distance of each pair
    components : the number of each word's component, from 0 in the order of their first words
    """

    edges: Ids
    lengths: Floats
    components: Ids

    @property
    def count(self) -> int:
        """How many components there are."""
        return int(self.components.max()) + 1

    @property
    def sensitivities(self) -> Floats:
        """The longest edge in the component of each word; 0 where a word is joined to none."""
        longest = np.zeros(self.count)
        np.maximum.at(longest, self.components[self.edges[:, 0]], self.lengths)
        return longest[self.components]


def neighbour_graph(
    vocabulary: Vocabulary, *, neighbours: int = 2, threshold: float = 0.5, overlap: int | None = None
) -> NeighbourGraph:
    """Return the graph of a vocabulary in Euclidean space.

    Parameters
    ----------
    vocabulary : public
    neighbours : m, how many words S_m has; a word is the first of its own
    threshold : the least Jaccard index of two words that are joined, from 0 to 1
    overlap : how many words the sets have whose Jaccard index is taken; by default m, as the paper's text has it. Its
        published code takes 10
    """
    least = require_count("neighbours", neighbours, least=2)
    sets = least if overlap is None else require_count("overlap", overlap, least=2)
    if not 0 <= require_number("threshold", threshold) <= 1:
        raise InvalidInputError(f"threshold must be from 0 to 1 (got {threshold!r})")
    if not isinstance(vocabulary.space, Euclidean):
        raise InvalidInputError(f"the graph needs Euclidean distance, the vocabulary has {vocabulary.space.metric}")
    ids, distances = nearest_neighbours(
        vocabulary.points, max(least, sets), include_self=True, device=vocabulary.device
    )
    first = np.repeat(ids[:, 0], least - 1)
    second, lengths = ids[:, 1:least].reshape(-1), distances[:, 1:least].reshape(-1)
    joined = _jaccard(np.sort(ids[:, :sets], axis=1), first, second) >= threshold
    pairs = np.sort(np.stack([first, second], axis=1)[joined], axis=1)
    edges, where = np.unique(pairs, axis=0, return_index=True)
    return NeighbourGraph(edges, lengths[joined][where], _components(len(vocabulary), edges))


def component_diameters(vocabulary: Vocabulary, components: Ids) -> Floats:
    """Return the largest distance of two words of each component; 0 where it has one word."""
    order = np.argsort(components, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(components[order])) + 1)
    return np.array([_diameter(vocabulary, members) if len(members) > 1 else 0.0 for members in groups])


def _diameter(vocabulary: Vocabulary, members: Ids) -> float:
    largest = 0.0
    for top in range(0, len(members), _BLOCK):
        rows = vocabulary.points[members[top : top + _BLOCK]].astype(np.float64)
        for left in range(0, top + 1, _BLOCK):
            columns = vocabulary.points[members[left : left + _BLOCK]].astype(np.float64)
            largest = max(largest, float(vocabulary.space.distances(rows, columns).max()))
    return largest


def _components(count: int, edges: Ids) -> Ids:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(len(edges), dtype=np.int8), (edges[:, 0], edges[:, 1])), shape=(count, count))
    _, labels = connected_components(matrix, directed=False)
    # In the order of their first words, whatever order the search takes.
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    numbers: Ids = ranks[inverse]
    return numbers


def _jaccard(sets: Ids, first: Ids, second: Ids) -> Floats:
    """Return the Jaccard index of pairs of rows, each sorted and of distinct numbers."""
    common = np.empty(len(first), dtype=np.int64)
    _count_common(sets, first, second, common)
    indices: Floats = common / (2 * sets.shape[1] - common)
    return indices


@compiled
def _count_common(sets, first, second, common):  # type: ignore[no-untyped-def]
    size = sets.shape[1]
    for n in range(first.size):
        a, b = sets[first[n]], sets[second[n]]
        i, j, found = 0, 0, 0
        while i < size and j < size:
            found += a[i] == b[j]
            step_a, step_b = a[i] <= b[j], b[j] <= a[i]
            i += step_a
            j += step_b
        common[n] = found
