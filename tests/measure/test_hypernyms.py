"""How often a word becomes a more general one."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.hypernyms import counted_replacements, expected_replacements, hypernyms_of


def relations_of(vocabulary):
    return [(word, word.rpartition(".")[0]) for word in vocabulary.words if word != "root"]


def test_hypernyms_of_hypernyms_follow_and_cycles_end():
    above = hypernyms_of(
        [("beagle", "dog"), ("dog", "mammal"), ("dog", "pet"), ("mammal", "animal"), ("x", "y"), ("y", "x")]
    )
    assert above["beagle"] == {"dog", "mammal", "pet", "animal"}
    assert above["x"] == {"y"}
    assert "animal" not in above


def test_the_expected_shares_are_those_of_the_law(tree):
    mechanism = tv.Exponential(tree, epsilon=1.5)
    law = mechanism.transition_matrix()
    found = expected_replacements(mechanism, relations_of(tree))
    sums = np.zeros(3)
    for i, before in enumerate(tree.words[1:], start=1):
        for j, after in enumerate(tree.words):
            kinds = (i == j, i != j and before.startswith(after + "."), i != j and after.startswith(before + "."))
            sums += law[i, j] * np.array(kinds)
    assert (found.unchanged, found.general, found.special) == pytest.approx(tuple(sums / 84), rel=1e-9)
    assert found.unchanged + found.general + found.special + found.other == pytest.approx(1)
    assert found.words == 84
    assert "by the law" in str(found)


def test_released_text_agrees_with_the_law(tree):
    """Every share is within 5.5 standard deviations of 1/2: a false alarm has chance below 1e-6 for all three."""
    mechanism, relations = tv.Exponential(tree, epsilon=1.5), relations_of(tree)
    words = list(tree.words[1:]) * 200
    exact = expected_replacements(mechanism, relations, words)
    counted = counted_replacements(words, mechanism.release(words, source=tv.RandomSource.seeded(3)), relations)
    reach = 5.5 * 0.5 / np.sqrt(len(words))
    for name in ("unchanged", "general", "special"):
        assert abs(getattr(exact, name) - getattr(counted, name)) < reach
    assert abs(1.3 * exact.unchanged - counted.unchanged) > reach
    assert not counted.exact


def test_words_without_hypernyms_are_left_out_and_some_must_remain(tree):
    found = counted_replacements(["dog", "of", "cat"], ["animal", "of", "cat"], [("dog", "animal"), ("cat", "animal")])
    assert (found.general, found.unchanged, found.words) == (0.5, 0.5, 2)
    assert counted_replacements(["animal"], ["dog"], [("dog", "animal"), ("animal", "thing")]).special == 1
    with pytest.raises(tv.InvalidInputError, match="none of these words"):
        expected_replacements(tv.Exponential(tree, epsilon=1.0), [("dog", "animal")])
    with pytest.raises(tv.InvalidInputError, match="1 originals, 0 released"):
        counted_replacements(["dog"], [], [("dog", "animal")])
