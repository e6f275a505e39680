"""Pairs of words of a vocabulary that tell most about a mechanism: near, far, alone, crowded, unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]

# Of a large vocabulary so many words, evenly spaced in the list, are compared with all others: as many as this many
# distances allow, up to a limit.
_WORDS = 512
_DISTANCES = 1 << 22
_CROWD = 8


def word_pairs(vocabulary: Vocabulary) -> list[tuple[str, str, float]]:
    """Return five pairs, fewer if they coincide: two words each, and their distance.

    They are the two nearest words, the two farthest, the word farthest from its nearest neighbour with that neighbour,
    the word with the nearest crowd of others with its neighbour, and the unknown word with the word nearest to it.
    """
    count = len(vocabulary)
    looked_at = min(count, _WORDS, 1 + _DISTANCES // count)
    ids = np.unique([*np.linspace(0, count - 1, looked_at).astype(np.int64), vocabulary.unknown_id])
    away = distances_to_all(vocabulary, ids)
    others = np.where(away > 0, away, np.inf)
    nearest = others.min(axis=1)
    enough = min(_CROWD, count - 1) - 1
    crowd = np.partition(others, enough, axis=1)[:, enough]
    rows = [
        (int(nearest.argmin()), others, np.argmin),
        (int(away.max(axis=1).argmax()), away, np.argmax),
        (int(np.where(np.isfinite(nearest), nearest, -1.0).argmax()), others, np.argmin),
        (int(crowd.argmin()), others, np.argmin),
        (int(np.searchsorted(ids, vocabulary.unknown_id)), others, np.argmin),
    ]
    found: dict[frozenset[int], tuple[str, str, float]] = {}
    for row, distances, choose in rows:
        first, second = int(ids[row]), int(choose(distances[row]))
        if away[row, second] > 0:
            found.setdefault(
                frozenset((first, second)),
                (vocabulary.words[first], vocabulary.words[second], float(away[row, second])),
            )
    return list(found.values())
