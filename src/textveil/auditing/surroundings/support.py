"""The last digits of a released vector, which may tell what went in.

A float has 53 digits wherever its point stands, so a float sum x + z keeps finer digits of z the smaller x + z is, and
which digits can occur depends on x (Mironov 2012; Haney et al. 2022). Noise on a lattice has no such digits.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.report import Finding, Verdict
from textveil.auditing.surroundings.comparing import Counts
from textveil.auditing.surroundings.guessing import accused_if
from textveil.auditing.surroundings.subject import Kind, Subject
from textveil.auditing.values import plain
from textveil.guarantees import Status

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NO_DIGITS = 5000
_MOST_INPUTS = 3


def last_digits(subject: Subject, alpha: float, samples: int, *, accuse: bool) -> Finding | None:
    """Compare the place of the last digit that is not 0, for the inputs and for the zero vector."""
    if subject.kind is not Kind.VECTOR or _is_ideal(subject):
        return None
    inputs = [np.zeros_like(subject.inputs[0]), *subject.inputs[:_MOST_INPUTS]]
    drawn = [(x, places) for x in inputs if (places := _places(subject, x, 2 * samples)) is not None]
    chosen = _most_telling(subject, [(x, places[:samples]) for x, places in drawn], alpha)
    if chosen is None:
        return None
    ours, theirs, place = chosen
    (x, x_places), (y, y_places) = drawn[ours], drawn[theirs]
    promised = subject.promised(x, y)
    counts = _counts(x_places[samples:], y_places[samples:], place)
    found = accused_if(
        counts.least_loss(promised.delta, alpha),
        promised,
        name="last digits of released numbers",
        alpha=alpha,
        samples=2 * samples * len(drawn),
        pair=(plain(x), plain(y)),
        event=f"a number has a digit below 2^{place}",
        accusation="Which last digits a released number can have depends on the input: noise was added in floats. "
        "Round to a lattice and add whole numbers there.",
        otherwise="The last digits of released numbers did not tell inputs apart.",
    )
    if accuse or found.verdict is not Verdict.VIOLATED:
        return found
    told = (
        f"{found.explanation} That is reported only, since a function is mostly meant for ideal arithmetic; with "
        "digits=True (--digits) it is a violation."
    )
    return replace(found, verdict=Verdict.NOT_CERTIFIABLE, explanation=told)


def lowest_places(outputs: NDArray[Any]) -> Integers:
    """Return of each row the smallest exponent e such that one of its numbers has a binary digit 2^e."""
    mantissas, exponents = np.frexp(np.asarray(outputs, dtype=np.float64))
    whole = np.abs(mantissas * 2.0**53).astype(np.int64)
    lowest = whole & -whole
    places = exponents - 53 + np.log2(np.maximum(lowest, 1)).astype(np.int64)
    rows = np.where(whole == 0, _NO_DIGITS, places).reshape(len(places), -1)
    return np.asarray(rows.min(axis=1, initial=_NO_DIGITS), dtype=np.int64)


def _most_telling(
    subject: Subject, drawn: Sequence[tuple[Floats, Integers]], alpha: float
) -> tuple[int, int, int] | None:
    """Return two inputs and a place that tell them apart best; None if none does in these outputs."""
    best, chosen = -math.inf, None
    for ours, theirs in itertools.permutations(range(len(drawn)), 2):
        (x, x_places), (y, y_places) = drawn[ours], drawn[theirs]
        promised = subject.promised(x, y)
        for place in np.unique(np.concatenate([x_places, y_places])).tolist():
            counts = _counts(x_places, y_places, place)
            gain = counts.least_loss(promised.delta, alpha) - promised.at_most
            if gain > best:
                best, chosen = gain, (ours, theirs, place)
    return chosen


def _places(subject: Subject, x: Floats, count: int) -> Integers | None:
    outputs = subject.attempt([x] * count)
    if outputs is None or not all(isinstance(one, np.ndarray) and one.dtype.kind == "f" for one in outputs):
        return None
    return lowest_places(np.stack(outputs)) if len({one.shape for one in outputs}) == 1 else None


def _counts(ours: Integers, theirs: Integers, place: int) -> Counts:
    return Counts(int((ours < place).sum()), int((theirs < place).sum()), len(ours))


def _is_ideal(subject: Subject) -> bool:
    """Whether the claim itself says, first or last, that it is made for numbers with all their digits."""
    clauses = re.split("[:;]", subject.claim.reason)
    said = {clause.strip().removeprefix("for ") for clause in (clauses[0], clauses[-1])}
    return subject.claim.status is Status.CONDITIONAL and "ideal arithmetic" in said
