"""Texts that show which of their words are the same, as one replacement for each distinct word does."""

from __future__ import annotations

import itertools
from typing import Any

from textveil.auditing.report import Finding
from textveil.auditing.revealed import Shown
from textveil.auditing.surroundings.comparing import Counts
from textveil.auditing.surroundings.guessing import accused_if
from textveil.auditing.surroundings.subject import Kind, Subject
from textveil.auditing.units import is_words


def equal_words(subject: Subject, alpha: float, samples: int) -> Finding | None:
    """Compare how often "a a" and "a b" come out as one word twice."""
    as_list = subject.kind is Kind.OTHER and all(is_words(one) for one in subject.inputs)
    if not (as_list or subject.kind is Kind.TEXT) or subject.reveals(Shown.SAME_WORDS):
        return None
    words = sorted({word for one in subject.inputs for word in (one if as_list else one.split())})
    pairs = [([a, a], [a, b]) for a, b in itertools.permutations(words, 2)]
    inputs = pairs if as_list else [(" ".join(same), " ".join(other)) for same, other in pairs]
    if not inputs:
        return None
    same, other = min(inputs, key=lambda pair: subject.promised(*pair).at_most)
    promised = subject.promised(same, other)
    outputs = subject.attempt([same] * samples), subject.attempt([other] * samples)
    if outputs[0] is None or outputs[1] is None:
        return None
    counts = Counts(sum(map(_is_twice, outputs[0])), sum(map(_is_twice, outputs[1])), samples)
    return accused_if(
        counts.least_loss(promised.delta, alpha),
        promised,
        name="which words are the same",
        alpha=alpha,
        samples=2 * samples,
        pair=(same, other),
        event="the two words that come out are the same",
        accusation="A text shows where it has the same word again, which the promise neither allows nor names. Draw "
        "anew for each position, or say that it is revealed.",
        otherwise="That words came out the same did not show that they went in so.",
    )


def _is_twice(output: Any) -> bool:
    words = output.split() if isinstance(output, str) else list(output) if is_words(output) else []
    return len(words) == 2 and words[0].lower() == words[1].lower()
