"""One pass over the known law of every word: what can be learnt about inputs from outputs.

Rows P[. | x] are made a block at a time and forgotten, so memory does not grow with the square of the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, over_threads
from textveil.errors import InvalidInputError
from textveil.progress import progress
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

_ENTRIES_A_BLOCK = 2**21


@runtime_checkable
class KnownLaw(Protocol):
    """A word mechanism whose law can be read."""

    vocabulary: Vocabulary

    def transition_rows(self, ids: Ids) -> Floats:
        """Return P[y | x] for some inputs x and all outputs y."""
        ...


@dataclass(frozen=True)
class Ranges:
    """For each output of a list the chances that count: inputs whose chance of it lies in [low, high]."""

    outputs: Ids
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Learnt:
    """What a pass over all inputs finds.

    Parameters
    ----------
    reached : for each output the expected number of inputs that give it in `runs` runs each
    most : for each output the largest prior(x) P[y | x]
    within : for each entry of the ranges how many inputs lie in it
    """

    reached: Floats
    most: Floats
    within: Ids


NO_RANGES = Ranges(np.empty(0, np.int64), np.empty(0), np.empty(0))


def over_inputs(law: KnownLaw, *, runs: int, prior: Floats, ranges: Ranges = NO_RANGES) -> Learnt:
    """Look at the row of every word of the vocabulary, once."""
    count = len(law.vocabulary)

    def work(ids: Ids) -> tuple[Floats, Floats, NDArray[np.int32]]:
        rows = law.transition_rows(ids)
        reached, most, within = np.zeros(count), np.zeros(count), np.zeros(len(ranges.outputs), np.int32)
        _look(rows, prior[ids], float(runs), reached, most)
        _count_within(rows, ranges.outputs, ranges.low, ranges.high, within)
        return reached, most, within

    learnt = Learnt(np.zeros(count), np.zeros(count), np.zeros(len(ranges.outputs), np.int64))
    blocks = blocks_of(np.arange(count), count)
    with progress("laws of all words", len(blocks)) as step:
        for reached, most, within in over_threads(work, blocks):
            learnt.reached[:] += reached
            np.maximum(learnt.most, most, out=learnt.most)
            learnt.within[:] += within
            step()
    return learnt


def blocks_of(ids: Ids, count: int) -> list[Ids]:
    """Cut ids into blocks whose rows of `count` numbers fit into the cache of a machine."""
    height = max(1, _ENTRIES_A_BLOCK // count)
    return [ids[start : start + height] for start in range(0, len(ids), height)]


def checked_prior(prior: Floats | None, count: int) -> Floats:
    """Return the chances of the inputs before anything is seen; all the same if left out."""
    if prior is None:
        return np.full(count, 1 / count)
    chances = np.asarray(prior, dtype=np.float64)
    if chances.shape != (count,) or not (chances >= 0).all() or not 0 < chances.sum() < np.inf:
        raise InvalidInputError(
            f"prior must be {count} finite numbers >= 0, not all zero, one for each word (got shape {chances.shape})"
        )
    shares: Floats = chances / chances.sum()
    return shares


@compiled
def _look(rows, prior, runs, reached, most):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            chance = rows[i, j]
            reached[j] += 1.0 if chance >= 1.0 else -np.expm1(runs * np.log1p(-chance))
            most[j] = max(most[j], prior[i] * chance)


@compiled
def _count_within(rows, outputs, low, high, within):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        for k in range(outputs.size):
            chance = rows[i, outputs[k]]
            within[k] += low[k] <= chance <= high[k]
