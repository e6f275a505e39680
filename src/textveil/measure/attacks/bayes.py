"""What an attacker can do at best (T17): exact where the law is known, and bounded by the guarantee alone.

Proof: docs/measuring.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.guarantees import Guarantee, Status
from textveil.measure.passes import KnownLaw, checked_prior, over_inputs
from textveil.mechanisms.words import WordMechanism
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Attack:
    """How often the best attacker names the word, from the word that comes out and what was known before.

    Parameters
    ----------
    blind : without seeing anything: the largest prior
    success : of the best attack on this law, exactly; None where the law is not known
    bound : no attack on any mechanism with this guarantee does better; None where the guarantee gives no bound
    """

    blind: float
    success: float | None
    bound: float | None

    def __str__(self) -> str:
        parts = [f"the best blind guess is right with chance {_percent(self.blind)}"]
        if self.success is not None:
            parts.append(f"the best attack on this law with {_percent(self.success)}")
        if self.bound is not None and self.bound < 1:
            parts.append(f"no attack on any law with this guarantee passes {_percent(self.bound)}")
        else:
            parts.append("the guarantee alone does not exclude that one is always right")
        return "; ".join(parts) + "."


def best_attack(mechanism: WordMechanism, *, prior: Floats | None = None) -> Attack:
    """Return what the Bayes-optimal attacker achieves: sum over outputs y of the largest prior(x) P[y | x].

    Parameters
    ----------
    mechanism : takes words of a vocabulary
    prior : what the attacker knows of each word before; all the same if left out
    """
    chances = checked_prior(prior, len(mechanism.vocabulary))
    success = None
    if isinstance(mechanism, KnownLaw):
        success = float(over_inputs(mechanism, runs=1, prior=chances).most.sum())
    return Attack(float(chances.max()), success, bound_of(mechanism, chances))


def bound_of(mechanism: WordMechanism, prior: Floats) -> float | None:
    """Bound every attack by the guarantee: the least over some words x' of max_x prior(x) e^loss(x, x').

    Any x' gives a bound; the unknown word, near the middle of the table, and the likeliest word are tried.
    """
    if not is_pointwise(mechanism.guarantee):
        return None
    centres = np.unique([mechanism.vocabulary.unknown_id, int(prior.argmax())])
    losses = losses_at(mechanism.guarantee, distances_to_all(mechanism.vocabulary, centres))
    with np.errstate(divide="ignore"):
        exponents = (losses + np.log(prior)).max(axis=1)
    return math.exp(min(0.0, float(exponents.min())))


def is_pointwise(guarantee: Guarantee) -> bool:
    """Whether the bound holds for every single output: no delta, no slack, and not refuted."""
    return guarantee.delta == 0 and guarantee.slack == 0 and guarantee.status is not Status.REFUTED


def losses_at(guarantee: Guarantee, distances: Floats) -> Floats:
    """Return the loss claimed at each distance."""
    flat, places = np.unique(distances, return_inverse=True)
    losses = np.array([guarantee.loss(float(distance)) for distance in flat])
    return losses[places].reshape(distances.shape)


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
