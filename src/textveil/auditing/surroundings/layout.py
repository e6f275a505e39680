"""The shape of a text: do capitals, spaces, commas or the number of words come out, and the claim does not say so.

Random patterns of them are put on public words; each word has one of two forms, so that a pattern that comes out whole
is a right guess among 2^words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import eq
from typing import NamedTuple

from textveil.auditing.report import Finding
from textveil.auditing.revealed import Shown
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Kind, Subject

_WORDS = 48
_PLAYS = 12
_WORD = re.compile(r"[^\W_]+")


class _Form(NamedTuple):
    """Two ways to write a word, how to tell them apart in an output, and what a claim calls what they show."""

    name: str
    plain: Callable[[str], str]
    marked: Callable[[str], str]
    read: Callable[[str], list[bool]]
    shown: Shown


_CAPITALS = _Form(
    "capitals",
    str.lower,
    str.capitalize,
    lambda text: [word[0].isupper() for word in _WORD.findall(text)],
    Shown.CAPITALS,
)
_FORMS = (
    _CAPITALS,
    _Form(
        "white space",
        lambda word: word + " ",
        lambda word: word + "  ",
        lambda text: [len(gap) > 1 for gap in re.findall(r"\s+", text)],
        Shown.SPACES,
    ),
    _Form(
        "punctuation",
        lambda word: word,
        lambda word: word + ",",
        lambda text: [word.endswith(",") for word in text.split()],
        Shown.PUNCTUATION,
    ),
)


def layout(subject: Subject, alpha: float) -> Finding | None:
    """Guess patterns and lengths of texts from what comes out."""
    if subject.kind is not Kind.TEXT:
        return None
    words = [word for one in subject.inputs for word in _WORD.findall(one.lower())]
    if not words:
        return None
    # A claim that adds over words is made for texts of equal length and layout; capitals are no part of that.
    forms = [_CAPITALS] if subject.claim.by_words else _FORMS
    games = [_pattern(subject, words, form) for form in forms if not subject.reveals(form.shown)]
    if not subject.claim.by_words and not subject.reveals(Shown.LENGTH):
        games.append(_length(subject, words))
    if not games:
        return None
    return finding_of(
        "layout and length",
        games,
        alpha,
        accusation="The shape of a text comes out as it went in, and the claim does not name it among what is "
        "revealed. Take it from public data, or name it.",
        otherwise="Nothing of a text's shape came out that the claim does not name.",
    )


def _pattern(subject: Subject, words: Sequence[str], form: _Form) -> Game:
    chosen = [words[number] for number in subject.dice.below(len(words), _WORDS)]
    wins, texts = 0, []
    for _ in range(_PLAYS):
        pattern = [bool(coin) for coin in subject.dice.below(2, _WORDS)]
        joint = "" if form.name == "white space" else " "
        pieces = (form.marked(word) if mark else form.plain(word) for word, mark in zip(chosen, pattern, strict=True))
        # The last word closes the text, so that a space after the pattern is not cut off.
        texts.append(joint.join(pieces) + joint + chosen[0].lower())
        wins += form.read(_output(subject, texts[-1]))[:_WORDS] == pattern
    return Game(
        wins=wins,
        plays=_PLAYS,
        choices=_WORDS * math.log(2),
        promised=subject.promised_apart(_WORDS),
        pair=(texts[0], texts[1]),
        event=f"the output has the {form.name} of the input",
    )


def _length(subject: Subject, words: Sequence[str]) -> Game:
    lengths = subject.dice.below(_WORDS, 2 * _PLAYS) + 1
    texts = [" ".join(words[place % len(words)] for place in range(length)) for length in lengths]
    found = [len(_WORD.findall(_output(subject, text))) for text in texts]
    return Game(
        wins=sum(map(eq, found, lengths.tolist())),
        plays=len(lengths),
        choices=math.log(_WORDS),
        promised=subject.promised_apart(_WORDS),
        pair=(texts[0], texts[1]),
        event="the output has as many words as the input",
    )


def _output(subject: Subject, text: str) -> str:
    """What comes out, or nothing if the text is refused or no text comes out."""
    outputs = subject.attempt([text])
    return outputs[0] if outputs and isinstance(outputs[0], str) else ""
