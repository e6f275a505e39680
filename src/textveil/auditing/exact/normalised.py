"""The exact loss of P[y | x] = a(y) exp(-rate min(d(x,y), radius)) / Z(x), in two passes over all distances (T7).

The log-ratio of two inputs is largest at the output y = x, where it is rate d + ln Z(x') - ln Z(x): so all pairs are
enough, and no output needs to be looked at. Z is computed again from the vocabulary; no stored certificate is read.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.promises import conclude, epsilon_for, exceeds, farthest, radius_of, undecided
from textveil.auditing.report import Finding, Method, Witness
from textveil.compiled import compiled_reduction
from textveil.elementary import exponential
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import rounding_slack
from textveil.vocabulary.pairs import Tile, over_pairs

Floats = NDArray[np.float64]

_NAME = "the law of every pair of words, by its normalisers"


def normalised_law(mechanism: Exponential, claim: Guarantee) -> Finding | None:
    """Compare a claim with the exact loss of a law without row boosts, over all pairs of words."""
    if claim.relation.pairs is Pairs.EDGES:
        return undecided(name=_NAME, method=Method.EXACT, because="Which words are joined is not known.")
    vocabulary = mechanism.vocabulary
    values = log_normalisers(mechanism)
    slack = rounding_slack(vocabulary)
    bound, first, second = worst_pair(mechanism, claim, values, slack)
    witness = _witness(mechanism, claim, first, second)
    shown = epsilon_for(claim, witness.loss, witness.distance)
    because = (
        f"Over all {math.comb(len(vocabulary), 2):,} pairs of words the loss is rate x distance plus the difference of "
        f"the log-normalisers, rate = {mechanism.law.rate:.7g}; rounding is allowed for."
    )
    if exceeds(bound, claim.epsilon) and not exceeds(shown, claim.epsilon):
        found = f" The bound is {bound:.7g}, but only {shown:.7g} is reached by the integers that are drawn from."
        return undecided(name=_NAME, method=Method.EXACT, because=because + found, bound=bound, witness=witness)
    return conclude(claim, name=_NAME, method=Method.EXACT, bound=bound, because=because, witness=witness)


def log_normalisers(mechanism: Exponential) -> Floats:
    """Return ln Z(x) of every word, from the vocabulary and the rate that the sampler uses."""
    law, vocabulary = mechanism.law, mechanism.vocabulary
    weights = law.weights if len(law.weights) else np.ones(len(vocabulary))
    sums = np.zeros(len(vocabulary))

    def work(tile: Tile, distances: Floats) -> tuple[Floats, Floats]:
        rows, columns = np.zeros(distances.shape[0]), np.zeros(distances.shape[1])
        above, left = weights[tile.top : tile.bottom], weights[tile.left : tile.right]
        _add_weights(distances, law.radius, law.rate, above, left, rows, columns)
        return rows, columns

    for tile, (rows, columns) in over_pairs(vocabulary, work, title="normalisers"):
        sums[tile.top : tile.bottom] += rows
        if not tile.on_diagonal:
            sums[tile.left : tile.right] += columns
    return np.log(sums)


def worst_pair(mechanism: Exponential, claim: Guarantee, values: Floats, slack: float) -> tuple[float, int, int]:
    """Return the largest epsilon that a pair needs for its loss plus `slack`, and the pair, which gains at its first.

    Two words with the same point have the same law and are passed over.
    """
    law = mechanism.law
    is_metric = claim.relation.pairs is Pairs.METRIC
    terms = (radius_of(claim), claim.relation.rounding, claim.offset) if is_metric else (0.0, 1.0, 0.0)
    best, pair = 0.0, (0, 1)

    def work(tile: Tile, distances: Floats) -> tuple[float, int, int]:
        rows, columns = values[tile.top : tile.bottom], values[tile.left : tile.right]
        needed, i, j = _worst(distances, law.radius, law.rate, slack, rows, columns, farthest(claim), *terms)
        return needed, tile.top + i, tile.left + j

    for _, (needed, i, j) in over_pairs(mechanism.vocabulary, work, title="worst pairs"):
        if needed > best:
            best, pair = needed, (i, j)
    # The loss is larger for the one whose normaliser is smaller.
    first, second = sorted(pair, key=lambda word: float(values[word]))
    return best, first, second


def _witness(mechanism: Exponential, claim: Guarantee, first: int, second: int) -> Witness:
    """Read the loss of one pair from the integers that are drawn from."""
    vocabulary = mechanism.vocabulary
    rows = mechanism.transition_rows(np.array([first, second]))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(rows[0] > 0, np.log(rows[0]) - np.log(rows[1]), -np.inf)
    output = int(np.argmax(ratios))
    points = vocabulary.points[[first, second]].astype(np.float64)
    distance = float(vocabulary.space.distances(points[:1], points[1:])[0, 0])
    return Witness(
        pair=(vocabulary.words[first], vocabulary.words[second]),
        event=f"the output {vocabulary.words[output]!r}",
        distance=distance,
        loss=float(ratios[output]),
        claimed=claim.loss(distance),
    )


@compiled_reduction
def _add_weights(distances, radius, rate, above, left, rows, columns):  # type: ignore[no-untyped-def]
    height, width = distances.shape
    for i in range(height):
        total = 0.0
        for j in range(width):
            weight = exponential(-rate * min(distances[i, j], radius))
            total += weight * left[j]
            columns[j] += weight * above[i]
        rows[i] += total


@compiled_reduction
def _worst(distances, radius, rate, slack, rows, columns, reach, claimed_radius, rounding, offset):  # type: ignore[no-untyped-def]
    """Return the largest (loss - offset) / (rounding + min(d, claimed_radius)) of a tile, and where it is."""
    height, width = distances.shape
    # The maximum of each column is kept apart: element by element it uses vector registers, one for all does not.
    tops = np.zeros(width)
    for i in range(height):
        for j in range(width):
            distance = distances[i, j]
            loss = rate * min(distance, radius) + abs(rows[i] - columns[j]) + slack - offset
            counted = rounding + min(distance, claimed_radius)
            is_covered = (distance > 0.0) & (distance <= reach)
            tops[j] = max(tops[j], loss / counted if is_covered else 0.0)
    column = np.argmax(tops)
    best, where = -1.0, 0
    for i in range(height):
        distance = distances[i, column]
        if 0.0 < distance <= reach:
            loss = rate * min(distance, radius) + abs(rows[i] - columns[column]) + slack - offset
            needed = loss / (rounding + min(distance, claimed_radius))
            if needed > best:
                best, where = needed, i
    return tops[column], where, column
