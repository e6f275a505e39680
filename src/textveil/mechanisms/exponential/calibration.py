"""The largest rate whose exact loss keeps epsilon, certified over all pairs of a vocabulary (T7).

The exact loss of the law a(y) exp(-rate d)/Z, a > 0, is L(rate) = rate + max |ln Z(x) - ln Z(x')| / d(x,x'), between
rate and 2 rate. L need not be monotone, so a grid is scanned from the top; inside the last bracket
the rate is solved for on the binding pair alone and then certified over all pairs. A round costs two
passes over the distances whatever the number of rates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.mechanisms.exponential.law import Law, kept_share, rounding_slack, steepest_rate, uncalibrated
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all, log_normalisers, steepest_pairs

Floats = NDArray[np.float64]

RATES_A_ROUND = 16
ROUNDS = 3
ROUNDS_IF_SMALL = 10
SMALL = 4096
# The certificate is compared with epsilon less this share, which covers the rounding of the comparison.
_MARGIN = 1e-12
_GOOD_ENOUGH = 1e-9
# A share of kept words is met to 1 in 100 of it, or of what it leaves.
_SHARE_TOLERANCE = 0.01
_MOST_PASSES = 24


def calibrate(vocabulary: Vocabulary, epsilon: float, radius: float, weights: Floats | None = None) -> Law:
    """Return the exponential law with the largest rate found whose certified loss is at most epsilon.

    Parameters
    ----------
    weights : a(y) > 0, public; all 1 if left out
    """
    slack = rounding_slack(vocabulary, weighted=weights is not None)
    best = uncalibrated(vocabulary, epsilon, radius, weights)
    steepest = epsilon if weights is None else steepest_rate(vocabulary, epsilon, radius, weights)
    low, high = best.rate, steepest * (1 - 2 * _MARGIN)
    for _ in range(ROUNDS_IF_SMALL if len(vocabulary) <= SMALL else ROUNDS):
        rates = np.linspace(low, high, RATES_A_ROUND)
        normalisers = log_normalisers(vocabulary, rates, radius=radius, weights=weights)
        worst = steepest_pairs(vocabulary, normalisers, radius=radius, slack=slack)
        losses = rates + worst.slope
        kept = np.flatnonzero(losses <= epsilon * (1 - _MARGIN))
        if len(kept) == 0:
            break
        top = int(kept[-1])
        if rates[top] >= best.rate:
            best = Law(
                rate=float(rates[top]),
                radius=radius,
                loss=float(losses[top]),
                certified=True,
                output_weights=weights,
                log_normalisers=normalisers[top],
                kept=float(kept_share(normalisers[top], weights)),
            )
        if top == RATES_A_ROUND - 1 or best.loss >= epsilon * (1 - _GOOD_ENOUGH):
            break
        pair = (int(worst.first[top + 1]), int(worst.second[top + 1]))
        low, high = float(rates[top]), float(rates[top + 1])
        high = _solve_on_pair(vocabulary, pair, epsilon, best, slack, low, high)
    return best


def law_keeping(vocabulary: Vocabulary, share: float, radius: float, *, at_most: bool, guess: float) -> Law:
    """Return the law that keeps this share of the words in the mean, with its exact loss certified.

    The share kept is the mean of 1/Z, which grows with the rate, so the rate is found without any pair; one
    more pass certifies its loss, which is then its epsilon: all of it is used.

    Parameters
    ----------
    at_most : whether the share must not be passed, or must be reached
    guess : a rate to start from
    """
    low, high = 0.0, 2 * guess
    near = _SHARE_TOLERANCE * min(share, 1 - share)
    for _ in range(_MOST_PASSES):
        rates = np.linspace(low, high, RATES_A_ROUND)
        kept = kept_share(log_normalisers(vocabulary, rates, radius=radius))
        above = int(np.searchsorted(kept, share, side="right"))
        if above == 0:
            raise InvalidInputError(
                f"even a uniform choice keeps {100 * kept[0]:.2g}% of the words; choose a larger share than "
                f"{100 * share:.2g}%"
            )
        if above == RATES_A_ROUND:
            low, high = high, 2 * high
            continue
        low, high = float(rates[above - 1]), float(rates[above])
        if kept[above] - kept[above - 1] <= near:
            return _certified(vocabulary, low if at_most else high, radius)
    raise InvalidInputError(f"no rate up to {high:.3g} keeps {share:.2%} of the words; choose another share")


def _certified(vocabulary: Vocabulary, rate: float, radius: float) -> Law:
    normalisers = log_normalisers(vocabulary, np.array([rate]), radius=radius)
    worst = steepest_pairs(vocabulary, normalisers, radius=radius, slack=rounding_slack(vocabulary))
    return Law(
        rate=rate,
        radius=radius,
        loss=rate + float(worst.slope[0]),
        certified=True,
        log_normalisers=normalisers[0],
        kept=float(kept_share(normalisers[0])),
    )


def _solve_on_pair(
    vocabulary: Vocabulary,
    pair: tuple[int, int],
    epsilon: float,
    law: Law,
    slack: float,
    low: float,
    high: float,
) -> float:
    """Return the largest rate in the bracket at which this pair alone keeps epsilon, in a law of this form."""
    from scipy.optimize import brentq

    rows = np.minimum(distances_to_all(vocabulary, np.array(pair)), law.radius)
    weights = np.ones(len(vocabulary)) if law.output_weights is None else law.output_weights
    distance = float(rows[0, pair[1]])

    def excess(rate: float) -> float:
        first, second = np.log(np.exp(-rate * rows) @ weights)
        return rate + (abs(float(first - second)) + slack) / distance - epsilon * (1 - 2 * _MARGIN)

    if excess(low) >= 0 or excess(high) <= 0:
        return high
    root = float(brentq(excess, low, high, xtol=1e-15, rtol=1e-14))
    return root if excess(root) <= 0 else root * (1 - 1e-13)
