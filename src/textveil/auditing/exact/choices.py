"""Exact audits of choices among public candidates: the law depends on the private input through few numbers only.

PublicResponse: through the set of near candidates, so that its loss is that of a candidate in one set and not in the
other. DeepCandidate: through whole scores, each of which an exchange of one sentence moves by at most some steps. In
both its laws a candidate's chance rises with its own score and falls with the others', so that the worst neighbour
lowers it and raises all others; and adding a number to all scores changes nothing. So it is enough to lower one score,
by twice the steps.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.promises import conclude, exceeds, undecided
from textveil.auditing.report import Finding, Method, Witness
from textveil.guarantees import Guarantee, Pairs, Unit
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.documents import MOST_SENTENCES
from textveil.mechanisms.public_response import PublicResponse

Floats = NDArray[np.float64]

_NEAR = "the chances of near and other candidates"
_SCORES = "the law of the choice over all scores"
_DECIMALS = 40
_MOST_LOOKED_AT = 64


def public_response(mechanism: PublicResponse, claim: Guarantee) -> Finding | None:
    """Compare a claim with the exact chances of near and of other candidates."""
    if claim.relation.pairs is not Pairs.ANY:
        return None
    near, count = mechanism.near, len(mechanism.candidates)
    # The coin is flipped with the digits of a chance between these two.
    ratios = [1 + chance * count / (near * (1 - chance)) for chance in mechanism._chance(_DECIMALS)]
    bound = max(_log(ratio) for ratio in ratios)
    because = (
        f"Each of the {near:,} near candidates is the same factor likelier than each of the {count - near:,} others, "
        "whatever the vector; the factor was computed from the coin that is flipped, in whole numbers."
    )
    witness = _candidates_apart(mechanism, claim, bound)
    if witness is None and exceeds(bound, claim.epsilon):
        told = f"{because} But no two vectors were found that have different near candidates."
        return undecided(name=_NEAR, method=Method.EXACT, because=told, bound=bound)
    return conclude(claim, name=_NEAR, method=Method.EXACT, bound=bound, because=because, witness=witness)


def candidate_choice(mechanism: DeepCandidate, claim: Guarantee) -> Finding | None:
    """Compare a claim about one sentence with the worst that an exchange of it can do to the law of the choice."""
    if claim.unit is not Unit.SENTENCE or claim.relation.pairs is not Pairs.ANY:
        return None
    count, steps = len(mechanism.candidates), mechanism._scores.steps
    fall = float(2 * steps * mechanism._rate)
    if count == 1:
        bound = 0.0
    elif mechanism.choose == "exponential":
        bound = exponential_loss(fall, count, most=fall * MOST_SENTENCES / 2)
    else:
        bound = flip_loss(fall)
    because = (
        f"An exchange of one sentence moves each of {count:,} scores by at most {steps} "
        f"(docs/mechanisms/deep-candidate.md); the worst such move of the {mechanism.choose} law was computed."
    )
    if exceeds(bound, claim.epsilon):
        told = f"{because} It is {bound:.7g}; whether two documents have these scores is not known."
        return undecided(name=_SCORES, method=Method.EXACT, because=told, bound=bound)
    return conclude(claim, name=_SCORES, method=Method.EXACT, bound=bound, because=because)


def exponential_loss(fall: float, count: int, *, most: float) -> float:
    """Return the largest loss of the exponential law when one of `count` scores falls.

    With s the weight of the others in units of the candidate's own, its chance is 1 / (1 + s) before and
    1 / (1 + s e^fall) after. The ratio grows with s, so the others are all at the top and the candidate at the bottom.

    Parameters
    ----------
    fall : how far the score falls, and `most` by how much two scores can differ, both times the rate
    """
    own_share = math.exp(-float(np.logaddexp(0.0, math.log(count - 1) + most)))
    return fall + math.log1p(math.expm1(-fall) * own_share)


def flip_loss(fall: float) -> float:
    """Return the largest loss of permute-and-flip when one score falls by so much, times the rate.

    If another candidate is as good as the best before, then only the candidate's own coin changes, from
    e^(-gap) to e^(-gap - fall), and its chance is proportional to that: the loss is the fall. If it is the only
    best one the loss is not larger (McKenna and Sheldon 2020; docs/mechanisms/deep-candidate.md, claim 2).
    """
    return fall


def _candidates_apart(mechanism: PublicResponse, claim: Guarantee, bound: float) -> Witness | None:
    """Find two candidates that, as private vectors, have different near ones."""
    vectors = mechanism.candidates.vectors[:_MOST_LOOKED_AT].astype(np.float64)
    rows = mechanism.transition_rows(vectors)
    for other in range(1, len(rows)):
        output = int(np.argmax(rows[0] - rows[other]))
        if rows[0, output] > rows[other, output]:
            return Witness(
                pair=("the vector of candidate 0", f"the vector of candidate {other}"),
                event=f"the release of candidate {output}",
                distance=float(np.linalg.norm(vectors[0] - vectors[other])),
                loss=bound,
                claimed=claim.loss(1.0),
            )
    return None


def _log(ratio: Fraction) -> float:
    """Logarithm of a fraction of at least 1, in float64 to the last digits, however large it is."""
    excess = ratio - 1
    if excess < 1:
        return math.log1p(float(excess))
    shift = max(0, ratio.numerator.bit_length() - ratio.denominator.bit_length())
    return math.log(float(ratio / 2**shift)) + shift * math.log(2)
