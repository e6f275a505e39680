"""What breaks privacy around the noise: checks that can accuse, and never certify.

Each check says what it found, with the chance that it accuses a correct mechanism. These chances add up to alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from textveil.auditing.report import Finding
from textveil.auditing.surroundings.chances import Dice
from textveil.auditing.surroundings.equal import equal_words
from textveil.auditing.surroundings.excluded import left_out
from textveil.auditing.surroundings.fixed import fixed_outputs
from textveil.auditing.surroundings.layout import layout
from textveil.auditing.surroundings.repeated import Factory, repeated_noise
from textveil.auditing.surroundings.shared import shared_noise
from textveil.auditing.surroundings.subject import Distance, Subject, subject_of
from textveil.auditing.surroundings.support import last_digits
from textveil.auditing.surroundings.timing import timing as time_of_release
from textveil.auditing.surroundings.unchanged import unchanged
from textveil.auditing.surroundings.unknown import unknown_words
from textveil.auditing.values import require_answers
from textveil.errors import require_count, require_positive, require_probability
from textveil.guarantees import Guarantee, Pairs
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource

__all__ = ["check_surroundings"]


def check_surroundings(
    subject: Any,
    inputs: Sequence[Any],
    *,
    alpha: float = 0.01,
    claim: Guarantee | None = None,
    factory: Factory | None = None,
    distance: Distance | None = None,
    samples: int = 400,
    digits: bool | None = None,
    processes: bool = False,
    timing: bool = False,
    source: RandomSource | None = None,
) -> list[Finding]:
    """Look for what breaks privacy around the noise.

    Parameters
    ----------
    subject : a mechanism, or a function that takes one input a call
    inputs : at least two public inputs: vectors, matrices, words, texts or lists of words
    alpha : the chance that a correct mechanism is accused by any of the checks
    claim : what is promised; a mechanism brings its own
    factory : makes the subject anew for an epsilon, so that two of them can be compared
    distance : of two inputs in the metric of the claim, where it is not a plain one
    samples : how many outputs a check draws of an input
    digits : whether last digits that tell inputs apart break the promise. By default those of a mechanism do, whose
        promise is about floats; of a function they are reported only
    processes : whether to start other processes, and compare the noise of forked workers and of new ones
    timing : whether to look at the clock, too
    source : where a mechanism's noise and the checks' own choices come from; not a keyed one
    """
    require_positive("alpha", alpha)
    require_probability("alpha", alpha)
    require_count("samples", samples, least=20)
    dice = Dice(RandomSource.given(source))
    checked = subject_of(subject, inputs, claim=claim, distance=distance, dice=dice)
    if not isinstance(subject, Mechanism):
        require_answers(checked.draw(checked.inputs))
    accuse = isinstance(subject, Mechanism) if digits is None else digits
    checks: list[Callable[[Subject, float], Finding | None]] = [
        unknown_words,
        lambda one, share: unchanged(one, share, samples),
        lambda one, share: fixed_outputs(one, share, samples),
        shared_noise,
        lambda one, share: last_digits(one, share, samples, accuse=accuse),
        lambda one, share: left_out(one, share, samples),
        lambda one, share: equal_words(one, share, samples),
        layout,
    ]
    if timing:
        checks.append(lambda one, share: time_of_release(one, share, samples))
    share = alpha / (len(checks) + 1)
    found = [finding for check in checks if (finding := check(checked, share)) is not None]
    found += repeated_noise(subject, checked, share, factory=factory, processes=processes)
    if checked.claim.relation.pairs is not Pairs.METRIC:
        return found
    return [_by_distance(finding, checked.claim.epsilon) for finding in found]


def _by_distance(finding: Finding, epsilon: float) -> Finding:
    """Give the bound of a claim by distance per unit of it: the epsilon that would have allowed the loss shown."""
    witness = finding.witness
    if witness is None or not witness.claimed >= 0:
        return replace(finding, bound=math.nan)
    return replace(finding, bound=epsilon * witness.loss / witness.claimed if witness.claimed else math.inf)
