"""The exact loss of a small table of integer weights, in whole numbers: no float decides which output is worst."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

from textveil.auditing.promises import conclude, epsilon_for, undecided
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.rows import Row
from textveil.vocabulary.pairs import distances_to_all

MOST_WORDS = 64
_NAME = "the integer weights of every pair of words and every output"


def integer_table(mechanism: Exponential, claim: Guarantee) -> Finding:
    """Compare a claim with the integers that words are drawn by."""
    if claim.relation.pairs is Pairs.EDGES:
        return undecided(name=_NAME, method=Method.EXACT, because="Which words are joined is not known.")
    words = mechanism.vocabulary.words
    ids = np.arange(len(words))
    table = [weights_of(row, len(words)) for row in mechanism._rows._rows(ids)]
    totals = [sum(weights) for weights in table]
    distances = distances_to_all(mechanism.vocabulary, ids)
    best, witness = 0.0, None
    for x, z in permutations(range(len(words)), 2):
        distance = float(distances[x, z])
        claimed = claim.loss(distance)
        if math.isinf(claimed):
            continue
        loss, output = worst_output(table[x], table[z], totals[x], totals[z])
        needed = epsilon_for(claim, loss, distance)
        if witness is None or needed > best:
            event = f"the output {words[output]!r}"
            best = needed
            witness = Witness(pair=(words[x], words[z]), event=event, distance=distance, loss=loss, claimed=claimed)
    because = f"All {len(words)} x {len(words)} weights are whole numbers, and their ratios were compared as such."
    return conclude(claim, name=_NAME, method=Method.EXACT, bound=best, because=because, witness=witness)


def weights_of(row: Row, count: int) -> list[int]:
    """Return the whole weight of each of `count` outputs."""
    cumulative = [(int(high) << 64) + int(low) for high, low in zip(row.high, row.low, strict=True)]
    weights = [_wide(row.share)] * count
    for before, until, output in zip([0, *cumulative], cumulative, row.ids.tolist(), strict=False):
        weights[output] += until - before
    weights[row.word] += _wide(row.own)
    return weights


def worst_output(weights: list[int], others: list[int], total: int, other_total: int) -> tuple[float, int]:
    """Return the largest log-ratio of two rows and its output; inf where only the first can have one."""
    best = 0
    for output, (weight, other) in enumerate(zip(weights, others, strict=True)):
        if weight and not other:
            return math.inf, output
        if weight * others[best] > weights[best] * other:
            best = output
    more, less = weights[best] * other_total, others[best] * total
    # The difference is exact before it is divided, so that a small loss keeps its digits.
    return (math.log1p((more - less) / less) if more > less else 0.0), best


def _wide(halves: tuple[np.uint64, np.uint64]) -> int:
    return (int(halves[0]) << 64) + int(halves[1])
