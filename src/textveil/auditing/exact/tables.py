"""The exact loss of any finite law, by brute force: blocks of rows against blocks of rows, every output.

Only two blocks of rows are in memory at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.promises import claimed_losses, conclude, epsilon_for, epsilons_for, undecided
from textveil.auditing.report import Finding, Method, Witness
from textveil.compiled import compiled_reduction
from textveil.guarantees import Guarantee, Pairs

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Triples of two inputs and an output take about a nanosecond each.
MOST_WORDS = 4096
_ENTRIES = 1 << 20
# Stands for ln 0: differences with it are far from all others, and none is NaN.
_IMPOSSIBLE = -1e300
_ROW_SUM = 1e-9
# Beyond it e^loss is no float, and nothing escapes that float64 could tell.
_LARGEST_LOSS = 700.0
_HALVINGS = 100
_NAME = "the law of every pair of inputs and every output"


@dataclass(frozen=True)
class Table:
    """A finite law: rows of chances, and the distances of inputs."""

    inputs: int
    rows: Callable[[Ids], Floats]
    distances: Callable[[Ids, Ids], Floats]
    names: Callable[[int], Any]


def brute_force(mechanism: Any, claim: Guarantee) -> Finding | None:
    """Compare a claim with a law that can be read as rows of chances; None if it can't."""
    table = table_of(mechanism, claim)
    if table is None or (claim.relation.pairs in (Pairs.METRIC, Pairs.WITHIN) and not hasattr(mechanism, "vocabulary")):
        return None
    if table.inputs > MOST_WORDS:
        many = f"To look at every output of every pair takes at most {MOST_WORDS:,} inputs; there are {table.inputs:,}."
        return undecided(name=_NAME, method=Method.EXACT, because=many)
    joined = None
    if claim.relation.pairs is Pairs.EDGES:
        if not hasattr(mechanism, "graph"):
            return undecided(name=_NAME, method=Method.EXACT, because="Which words are joined is not known.")
        joined = np.zeros((table.inputs, table.inputs), dtype=bool)
        first, second = mechanism.graph.edges.T
        joined[first, second] = joined[second, first] = True
    worst = _Worst(claim)
    blocks = _blocks(table.inputs)
    for ids in blocks:
        rows = table.rows(ids)
        if not np.allclose(rows.sum(axis=1), 1, rtol=0, atol=_ROW_SUM) or not (rows >= 0).all():
            return undecided(name=_NAME, method=Method.EXACT, because="The rows are no laws: not all sum to 1.")
        for others in blocks:
            covered = None if joined is None else joined[np.ix_(ids, others)]
            worst.look(table, ids, rows, others, covered)
    return worst.finding(table)


def table_of(mechanism: Any, claim: Guarantee) -> Table | None:
    """Return the law of a mechanism as a table, if it has one, with the distances that the claim counts."""
    vocabulary = getattr(mechanism, "vocabulary", None)
    if vocabulary is not None and hasattr(mechanism, "transition_rows"):

        def between(ids: Ids, others: Ids) -> Floats:
            points = (vocabulary.points[each].astype(np.float64) for each in (ids, others))
            return np.asarray(vocabulary.space.distances(*points))

        by_place = claim.relation.pairs in (Pairs.METRIC, Pairs.WITHIN)
        distances = between if by_place else _apart
        return Table(len(vocabulary), mechanism.transition_rows, distances, lambda place: vocabulary.words[place])
    if not hasattr(mechanism, "transition_matrix"):
        return None
    matrix = np.asarray(mechanism.transition_matrix(), dtype=np.float64)
    return Table(len(matrix), lambda ids: np.asarray(matrix[ids]), _apart, int)


def _apart(ids: Ids, others: Ids) -> Floats:
    """Inputs without a place are just different, or the same."""
    return np.asarray(ids[:, None] != others[None], dtype=np.float64)


