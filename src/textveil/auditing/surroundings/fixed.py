"""Outputs that are a fixed function of the input: no noise, noise seeded by the word, outputs remembered."""

from __future__ import annotations

from collections import Counter

from textveil.auditing.report import Finding
from textveil.auditing.surroundings.comparing import Counts
from textveil.auditing.surroundings.guessing import accused_if
from textveil.auditing.surroundings.subject import Subject
from textveil.auditing.values import key_of, plain

_TRIES = 12


def fixed_outputs(subject: Subject, alpha: float, samples: int) -> Finding:
    """Find the input that repeats itself most, and see whether another ever gives the same output."""
    seen = [Counter(map(key_of, subject.draw([x] * _TRIES))).most_common(1)[0] for x in subject.inputs]
    ours = max(range(len(seen)), key=lambda number: seen[number][1])
    x, output = subject.inputs[ours], seen[ours][0]
    others = [other for number, other in enumerate(subject.inputs) if number != ours]
    y = min(others, key=lambda other: subject.promised(x, other).at_most)
    promised = subject.promised(x, y)
    hits, misses = (sum(key_of(drawn) == output for drawn in subject.draw([one] * samples)) for one in (x, y))
    return accused_if(
        Counts(hits, misses, samples).least_loss(promised.delta, alpha),
        promised,
        name="outputs that repeat for the same input",
        alpha=alpha,
        samples=2 * samples + _TRIES * len(seen),
        pair=(plain(x), plain(y)),
        event="the output is one that the first input gave before, to the last bit",
        accusation="What came out of an input once comes out of it again, to the last bit, and gives it away.",
        otherwise="What came out of an input once did not give it away later.",
    )
