"""Statistics of a law that can be read: no run is made, every number is exact up to float64."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.deniability import range_around
from textveil.measure.passes import KnownLaw, Ranges, blocks_of, over_inputs

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# Outputs weighed for plausible deniability, over all words: what is counted for them must fit into memory.
_MOST_OUTPUTS = 2**22


def known_statistics(
    law: KnownLaw, ids: Ids, *, runs: int, factor: float, prior: Floats
) -> tuple[dict[str, Floats], float]:
    """Return the statistics of each word, and the success of the best attack."""
    parts, outputs, chances = [], [], []
    for block in blocks_of(ids, len(law.vocabulary)):
        rows = law.transition_rows(block)
        parts.append(_of_rows(rows, block, runs))
        for row in rows:
            seen = np.flatnonzero(row >= 1 / runs)
            # A law so flat that nothing reaches 1 / runs is judged by its likeliest outputs.
            outputs.append(seen if len(seen) else np.flatnonzero(row == row.max()))
            chances.append(row[outputs[-1]])
        if sum(map(len, outputs)) > _MOST_OUTPUTS:
            raise InvalidInputError(
                f"{len(ids):,} words with up to {runs:,} outputs each are more than can be weighed at once; "
                "measure fewer words, or give fewer runs"
            )
    low, high = range_around(np.concatenate(chances), factor)
    learnt = over_inputs(law, runs=runs, prior=prior, ranges=Ranges(np.concatenate(outputs), low, high))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    starts = np.cumsum([0, *(len(own) for own in outputs[:-1])])
    columns["inputs"] = np.array([learnt.reached[own].min() for own in outputs])
    columns["plausible"] = np.minimum.reduceat(learnt.within, starts).astype(np.float64)
    return columns, float(learnt.most.sum())


def _of_rows(rows: Floats, ids: Ids, runs: int) -> dict[str, Floats]:
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = -np.expm1(runs * np.log1p(-np.minimum(rows, 1.0)))
        surprise = np.where(rows > 0, -rows * np.log2(rows), 0.0)
    return {
        "unchanged": rows[np.arange(len(rows)), ids],
        "distinct": seen.sum(axis=1),
        "hartley": np.log2((rows > 0).sum(axis=1)),
        "min_entropy": -np.log2(rows.max(axis=1)),
        "effective": np.exp2(surprise.sum(axis=1)),
        "collision": 1 / np.square(rows).sum(axis=1),
    }
