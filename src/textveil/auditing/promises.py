"""What a promise allows: the epsilon that a loss needs, and the conclusion when it has more, or less, than that.

A law is read in float64: a loss or a delta that passes the claim by less than 1e-9 of it counts as kept.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.guarantees import Guarantee, Pairs, Status, rounded_down, rounded_up

Floats = NDArray[np.float64]

TOLERANCE = 1e-9
# A loss, or a probability, that float64 can't tell from nothing.
_NOTHING = 1e-12


def epsilon_for(claim: Guarantee, loss: float, distance: float) -> float:
    """Return the least epsilon with which the claim would allow this loss between inputs at this distance."""
    return float(epsilons_for(claim, np.array([loss]), np.array([distance]))[0])


def epsilons_for(claim: Guarantee, losses: Floats, distances: Floats) -> Floats:
    """Return the same for many pairs. Inputs at distance 0 are promised the same law."""
    if claim.relation.pairs is Pairs.METRIC:
        losses = losses - claim.offset * (distances > 0)
        counted = (claim.relation.rounding + np.minimum(distances, radius_of(claim))) * (distances > 0)
    else:
        counted = (distances > 0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(losses > _NOTHING, losses / counted, 0.0)


def claimed_losses(claim: Guarantee, distances: Floats) -> Floats:
    """Return the loss that is claimed at each distance, inf for no promise: `claim.loss` for many pairs."""
    if claim.relation.pairs is Pairs.METRIC:
        counted = claim.relation.rounding + np.minimum(distances, radius_of(claim))
        losses = claim.epsilon * counted + claim.offset
        limit = claim.relation.largest_loss
        losses = losses if limit is None else np.where(losses <= limit, losses, np.inf)
    else:
        losses = np.where(distances <= farthest(claim), claim.epsilon, np.inf)
    return np.where(distances > 0, losses, 0.0)


def radius_of(claim: Guarantee) -> float:
    """Return the distance at which the loss of a METRIC claim stops growing: inf for nowhere."""
    return math.inf if claim.relation.radius is None else claim.relation.radius


def farthest(claim: Guarantee) -> float:
    """Return the largest distance of two inputs that are promised anything."""
    if claim.relation.pairs is Pairs.WITHIN:
        return claim.relation.radius or 0.0
    limit = claim.relation.largest_loss
    if claim.relation.pairs is not Pairs.METRIC or limit is None or claim.loss(radius_of(claim)) <= limit:
        return math.inf
    return max(0.0, (limit - claim.offset) / claim.epsilon - claim.relation.rounding)


def exceeds(value: float, allowed: float) -> bool:
    """Whether a number passes the one that was claimed by more than it is read to."""
    return value > allowed * (1 + TOLERANCE)


def conclude(
    claim: Guarantee,
    *,
    name: str,
    method: Method,
    bound: float,
    because: str,
    witness: Witness | None = None,
    escaped: float | None = None,
    mu: float | None = None,
    caveat: str = "",
) -> Finding:
    """Compare what was computed with what was claimed.

    Parameters
    ----------
    claim : the promise
    name, method, witness : of the finding
    bound : the true epsilon, in the unit of the claim
    because : a sentence that says where it comes from
    escaped : the true delta at the epsilon claimed, where the loss passes it; None if it was not computed
    mu : how telling the noise is for a unit of distance, if it is Gaussian: a claim of mu holds only where it is known
    caveat : what was not computed, or why what is sampled may have another law; then nothing is said to hold
    """
    passes = exceeds(bound, claim.epsilon)
    broken = passes and (claim.delta == 0 or (escaped is not None and exceeds(escaped, claim.delta)))
    if passes and not broken and escaped is None:
        caveat = caveat or "how much passes the epsilon claimed was not computed"
    if claim.mu is not None and (mu is None or exceeds(mu, claim.mu)):
        caveat = caveat or "the mu that was claimed is not known to be enough"
    verdict = Verdict.VIOLATED if broken else Verdict.NOT_CERTIFIABLE if caveat else Verdict.HOLDS
    told = [because, _comparison(claim, bound, escaped, broken=broken)]
    if caveat and not broken:
        told.append(f"It is not certified: {caveat}.")
    if claim.status is Status.REFUTED and not broken:
        told.append("The claim is marked refuted for another reason: see its guarantee.")
    return Finding(
        name=name,
        method=method,
        verdict=verdict,
        explanation=" ".join(told),
        bound=bound,
        witness=witness,
    )


def undecided(*, name: str, method: Method, because: str, **more: Any) -> Finding:
    """Say why nothing can be concluded."""
    return Finding(name=name, method=method, verdict=Verdict.NOT_CERTIFIABLE, explanation=because, **more)


def _comparison(claim: Guarantee, bound: float, escaped: float | None, *, broken: bool) -> str:
    claimed = f"{claim.epsilon:.7g}" + (f" with delta {claim.delta:.3g}" if claim.delta else "")
    if broken:
        delta = f"; delta at the epsilon claimed is {rounded_down(escaped, 3)}" if escaped else ""
        return f"The true epsilon is {rounded_down(bound, 7)}, above the {claimed} that was claimed{delta}."
    if exceeds(bound, claim.epsilon):
        delta = "" if escaped is None else f", and the delta found at that epsilon is {rounded_up(escaped, 3)}"
        return f"Without a delta the true epsilon is {rounded_up(bound, 7)}; {claimed} was claimed{delta}."
    return f"The true epsilon is at most {rounded_up(bound, 7)}, within the {claimed} that was claimed."
