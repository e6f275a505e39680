"""Releases whose time tells which input it was. The clock is noisy: only what is very clear is reported."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from textveil.auditing.report import Finding
from textveil.auditing.revealed import Shown
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Subject
from textveil.auditing.values import plain

_WARM_UP = 3


def timing(subject: Subject, alpha: float, samples: int) -> Finding | None:
    """Learn from half of the releases how long two inputs take, and guess the inputs of the other half by the clock.

    The inputs are drawn at random, so that a machine that is slow for a while misleads, but never accuses. Where the
    claim names time among what is revealed, nothing is checked.
    """
    if subject.reveals(Shown.TIME):
        return None
    x, y = subject.inputs[:2]
    for _ in range(_WARM_UP):
        subject.draw([x]), subject.draw([y])
    chosen = subject.dice.below(2, samples)
    took = np.array([_seconds(subject, (x, y)[number]) for number in chosen])
    learned = slice(0, samples // 2)
    first, second = (float(np.median(took[learned][chosen[learned] == number])) for number in (0, 1))
    slow = took[samples // 2 :] > (first + second) / 2
    wins = int((slow == (chosen[samples // 2 :] == int(second > first))).sum())
    game = Game(
        wins=wins,
        plays=len(slow),
        choices=math.log(2),
        promised=subject.promised(x, y),
        pair=(plain(x), plain(y)),
        event=f"a release takes more than {(first + second) / 2:.3g} seconds",
    )
    return finding_of(
        "time of a release",
        [game],
        alpha,
        accusation=f"The clock alone told the inputs apart in {wins} of {len(slow)} releases, and the claim does not "
        "name time among what is revealed.",
        otherwise="The clock did not tell the inputs apart more often than the promise allows.",
    )


def _seconds(subject: Subject, x: Any) -> float:
    began = time.perf_counter()
    subject.draw([x])
    return time.perf_counter() - began
