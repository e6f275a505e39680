"""Inputs that come out unchanged more often than their promise allows."""

from __future__ import annotations

import math

import numpy as np

from textveil.auditing.report import Finding
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Kind, Subject
from textveil.auditing.values import key_of, plain

_BITS = 24
_FINE = 2.0**-20

_NAME = "inputs that come out unchanged"
_OTHERWISE = "Inputs did not come out unchanged more often than the promise allows."


def unchanged(subject: Subject, alpha: float, samples: int) -> Finding | None:
    """Guess that the output is the input: among the inputs given, or among vectors with random last digits."""
    if subject.kind is Kind.VECTOR:
        return _unchanged_vectors(subject, alpha)
    if subject.kind not in (Kind.WORD, Kind.TEXT):
        return None
    count = len(subject.inputs)
    chosen = [subject.inputs[number] for number in subject.dice.below(count, samples)]
    game = Game(
        wins=sum(key_of(x) == key_of(y) for x, y in zip(chosen, subject.draw(chosen), strict=True)),
        plays=samples,
        choices=math.log(count),
        promised=subject.worst(subject.inputs),
        pair=(subject.inputs[0], subject.inputs[1]),
        event="the output is the input",
    )
    accusation = (
        f"{game.wins} of {samples} outputs were the input itself, more than the promise allows among {count} inputs."
    )
    return finding_of(_NAME, [game], alpha, accusation=accusation, otherwise=_OTHERWISE)


def _unchanged_vectors(subject: Subject, alpha: float) -> Finding | None:
    """Give every vector random last digits, far too many to guess: they come out only if there was no noise."""
    games = []
    for x in subject.inputs:
        size = _FINE * float(np.abs(x).max() or 1.0)
        digits = subject.dice.below(2**_BITS, 8 * x.size).reshape(8, *x.shape)
        variants = list(x * (1 - 2 * _FINE) + size * 2.0**-_BITS * digits)
        outputs = subject.attempt(variants)
        if outputs is None:
            continue
        games.append(
            Game(
                wins=sum(key_of(y) == key_of(one) for y, one in zip(outputs, variants, strict=True)),
                plays=len(variants),
                choices=_BITS * x.size * math.log(2),
                promised=subject.promised(x * (1 - 2 * _FINE), x * (1 - 2 * _FINE) + size),
                pair=(plain(variants[0]), plain(variants[1])),
                event="the output is the input, to the last bit",
            )
        )
    if not games:
        return None
    accusation = "A vector came out to the last bit as it went in: it got no noise at all."
    return finding_of(_NAME, games, alpha, accusation=accusation, otherwise=_OTHERWISE)
