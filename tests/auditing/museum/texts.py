"""Words and texts: what is passed through, kept, left out, or made from the private text."""

from __future__ import annotations

import numpy as np
from tests.auditing.museum.exhibit import Exhibit, between_any, by_checks, per_distance

from textveil.guarantees import Unit

WORDS = ["paris", "london", "rome", "oslo", "cairo", "lima"]
PER_WORD = between_any(1.0, unit=Unit.WORD)
PER_TEXT = between_any(1.0, unit=Unit.DOCUMENT)
BY_WORDS = between_any(1.0, unit=Unit.WORD).for_text(reveals=("the number of words", "layout and capital letters"))
TEXTS = ["paris london rome", "oslo cairo lima"]


def answer(rng: np.random.Generator, word: str) -> str:
    """Randomised response at epsilon 1: the word with chance e / (e + 5), or any other one; strangers are "rome"."""
    known = word if word in WORDS else "rome"
    others = [other for other in WORDS if other != known]
    return known if rng.random() < np.e / (np.e + 5) else str(rng.choice(others))


def each_word(rng: np.random.Generator):
    return lambda text: " ".join(answer(rng, word) for word in text.lower().split())


def fixed_text(rng: np.random.Generator):
    """A text of three words that depends on the private one by its first word alone, at epsilon 1."""
    return lambda text: " ".join([answer(rng, (text.lower().split() or ["rome"])[0]), "rome", "rome"])


PASSED = Exhibit(
    name="words outside the vocabulary pass through",
    shipped="mldp-text (an e-mail address at epsilon .001)",
    flaw="What has no vector is returned as it is, and names, numbers and addresses are what has none.",
    broken=lambda rng: lambda word: answer(rng, word) if word in WORDS else word,
    twin=lambda rng: lambda word: answer(rng, word),
    examine=by_checks(PER_WORD, WORDS),
    caught_by="words outside the vocabulary",
)


def any_other(rng: np.random.Generator, word: str) -> str:
    return str(rng.choice([other for other in WORDS if other != word]))


LEFT_OUT = Exhibit(
    name="the nearest word that is not the input",
    shipped="Vickrey variants that leave the input out",
    flaw="The input is looked at again after the noise: what comes out is certain not to be it.",
    broken=lambda rng: lambda word: any_other(rng, word),
    twin=lambda rng: lambda word: answer(rng, word),
    examine=by_checks(PER_WORD, WORDS, samples=1200),
    caught_by="inputs left out of their own outputs",
)

KEPT = Exhibit(
    name="the word itself where no other is near",
    shipped="truncated mechanisms with a fall-back",
    flaw="A word that finds nothing else within its radius is returned, so that rare words come out unchanged.",
    broken=lambda rng: lambda word: word if word in WORDS[1:] else answer(rng, word),
    twin=lambda rng: lambda word: answer(rng, word),
    examine=by_checks(PER_WORD, WORDS),
    caught_by="inputs that come out unchanged",
)

TRIPLES = Exhibit(
    name="a rewriter that returns what it can't parse",
    shipped="rewriters over extracted triples",
    flaw="A text in which nothing is found is returned whole.",
    broken=lambda rng: lambda text: each_word(rng)(text) if set(text.split()) <= set(WORDS) else text,
    twin=each_word,
    examine=by_checks(BY_WORDS, TEXTS),
    caught_by="words outside the vocabulary",
)

CORPUS = Exhibit(
    name="an output vocabulary taken from the private text",
    shipped="SanText and CusText",
    flaw="Words are replaced by words of the private corpus, so that whatever comes out was in it.",
    broken=lambda rng: lambda text: " ".join(rng.choice(text.split(), size=len(text.split()))),
    twin=each_word,
    examine=by_checks(BY_WORDS, TEXTS),
    caught_by="words outside the vocabulary",
)


def candidates(rng: np.random.Generator):
    """One of three texts at random, each written from the private one."""

    def choose(text: str) -> str:
        words = text.split()
        return str(rng.choice([" ".join(sorted(words)), " ".join(reversed(words)), "it says " + text]))

    return choose


GENERATED = Exhibit(
    name="candidates that are written from the private text",
    shipped="rewriters that choose among paraphrases",
    flaw="The choice is private, and the candidates are not: each of them repeats the names in the text.",
    broken=candidates,
    twin=fixed_text,
    examine=by_checks(PER_TEXT, TEXTS),
    caught_by="words outside the vocabulary",
)


def consistent(rng: np.random.Generator):
    """One draw for each distinct word of a text."""

    def rewrite(text: str) -> str:
        drawn: dict[str, str] = {}
        return " ".join(drawn.setdefault(word, answer(rng, word)) for word in text.lower().split())

    return rewrite


CONSISTENT = Exhibit(
    name="consistent replacement, claimed word by word",
    shipped="rewriters that keep a text readable",
    flaw="Where a text repeats a word shows, whatever epsilon: the loss does not add up over words as claimed.",
    broken=consistent,
    twin=each_word,
    examine=by_checks(BY_WORDS, TEXTS),
    caught_by="which words are the same",
)


def in_capitals(rng: np.random.Generator):
    def rewrite(text: str) -> str:
        words = (answer(rng, word.lower()) for word in text.split())
        return " ".join(
            new.capitalize() if old[0].isupper() else new for new, old in zip(words, text.split(), strict=True)
        )

    return rewrite


CAPITALS = Exhibit(
    name="capitals that are kept in silence",
    shipped="rewriters that restore the case",
    flaw="Capitals mark names, and come out as they went in; the claim does not say so.",
    broken=in_capitals,
    twin=each_word,
    examine=by_checks(
        per_distance(1.0, unit=Unit.WORD).for_text(reveals=("the number of words", "layout: white space, punctuation")),
        TEXTS,
        distance=lambda x, y: float(x != y),
    ),
    caught_by="layout and length",
)

LENGTH = Exhibit(
    name="a text as long as the private one",
    shipped="rewriters with a claim for whole texts",
    flaw="A claim for any two texts holds for texts of any length, and the output has the length of the input.",
    broken=each_word,
    twin=fixed_text,
    examine=by_checks(PER_TEXT, TEXTS),
    caught_by="layout and length",
)

EXHIBITS = (PASSED, LEFT_OUT, KEPT, TRIPLES, CORPUS, GENERATED, CONSISTENT, CAPITALS, LENGTH)
