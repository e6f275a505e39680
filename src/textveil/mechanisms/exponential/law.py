"""The law of word -> word: which weights each word gives to the others.

    P[y | x]  ~  a(y) exp(-rate min(d(x,y), radius)) b(x)^[y != x]

with a = b = 1 for the exponential mechanism (T7, T8); a may be given, or favour general words (`weighting`); for the
tight form (T9, T15) a and b come from the covering programme. Weights become integers (8.4) when a row is made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.immutable import Immutable, read_only
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import diameter_bound, distances_to_all, steepest_pairs

Floats = NDArray[np.float64]

# The smallest weight must keep 2^-46 relative precision in 127 bits shared by up to 2^17 words: e^-44.
DEEPEST = 44.0
# The weights of outputs of a tight law reach down to a thousandth of the largest, which takes some of that room.
DEEPEST_IF_TIGHT = 34.0
# General weights leave rates little above epsilon / 2, so that there is some room left.
DEEPEST_IF_GENERAL = 49.0
# Rounding of the weights, of the normalisers and of exact distances, in nats, for any pair (SPEC 8.4).
ROUNDING = 2.0**-40
ROUNDING_WORDS = 2**19
# The radius at which a truncated law is sparse: measured in docs/choosing.md.
_NEIGHBOURHOOD = 1 / 128
_RADIUS_SAMPLE = 64
_NO_WEIGHTS = read_only(np.empty(0))


@dataclass(frozen=True)
class Law(Immutable):
    """A word -> word law with the loss that was certified for it over all pairs."""

    rate: float
    radius: float
    loss: float
    certified: bool
    output_weights: Floats | None = None
    row_boosts: Floats | None = None
    log_normalisers: Floats | None = None
    kept: float | None = None
    most_kept: float | None = None

    @property
    def weights(self) -> Floats:
        """a(y), empty if all are 1."""
        return _NO_WEIGHTS if self.output_weights is None else self.output_weights

    @property
    def is_weighted(self) -> bool:
        """Whether the weights of outputs are the same in all rows, so that what is far is shared by them alone."""
        return self.output_weights is not None and self.row_boosts is None

    def boost(self, word: int) -> float:
        """b(x)."""
        return 1.0 if self.row_boosts is None else float(self.row_boosts[word])


def rounding_slack(vocabulary: Vocabulary, *, weighted: bool = False) -> float:
    """Bound what computing in floats adds to the loss of any pair, in nats."""
    growth = max(1.0, len(vocabulary) / ROUNDING_WORDS)
    moves = 8 if weighted else 4
    return growth * ROUNDING + moves * DEEPEST * vocabulary.space.relative_error(vocabulary.points)


def kept_share(log_normalisers: Floats, weights: Floats | None = None) -> Floats:
    """Return the mean over words of P[x|x] = a(x) / Z(x), for each row of normalisers."""
    own = 0.0 if weights is None else np.log(weights)
    share: Floats = np.exp(own - log_normalisers).mean(axis=-1)
    return share


def truncation_radius(vocabulary: Vocabulary, epsilon: float, radius: float | None, *, depth: float = DEEPEST) -> float:
    """Return where the law is cut off: the radius asked for, or where weights would underflow; inf if nowhere."""
    # In quarters of an octave, so that the radius stays the same while epsilon is searched for.
    deepest = 2.0 ** min(math.floor(4 * (math.log2(depth) - math.log2(epsilon))) / 4, 1000.0)
    cut = math.inf if radius is None else radius
    found = cut if min(cut, diameter_bound(vocabulary)) <= deepest else deepest
    if found < vocabulary.step:
        raise InvalidInputError(
            f"distances would be cut off at {found:.3g}, below the vocabulary's step {vocabulary.step:.2g}: "
            "give a larger radius or a smaller epsilon"
        )
    return found


def neighbourhood_radius(vocabulary: Vocabulary) -> float:
    """Return the distance within which a word has 1 in 128 of the vocabulary, in the mean over 64 of its words."""
    chosen = np.linspace(0, len(vocabulary) - 1, min(_RADIUS_SAMPLE, len(vocabulary))).astype(np.int64)
    rank = max(1, round(len(vocabulary) * _NEIGHBOURHOOD))
    distances = distances_to_all(vocabulary, chosen)
    radius = float(np.partition(distances, rank, axis=1)[:, rank].mean())
    # Two digits: nobody wants a radius of 4.497213.
    return max(round(radius, 2), vocabulary.step)


def steepest_rate(vocabulary: Vocabulary, epsilon: float, radius: float, weights: Floats) -> float:
    """Return the largest rate, up to epsilon, at which the rarest output keeps its digits in integers of 127 bits.

    P[y | x] >= a(y) exp(-rate radius) / sum a, which must not be below e^-44 / 2^19.
    """
    reach = min(radius, diameter_bound(vocabulary))
    uneven = math.log(weights.sum() / weights.min())
    room = DEEPEST + math.log(ROUNDING_WORDS) - uneven
    if room < epsilon / 2 * reach:
        raise InvalidInputError(
            f"the smallest weight is {weights.min() / weights.sum():.1e} of their sum, which leaves no digits for "
            f"distances up to {reach:.3g} at this epsilon; raise the small weights, or give a smaller radius or epsilon"
        )
    return min(epsilon, room / reach) if reach > 0 else epsilon


def uncalibrated(vocabulary: Vocabulary, epsilon: float, radius: float, weights: Floats | None = None) -> Law:
    """Return the law at half of epsilon: private for every vocabulary, without looking at any pair.

    Lip(ln Z) <= rate, so the loss is at most 2 rate d plus the rounding, and distinct points of the
    lattice are at least one step apart in Euclidean distance. In another space the least distance is looked for.
    At a rate of 0, which a tiny epsilon gives, all rows are the same integers, and nothing is lost.
    """
    slack = rounding_slack(vocabulary, weighted=weights is not None)
    if weights is not None:
        # Its rate is allowed wherever any is; weights without digits are refused here.
        steepest_rate(vocabulary, epsilon, radius, weights)
    cost = slack / vocabulary.step
    if not isinstance(vocabulary.space, Euclidean):
        nearest = steepest_pairs(vocabulary, np.zeros((1, len(vocabulary))), radius=radius, slack=slack)
        cost = float(nearest.slope[0])
        if cost >= epsilon:
            _refuse_as_too_near(vocabulary, int(nearest.first[0]), int(nearest.second[0]), cost)
    rate = max(0.0, (epsilon - cost) / 2)
    return Law(rate=rate, radius=radius, loss=epsilon, certified=False, output_weights=weights)


def _refuse_as_too_near(vocabulary: Vocabulary, first: int, second: int, cost: float) -> None:
    raise InvalidInputError(
        f"{vocabulary.words[first]!r} and {vocabulary.words[second]!r} are so near to each other, yet not the same "
        f"point, that rounding alone costs them {cost:.3g} for a unit of distance: give them the same vector, leave "
        "one out, or give an epsilon well above that"
    )
