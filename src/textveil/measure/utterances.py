"""How often an attacker finds out which utterance was rewritten (Habernal 2021, Appendix C).

The attacker has the model, the law of the noise and a list of candidates, all equally likely, one of which it was.
Knowing the released vector the best that can be done is to rank the candidates by how likely they make it; knowing the
text alone the attacker reads it as if it were an original, and ranks by distance. Under a loss of epsilon no attack,
this or another, has the right one of N candidates among its first k with a chance above k e^epsilon / N.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.mechanisms.adept import Adept
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

# What the logarithm of a density may be off by.
_ROUNDING = 1e-9


def attack_bound(epsilon: float, candidates: int, *, among: int = 1) -> float:
    """Return the largest chance, for any attack, that the right one of equally likely candidates is among the first."""
    return float(min(1.0, among / candidates * np.exp(min(epsilon, 700.0))))


def attack_success(
    mechanism: Adept,
    candidates: Sequence[str],
    chosen: Ids,
    *,
    among: Sequence[int] = (1, 10),
    knows: str = "vector",
    source: RandomSource | None = None,
) -> dict[int, float]:
    """Return how often the utterance that was rewritten is among the first k, for each k.

    Parameters
    ----------
    mechanism : its noise must have a `log_density`
    candidates : all that it could have been, different from each other
    chosen : which of them were rewritten, each once
    among : the numbers k
    knows : "vector", the released one, or "text", what was written from it
    source : where the noise comes from
    """
    if knows not in ("vector", "text"):
        raise InvalidInputError(f'knows must be "vector" or "text" (got {knows!r})')
    latents = mechanism.vectors(candidates)
    items = latents[chosen]
    noise = mechanism.mechanism
    released = noise._sample(items, RandomSource.given(source).streams(mechanism._purpose, items))
    if knows == "text":
        released = mechanism.vectors(mechanism.codec.decode(released))
    found = np.zeros(len(among))
    for vector, own in zip(released, chosen, strict=True):
        if knows == "vector":
            scores = noise.log_density(vector[None], latents)  # type: ignore[attr-defined]
        else:
            scores = -np.sum((latents - vector) ** 2, axis=1)
        found += _chances(scores, int(own), among)
    return {k: float(total) / len(chosen) for k, total in zip(among, found, strict=True)}


def farthest_pair(mechanism: Adept, candidates: Sequence[str], *, looked_at: int = 500) -> tuple[str, str]:
    """Return two of the first candidates, those with vectors farthest apart in l1, which Laplace noise counts."""
    texts = list(candidates)[:looked_at]
    latents = mechanism.vectors(texts)
    apart = np.array([np.abs(latents - vector).sum(axis=1) for vector in latents])
    first, second = np.unravel_index(int(apart.argmax()), apart.shape)
    return texts[first], texts[second]


def pair_delta(
    mechanism: Adept, pair: tuple[str, str], epsilon: float, *, draws: int = 2000, source: RandomSource | None = None
) -> float:
    """Return about the least delta with which epsilon holds for two utterances: the mean of (1 - e^(epsilon - loss))+.

    Where epsilon is kept no loss is above it, and this is 0.

    Parameters
    ----------
    mechanism : its noise must have a `log_density`
    pair : the utterances
    epsilon : the promise that is looked at
    draws : how often the first is released
    source : where the noise comes from
    """
    noise = mechanism.mechanism
    one, other = mechanism.vectors(pair)
    items = np.repeat(one[None], draws, axis=0)
    released = noise._sample(items, RandomSource.given(source).streams(mechanism._purpose, items))
    loss = noise.log_density(released, one[None]) - noise.log_density(released, other[None])  # type: ignore[attr-defined]
    return float(np.mean(np.maximum(0.0, -np.expm1(epsilon + _ROUNDING - loss))))


def _chances(scores: Floats, own: int, among: Sequence[int]) -> Floats:
    """Return the chances that one candidate is among the first k, if candidates with the same score are shuffled."""
    above = int(np.sum(scores > scores[own]))
    ties = int(np.sum(scores == scores[own]))
    return np.clip((np.array(among) - above) / ties, 0.0, 1.0)