class _Worst:
    """The pair that needs the largest epsilon, or, where a delta is claimed, that has the largest delta."""

    def __init__(self, claim: Guarantee) -> None:
        self._claim = claim
        self._most, self._pair, self._output = -1.0, (0, 0), 0

    def look(self, table: Table, ids: Ids, rows: Floats, others: Ids, covered: NDArray[np.bool_] | None) -> None:
        """Look at the pairs of one block, the rows of `ids` being the truth."""
        distances = table.distances(ids, others)
        claimed = claimed_losses(self._claim, distances)
        skipped = np.isinf(claimed) | (ids[:, None] == others[None])
        if covered is not None:
            skipped |= ~covered
        other_rows = table.rows(others)
        if self._claim.delta:
            values, outputs = np.empty(distances.shape), np.zeros(distances.shape, np.int64)
            _escaping(rows, other_rows, np.exp(np.where(skipped, 0.0, np.minimum(claimed, _LARGEST_LOSS))), values)
        else:
            losses, outputs = np.empty(distances.shape), np.empty(distances.shape, np.int64)
            _largest_ratios(_logs(rows), _logs(other_rows), losses, outputs)
            losses[losses > -_IMPOSSIBLE / 2] = np.inf
            values = epsilons_for(self._claim, losses, distances)
        values[skipped] = -1.0
        i, j = np.unravel_index(int(values.argmax()), values.shape)
        if values[i, j] > self._most:
            self._most, self._pair = float(values[i, j]), (int(ids[i]), int(others[j]))
            self._output = int(outputs[i, j])

    def _output_of(self, table: Table, outputs: int) -> str:
        """Outputs are called by the names of inputs where there are as many of them."""
        named = repr(table.names(self._output)) if outputs == table.inputs else f"numbered {self._output}"
        return f"the output {named}"

    def finding(self, table: Table) -> Finding:
        """Say what was found."""
        claim, (first, second) = self._claim, self._pair
        because = f"Every output of all {table.inputs * (table.inputs - 1):,} ordered pairs of inputs was looked at."
        if self._most < 0:
            return conclude(claim, name=_NAME, method=Method.EXACT, bound=0.0, because="No pair is covered at all.")
        ids = np.array([first, second])
        distance = float(table.distances(ids[:1], ids[1:])[0, 0])
        rows = table.rows(ids)
        if claim.delta:
            escaped, loss, event = self._most, least_loss(claim.delta, rows), "all outputs whose ratio passes it"
        else:
            escaped, loss, event = None, _largest_loss(rows), self._output_of(table, rows.shape[1])
        bound = epsilon_for(claim, loss, distance)
        pair = (table.names(first), table.names(second))
        witness = Witness(pair=pair, event=event, distance=distance, loss=loss, claimed=claim.loss(distance))
        return conclude(
            claim, name=_NAME, method=Method.EXACT, bound=bound, because=because, witness=witness, escaped=escaped
        )


def least_loss(delta: float, rows: Floats) -> float:
    """Return the least loss for which delta is enough between two rows, in this direction."""

    def escapes(loss: float) -> bool:
        return float(np.maximum(0.0, rows[0] - math.exp(loss) * rows[1]).sum()) > delta

    low, high = 0.0, 1.0
    while escapes(high):
        high *= 2
        if high > _LARGEST_LOSS:
            return math.inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if escapes(middle) else (low, middle)
    return high


def _largest_loss(rows: Floats) -> float:
    logs = _logs(rows)
    loss = float((logs[0] - logs[1]).max())
    return loss if loss < -_IMPOSSIBLE / 2 else math.inf


def _blocks(count: int) -> list[Ids]:
    height = max(1, _ENTRIES // count)
    return [np.arange(start, min(start + height, count)) for start in range(0, count, height)]


def _logs(rows: Floats) -> Floats:
    return np.log(rows, out=np.full(rows.shape, _IMPOSSIBLE), where=rows > 0)


@compiled_reduction
def _largest_ratios(logs, other_logs, losses, outputs):  # type: ignore[no-untyped-def]
    for i in range(logs.shape[0]):
        for j in range(other_logs.shape[0]):
            best = _IMPOSSIBLE
            for y in range(logs.shape[1]):
                best = max(best, logs[i, y] - other_logs[j, y])
            losses[i, j], outputs[i, j] = best, 0
            for y in range(logs.shape[1]):
                if logs[i, y] - other_logs[j, y] == best:
                    outputs[i, j] = y
                    break


@compiled_reduction
def _escaping(rows, other_rows, factors, escaping):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        for j in range(other_rows.shape[0]):
            total = 0.0
            for y in range(rows.shape[1]):
                total += max(0.0, rows[i, y] - factors[i, j] * other_rows[j, y])
            escaping[i, j] = total
