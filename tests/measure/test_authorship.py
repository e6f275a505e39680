"""Authors are found by their groups of letters, as a plain count of the same comparison finds them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.measure import authorship
from textveil.measure.authorship import Authorship
from textveil.noise.transforms import uniforms
from textveil.randomness import RandomSource

FALSE_ALARM = 1e-6


def public(number=0):
    return RandomSource.keyed(bytes([number]) * 32)


def written(rng, words, likings, count):
    return " ".join(rng.choice(words, count, p=likings))


@pytest.fixture(scope="module")
def library():
    """Four authors with favourite words, and short texts of each."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefghij"), rng.integers(1, 9))) for _ in range(400)]
    likings = {name: rng.dirichlet(np.full(400, 0.2)) for name in "ABCD"}
    known = {name: written(rng, words, likings[name], 900) for name in likings}
    asked = [(name, written(rng, words, likings[name], 25)) for name in list(likings) * 10]
    return known, asked


def grams(words):
    """Groups of four letters of words written without spaces."""
    glued = "".join(words)
    return [glued[place : place + 4] for place in range(len(glued) - 3)]


def within(words):
    return [word[place : place + 4] for word in words for place in range(max(1, len(word) - 3))]


def by_hand(known, text, *, features, rounds, source, place):
    """The same votes by dictionaries of letters."""
    words = {author: found.split() for author, found in known.items()}
    often = Counter(group for found in words.values() for group in within(found))
    code = {group: tuple(ord(letter) for letter in group[::-1]) for group in often}
    padded = {group: (0,) * (4 - len(group)) + code[group] for group in often}
    order = sorted(often, key=lambda group: (-often[group], padded[group]))[:features]
    numbered = sorted(order, key=lambda group: padded[group])
    halves = authorship._halves(source.streams(b"halves", np.arange(rounds)), len(numbered))
    asked = text.split()
    length = min(len(asked), *map(len, words.values()))
    stream = source.streams(b"pieces", np.arange(place + 1)).select(np.array([place]))
    chances = uniforms(stream.words(rounds * len(words))).reshape(rounds, -1)
    votes = Counter()
    for turn in range(rounds):
        half = {group for group, chosen in zip(numbered, halves[turn], strict=True) if chosen}
        wanted = Counter(group for group in grams(asked[:length]) if group in half)
        alike = {}
        for number, (author, found) in enumerate(words.items()):
            first = int(chances[turn, number] * (len(found) - length + 1))
            piece = Counter(group for group in grams(found[first : first + length]) if group in half)
            alike[author] = (wanted & piece).total() / max(1, (wanted | piece).total())
        votes[max(alike, key=alike.get)] += 1
    return votes


@pytest.mark.parametrize("stride", [8192, 16])
def test_votes_are_those_of_a_plain_count(library, monkeypatch, stride):
    """With a short stride pieces are counted from marks, as those of novels are."""
    monkeypatch.setattr(authorship, "_STRIDE", stride)
    known, asked = library
    texts = [text for _, text in asked[:6]]
    found = Authorship(known, features=500, rounds=20).attribute(texts, source=public())
    for place, (text, one) in enumerate(zip(texts, found, strict=True)):
        votes = by_hand(known, text, features=500, rounds=20, source=public(), place=place)
        assert one.share == pytest.approx(max(votes.values()) / 20)
        assert votes[one.author] == max(votes.values())


def test_each_round_looks_at_a_half_of_its_own():
    halves = authorship._halves(public().streams(b"halves", np.arange(30)), 101)
    assert (halves.sum(axis=1) == 50).all()
    assert len({half.tobytes() for half in halves}) == 30
    # A feature is in each half with a chance of 50/101: in none or all of 30 with one below 1e-8.
    assert 0 < halves.sum(axis=0).min() <= halves.sum(axis=0).max() < 30


def test_authors_are_found_and_with_their_names_mixed_they_are_not(library):
    known, asked = library
    found = Authorship(known).attribute([text for _, text in asked], source=public())
    right = sum(one.author == author for one, (author, _) in zip(found, asked, strict=True))
    assert stats.binomtest(right, len(asked), 0.25, alternative="greater").pvalue < FALSE_ALARM
    moved = [asked[place - 1][0] for place in range(len(asked))]
    wrong = sum(one.author == author for one, author in zip(found, moved, strict=True))
    assert stats.binomtest(wrong, len(asked), 0.25, alternative="greater").pvalue > FALSE_ALARM


def test_the_same_source_gives_the_same_votes_and_another_others(library):
    known, asked = library
    attack, texts = Authorship(known, rounds=50), [text for _, text in asked]
    first = attack.attribute(texts, source=public())
    assert first == attack.attribute(texts, source=public())
    assert first != attack.attribute(texts, source=public(1))


def test_a_text_gets_the_same_answer_whatever_comes_after_it(library):
    known, asked = library
    attack, texts = Authorship(known, rounds=50), [text for _, text in asked]
    assert attack.attribute(texts[:3], source=public()) == attack.attribute(texts, source=public())[:3]


def test_authors_of_few_words_are_not_considered_and_empty_texts_are_nobodys(library):
    known, _ = library
    attack = Authorship({**known, "E": "few words"})
    assert attack.authors == tuple("ABCD")
    assert attack.attribute(["", " \n"], source=public()) == [(None, 0.0)] * 2
    assert attack.attribute(["ü", "\U0001f600 \U0001f600"], source=public())[0].author in "ABCD"


def test_too_little_text_is_refused_without_quoting_it(library):
    with pytest.raises(InvalidInputError, match="at least two authors must have 500 words each") as caught:
        Authorship({"A": "secret " * 600, "B": "secret"})
    assert "secret" not in str(caught.value)
