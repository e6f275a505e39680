"""Inputs left out of what may come out of them: whoever looks at the input after the noise gives it away."""

from __future__ import annotations

import math
from collections import Counter

from textveil.auditing.report import Finding
from textveil.auditing.surroundings.comparing import Counts
from textveil.auditing.surroundings.guessing import accused_if
from textveil.auditing.surroundings.subject import Kind, Subject


def left_out(subject: Subject, alpha: float, samples: int) -> Finding | None:
    """Take the commonest other output of an input as an input itself, and see whether it still comes out."""
    if subject.kind not in (Kind.WORD, Kind.TEXT):
        return None
    tries = samples // len(subject.inputs) + 1
    seen = Counter((x, y) for x in subject.inputs for y in subject.draw([x] * tries) if isinstance(y, str) and y != x)
    covered = [pair for pair, _ in seen.most_common() if math.isfinite(subject.promised(*pair).loss)]
    if not covered:
        return None
    x, y = covered[0]
    promised = subject.promised(x, y)
    of_itself = subject.attempt([y] * samples)
    if of_itself is None:
        return None
    counts = Counts(subject.draw([x] * samples).count(y), of_itself.count(y), samples)
    return accused_if(
        counts.least_loss(promised.delta, alpha),
        promised,
        name="inputs left out of their own outputs",
        alpha=alpha,
        samples=3 * samples,
        pair=(x, y),
        event=f"the output is {y!r}",
        accusation=f"{y!r} comes out of {x!r} far oftener than out of itself: what is released was compared with the "
        "input after the noise.",
        otherwise="No input was seen to be left out of its own outputs.",
    )
