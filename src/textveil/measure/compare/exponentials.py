"""The exponential mechanism at many strengths at once, by three passes over the distances of all pairs of words.

For the law exp(-rate min(d, cut)) / Z the first pass sums all normalisers Z, the second finds the exact loss of
every rate over all pairs (T7), the third the success of the best attack that knows how frequent words are (T17). None
of it is sampled. If all words are equally likely the best attack takes them as they are: ln Z is rate-Lipschitz, so
P[y | x] <= P[y | y], and as many are named as stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled_reduction, over_threads
from textveil.measure.compare.frontier import Value
from textveil.measure.compare.intervals import of_mean
from textveil.measure.compare.setting import Setting, blocks
from textveil.mechanisms.exponential.law import rounding_slack
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import Tile, distances_to_all, log_normalisers, over_pairs, steepest_pairs

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Laws that keep this share of the words, on average, are looked at; the second is of those that can stay.
_KEPT = (0.002, 0.995)
_SEARCH = np.geomspace(1e-3, 1e3, 61)
_SEARCH_WORDS = 64


@dataclass(frozen=True)
class Sweep:
    """Laws of one shape by ascending rate.

    Parameters
    ----------
    cut : where distances stop counting; inf for nowhere
    rates : of the laws
    losses : the exact loss of each per unit of distance, over all pairs
    unchanged : mean chance of a word to stay, over all words
    running : the same by the frequencies of the words
    frequent : success of the best attack that knows the frequencies
    moved, pair : how far words move, and how well neighbours are told apart, over the paired words
    """

    cut: float
    rates: Floats
    losses: Floats
    unchanged: Floats
    running: Floats
    frequent: Floats
    moved: list[Value]
    pair: list[Value]


def sweep(setting: Setting, *, cut: float = np.inf) -> Sweep:
    """Compute laws from those that keep next to nothing to those that keep nearly all.

    Parameters
    ----------
    setting : with the vocabulary
    cut : where distances stop counting
    """
    vocabulary, chances = setting.vocabulary, setting.frequencies
    rates = _rates(setting, cut)
    normalisers = log_normalisers(vocabulary, rates, radius=cut)
    worst = steepest_pairs(vocabulary, normalisers, radius=cut, slack=rounding_slack(vocabulary))
    moved, pair = _of_paired(setting, rates, cut)
    return Sweep(
        cut=cut,
        rates=rates,
        # The share above covers the rounding of this sum.
        losses=(rates + worst.slope) * (1 + 1e-11),
        unchanged=np.exp(-normalisers).mean(axis=1),
        running=np.exp(-normalisers) @ chances,
        frequent=best_naming(vocabulary, rates, normalisers, chances, cut=cut),
        moved=moved,
        pair=pair,
    )


def best_naming(
    vocabulary: Vocabulary, rates: Floats, normalisers: Floats, prior: Floats, *, cut: float = np.inf
) -> Floats:
    """Return sum_y max_x prior(x) P[y | x] for every rate, over all pairs.

    Parameters
    ----------
    rates, normalisers : of the laws; ln Z of every rate (rows) and word
    prior : chances of the words before anything is seen, above 0
    cut : where distances stop counting
    """
    heights = np.log(prior) - normalisers
    most = np.full(heights.shape, -np.inf)

    def work(tile: Tile, distances: Floats) -> tuple[Floats, Floats]:
        above = np.ascontiguousarray(heights[:, tile.top : tile.bottom])
        left = np.ascontiguousarray(heights[:, tile.left : tile.right])
        rows, columns = np.full(above.shape, -1e308), np.full(left.shape, -1e308)
        _highest(distances, cut, rates, above, left, rows, columns)
        return rows, columns

    for tile, (rows, columns) in over_pairs(vocabulary, work, title="best attack"):
        for part, found in ((slice(tile.top, tile.bottom), rows), (slice(tile.left, tile.right), columns)):
            np.maximum(most[:, part], found, out=most[:, part])
    return np.asarray(np.exp(most).sum(axis=1))


def _rates(setting: Setting, cut: float) -> Floats:
    """Return evenly spaced rates between those that keep little and nearly all, estimated on a few words."""
    few = setting.paired[:: max(1, len(setting.paired) // _SEARCH_WORDS)]
    search = _SEARCH / setting.radius

    def kept(ids: Ids) -> Floats:
        distances = np.minimum(distances_to_all(setting.vocabulary, ids), cut)
        return np.array([1 / np.exp(-rate * distances).sum(axis=1) for rate in search])

    shares = np.concatenate(list(over_threads(kept, blocks(few))), axis=1).mean(axis=1)
    least = max(_KEPT[0], 2 / len(setting.vocabulary))
    low = search[max(0, int(np.searchsorted(shares, least)) - 1)]
    high = search[min(len(search) - 1, int(np.searchsorted(shares, _KEPT[1] * shares[-1])))]
    return np.linspace(low, high, setting.sizes.rates)


def _of_paired(setting: Setting, rates: Floats, cut: float) -> tuple[list[Value], list[Value]]:
    """Return how far words move and how well they are told from their neighbours, exactly for each of the words."""
    vocabulary = setting.vocabulary
    places = [np.asarray(part) for part in blocks(np.arange(len(setting.paired)))]

    def look(part: Ids) -> tuple[Floats, Floats]:
        own = distances_to_all(vocabulary, setting.paired[part])
        other = distances_to_all(vocabulary, setting.neighbours[part])
        moved, pair = np.empty((len(rates), len(part))), np.empty((len(rates), len(part)))
        for place, rate in enumerate(rates):
            first, second = (_rows(distances, rate, cut) for distances in (own, other))
            moved[place] = (first * own).sum(axis=1) / setting.usual
            pair[place] = np.maximum(first, second).sum(axis=1) / 2
        return moved, pair

    found = list(over_threads(look, places))
    moved, pair = (np.concatenate(part, axis=1) for part in zip(*found, strict=True))
    return [of_mean(row) for row in moved], [of_mean(row) for row in pair]


def _rows(distances: Floats, rate: float, cut: float) -> Floats:
    weights = np.exp(-rate * np.minimum(distances, cut))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@compiled_reduction
def _highest(distances, cut, rates, above, left, rows, columns):  # type: ignore[no-untyped-def]
    height, width = distances.shape
    counted = np.minimum(distances, cut)
    for k in range(rates.size):
        for i in range(height):
            own, most = above[k, i], rows[k, i]
            for j in range(width):
                cost = rates[k] * counted[i, j]
                columns[k, j] = max(columns[k, j], own - cost)
                most = max(most, left[k, j] - cost)
            rows[k, i] = most
