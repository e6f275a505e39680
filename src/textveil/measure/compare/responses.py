"""Public responses among the words of a vocabulary (T16): the loss is the same between any two words.

With m near ones of M words, P[y | x] = e^l / Z for the m nearest to x and 1 / Z for the others, Z = m e^l + M - m. All
of it is computed from the distances of some words to all; m is the one that moves them least.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import over_threads
from textveil.measure.compare.frontier import Value
from textveil.measure.compare.intervals import of_mean
from textveil.measure.compare.setting import Setting, blocks
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Response:
    """What a public response does at one loss."""

    near: int
    unchanged: Value
    naming: Value
    moved: Value
    pair: Value


@dataclass(frozen=True)
class Responses:
    """Public responses in a setting."""

    setting: Setting

    def at(self, loss: float, *, near: int | None = None) -> Response:
        """Return what happens at a loss between any two words, with the number of near words that moves them least.

        With `near` that number is given instead. A word is among those nearest to it, and no word gives an output with
        more than e^l / Z, so the best attack takes words as they are, and names as many as stay.
        """
        sums, shared = self._looked_at
        count = len(self.setting.vocabulary)
        numbers = np.arange(1, count)
        # In units of e^l, so that nothing overflows.
        odds = np.exp(-loss)
        total = numbers + (count - numbers) * odds
        moved = (sums[:, :-1] * (1 - odds) + sums[:, -1:] * odds) / total
        best = int(moved.mean(axis=0).argmin()) if near is None else near - 1
        m, own = best + 1, 1 / total[best]
        both = 2 * m - np.array([np.searchsorted(ranks, m) for ranks in shared])
        return Response(
            near=m,
            unchanged=Value.exact(own),
            naming=Value.exact(own),
            moved=of_mean(moved[:, best] / self.setting.usual),
            pair=of_mean((both + (count - both) * odds) * own / 2),
        )

    @cached_property
    def _looked_at(self) -> tuple[Floats, Ids]:
        """Sums of the distances of the nearest words, and at which rank outputs are near to both words of a pair."""
        setting = self.setting

        def look(part: Ids) -> tuple[Floats, Ids]:
            own = distances_to_all(setting.vocabulary, setting.paired[part])
            other = distances_to_all(setting.vocabulary, setting.neighbours[part])
            later = np.maximum(_ranks(own), _ranks(other))
            return np.cumsum(np.sort(own, axis=1), axis=1), np.sort(later, axis=1)

        found = list(over_threads(look, blocks(np.arange(len(setting.paired)))))
        sums, shared = zip(*found, strict=True)
        return np.concatenate(sums), np.concatenate(shared)


def _ranks(distances: Floats) -> Ids:
    order = np.argsort(distances, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return ranks
