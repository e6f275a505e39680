"""An attacker who knows that it was one of two words, both as likely, and sees what came out.

The best guess is the word under which the output is likelier; it is right with chance sum_y max(P[y|x], P[y|x']) / 2.
A loss of at most l between the two keeps every attack at or below 1 / (1 + e^-l). Proof: docs/comparing.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.measure.passes import blocks_of
from textveil.mechanisms.exponential import Exponential

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def pair_attack(law: Exponential, first: Ids, second: Ids) -> Floats:
    """Return with which chance the best attack tells each of the first words from the second of its pair."""
    success = np.empty(len(first))
    for places in blocks_of(np.arange(len(first)), len(law.vocabulary)):
        rows = law.transition_rows(first[places])
        success[places] = np.maximum(rows, law.transition_rows(second[places])).sum(axis=1) / 2
    return success


def pair_bound(loss: float) -> float:
    """Return what no attack on a pair passes if the loss between the two is at most this, without a delta."""
    return float(1 / (1 + np.exp(-loss)))
