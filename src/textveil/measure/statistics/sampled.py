"""Statistics from runs, for mechanisms whose law can't be read, with intervals that hold at the confidence stated."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_RELEASES_AT_ONCE = 2**20


def sampled_statistics(
    mechanism: WordMechanism, ids: Ids, *, runs: int, confidence: float, source: RandomSource | None
) -> dict[str, Floats]:
    """Release each word `runs` times and count.

    K_w counts, among the words measured, those that also gave the output that the fewest of them gave.
    """
    outputs, counts = _counts(mechanism, ids, runs, RandomSource.given(source))
    size, doubt = len(mechanism.vocabulary), 1 - confidence
    stayed = np.array(
        [own[seen == word].sum() for seen, own, word in zip(outputs, counts, ids, strict=True)], dtype=np.float64
    )
    most = np.array([own.max() for own in counts], dtype=np.float64)
    shares = [own / runs for own in counts]
    reached = np.bincount(np.concatenate(_of_distinct_words(ids, outputs)), minlength=size)
    low, high = clopper_pearson(stayed, runs, doubt)
    # One interval for every possible output, so that the largest chance lies in that of the commonest output.
    top_low, top_high = clopper_pearson(most, runs, doubt / size)
    distinct = np.array([len(seen) for seen in outputs], dtype=np.float64)
    # One run more or less changes the number of distinct outputs by one at most (McDiarmid).
    reach = math.sqrt(runs * math.log(2 / doubt) / 2)
    pairs = np.array([(own * (own - 1.0)).sum() for own in counts])
    with np.errstate(divide="ignore"):
        return {
            "unchanged": stayed / runs,
            "unchanged_low": low,
            "unchanged_high": high,
            "distinct": distinct,
            "distinct_low": np.maximum(distinct - reach, 1.0),
            "distinct_high": np.minimum(distinct + reach, min(runs, size)),
            "hartley": np.log2(distinct),
            "min_entropy": -np.log2(most / runs),
            "min_entropy_low": -np.log2(top_high),
            "min_entropy_high": -np.log2(top_low),
            "effective": np.exp2([-(share * np.log2(share)).sum() for share in shares]),
            "collision": runs * (runs - 1) / pairs,
            "inputs": np.array([reached[seen].min() for seen in outputs], dtype=np.float64),
        }


def clopper_pearson(hits: Floats, runs: int, doubt: float) -> tuple[Floats, Floats]:
    """Return the exact interval of a chance by its hits in so many runs; it is wrong with chance `doubt` at most."""
    from scipy.special import betaincinv

    hits = np.asarray(hits, dtype=np.float64)
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), runs - hits + 1, doubt / 2), 0.0)
    high = np.where(hits < runs, betaincinv(hits + 1, np.maximum(runs - hits, 1), 1 - doubt / 2), 1.0)
    return low, high


def _counts(
    mechanism: WordMechanism, ids: Ids, runs: int, source: RandomSource
) -> tuple[list[Ids], list[NDArray[np.int64]]]:
    """Return the distinct outputs of each word and how often each came."""
    outputs, counts = [], []
    height = max(1, _RELEASES_AT_ONCE // runs)
    for start in range(0, len(ids), height):
        block = ids[start : start + height]
        for row in mechanism.release_ids(np.repeat(block[:, None], runs, axis=1), source=source):
            seen, often = np.unique(row, return_counts=True)
            outputs.append(seen)
            counts.append(often.astype(np.int64))
    return outputs, counts


def _of_distinct_words(ids: Ids, outputs: list[Ids]) -> list[Ids]:
    """Leave out what a word that was asked for twice gave the second time."""
    _, firsts = np.unique(ids, return_index=True)
    return [outputs[place] for place in firsts]
