"""Strings that no vocabulary can hold, and that come out again: e-mail addresses, numbers, names, made up at random."""

from __future__ import annotations

import math
import string
from collections.abc import Callable
from typing import Any

from textveil.auditing.report import Finding
from textveil.auditing.revealed import Shown
from textveil.auditing.surroundings.chances import Dice
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Kind, Subject

_PLAYS = 12
_LETTERS = string.ascii_lowercase
_Secret = Callable[[Dice], str]
# What is made up, how many such strings there are (in nats), and of how many words a rewriter may think it is made.
_SECRETS: tuple[tuple[str, _Secret, float, int], ...] = (
    ("a name", lambda dice: dice.letters(_LETTERS, 28), 28 * math.log(26), 1),
    ("a number", lambda dice: dice.letters(string.digits, 40), 40 * math.log(10), 1),
    (
        "an e-mail address",
        lambda dice: f"{dice.letters(_LETTERS, 14)}@{dice.letters(_LETTERS, 14)}.org",
        28 * math.log(26),
        3,
    ),
)


def unknown_words(subject: Subject, alpha: float) -> Finding | None:
    """Put random strings in, alone and in a sentence, and look for them in the outputs."""
    if subject.kind not in (Kind.WORD, Kind.TEXT) or subject.reveals(Shown.UNKNOWN_WORDS):
        return None
    games = []
    for what, secret, choices, words in _SECRETS:
        for frame in ("{}",) if subject.kind is Kind.WORD else ("{}", "please write to {} today"):
            strings = [secret(subject.dice) for _ in range(_PLAYS)]
            outputs = [_as_text(subject.attempt([frame.format(one)]) or "") for one in strings]
            games.append(
                Game(
                    wins=sum(one in output for one, output in zip(strings, outputs, strict=True)),
                    plays=_PLAYS,
                    choices=choices,
                    promised=subject.promised_apart(words),
                    pair=(strings[0], strings[1]),
                    event=f"{what} comes out as it went in",
                    guesses=max(map(len, outputs)) + 1,
                )
            )
    return finding_of(
        "words outside the vocabulary",
        games,
        alpha,
        accusation="Strings that no vocabulary holds come out as they went in: a name or a number that is rare is "
        "released without any noise. Let all of them enter as one public word.",
        otherwise="No random string came out of a release.",
    )


def _as_text(output: Any) -> str:
    return " ".join(map(_as_text, output)) if isinstance(output, list | tuple) else str(output)
