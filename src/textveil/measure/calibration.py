"""Choose epsilon by what it does: nobody knows what epsilon = 2 means.

Epsilon is per unit of distance, so the same number means different things in different embeddings. A
target is something that can be seen: how many words stay, or which words are protected how well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from textveil.errors import InvalidInputError, require_positive
from textveil.measure.deniability import deniable
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import kept_share
from textveil.mechanisms.words import WordMechanism
from textveil.vocabulary.pairs import log_normalisers

Made = TypeVar("Made", bound=WordMechanism)

# The search ends within 1% of the share (or of what it leaves), or when epsilon is known to 1 in 2,000.
_TOLERANCE = 0.01
_FINEST = 5e-4
_MOST_STEPS = 40
_SAMPLES = 20_000


def calibrate(
    make: Callable[[float], Made],
    *,
    target: str = "unchanged",
    at_most: float | None = None,
    at_least: float | None = None,
    loss: float = 1.0,
    factor: float = 2.0,
    share: float = 1.0,
    start: float = 1.0,
) -> Made:
    """Return the mechanism whose epsilon reaches a target.

    Parameters
    ----------
    make : makes the mechanism from an epsilon: `lambda eps: tv.Exponential(vocabulary, epsilon=eps)`
    target : "unchanged", the mean share of the vocabulary's words that stay as they are; "radius", the
        distance within which any two words are protected with at most `loss` nats; or "deniability", how many words,
        the true one among them, the guarantee makes as plausible within a `factor`, whatever comes out
    at_most, at_least : give one; for "unchanged" a share between 0 and 1, for "radius" a distance (at_least), for
        "deniability" a number of words (at_least)
    loss : for "radius", the loss allowed between words that close; 1 nat means odds change at most e-fold
    factor, share : for "deniability", what counts as plausible, and for which share of the words; 1 for every word
    start : where the search for epsilon begins
    """
    if not callable(make):
        raise InvalidInputError(
            "make must be a function that makes the mechanism from an epsilon, such as "
            "lambda eps: tv.Exponential(vocabulary, epsilon=eps)"
        )
    if target == "radius":
        if at_least is None or at_most is not None:
            raise InvalidInputError('target="radius" needs at_least=, the distance to be protected')
        return make(require_positive("loss", loss) / require_positive("at_least", at_least))
    if target == "deniability":
        if at_least is None or at_most is not None:
            raise InvalidInputError('target="deniability" needs at_least=, the number of words to be as plausible')
        vocabulary = _of_words(make(require_positive("start", start))).vocabulary
        return deniable(make, vocabulary, words=at_least, factor=factor, share=share)
    if target != "unchanged":
        raise InvalidInputError(f'target must be "unchanged", "radius" or "deniability" (got {target!r})')
    if (at_most is None) == (at_least is None):
        raise InvalidInputError('target="unchanged" needs one of at_most= and at_least=')
    kept = at_most if at_most is not None else at_least
    if kept is None or not 0 < kept < 1:
        raise InvalidInputError(f"the share of unchanged words must be above 0 and below 1 (got {kept!r})")
    first = _of_words(make(require_positive("start", start)))
    if isinstance(first, Exponential) and first.law.certified and first.weights is None:
        # Its rate can be solved for directly; the calibration is then found in the cache by `make`.
        return make(first.keeping(kept, at_most=at_most is not None).epsilon)
    low, high = _search(make, kept, start)
    return low if at_most is not None else high


def unchanged(mechanism: WordMechanism) -> float:
    """Return the mean over the vocabulary of the chance that a word stays as it is.

    Exact where the law is known; otherwise the share of 20,000 words drawn evenly from the vocabulary.
    """
    if isinstance(mechanism, Exponential):
        law = mechanism.law
        if law.kept is not None:
            return law.kept
        logs = log_normalisers(
            mechanism.vocabulary, np.array([law.rate]), radius=law.radius, weights=law.output_weights
        )
        return float(kept_share(logs[0], law.output_weights))
    words = np.arange(_SAMPLES) % len(mechanism.vocabulary)
    return float((mechanism.release_ids(words) == words).mean())


def _of_words(made: Made) -> Made:
    if not isinstance(made, WordMechanism):
        raise InvalidInputError(
            f"calibrate looks at words, but {type(made).__name__} releases vectors: measure.vector_scale shows "
            "what an epsilon does to public vectors (docs/choosing-vectors.md, How to choose epsilon)"
        )
    return made


class _Tried(NamedTuple, Generic[Made]):
    epsilon: float
    share: float
    mechanism: Made


def _search(make: Callable[[float], Made], share: float, start: float) -> tuple[Made, Made]:
    """Return the mechanisms just below and just above the share; it grows with epsilon."""
    near = _TOLERANCE * min(share, 1 - share)
    below: _Tried[Made] | None = None
    above: _Tried[Made] | None = None
    before: _Tried[Made] | None = None
    epsilon = start
    for _ in range(_MOST_STEPS):
        made = make(epsilon)
        tried = _Tried(epsilon, unchanged(made), made)
        if tried.share <= share:
            below = tried
        else:
            above = tried
        if below and above and (above.share - below.share <= near or above.epsilon <= below.epsilon * (1 + _FINEST)):
            return below.mechanism, above.mechanism
        if above is None:
            _require_growth(tried, before, share)
            before, epsilon = tried, 2 * epsilon
        elif below is None:
            epsilon /= 2
        else:
            # The log-odds of staying grow almost in proportion to epsilon, so a straight line there comes close.
            low, high, goal = (_log_odds(value) for value in (below.share, above.share, share))
            along = (goal - low) / (high - low) if high > low else 0.5
            epsilon = below.epsilon + min(max(along, 0.05), 0.95) * (above.epsilon - below.epsilon)
    raise InvalidInputError(
        f"no epsilon up to {epsilon:.3g} leaves {share:.1%} of the words unchanged; choose another share"
    )


def _require_growth(tried: _Tried[Made], before: _Tried[Made] | None, share: float) -> None:
    """Refuse to double epsilon for ever where it no longer changes anything, though words stay by more than chance."""
    if before is not None and tried.share == before.share > 2 / len(tried.mechanism.vocabulary):
        raise InvalidInputError(
            f"no epsilon leaves {share:.1%} of the words unchanged: {tried.share:.1%} stay at {before.epsilon:.3g} and "
            "at any larger one; choose a smaller share, or leave weights out"
        )


def _log_odds(share: float) -> float:
    bounded = min(max(share, 1e-12), 1 - 1e-12)
    return math.log(bounded / (1 - bounded))
