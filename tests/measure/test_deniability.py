"""Plausible deniability: counted, promised, and chosen."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Pairs, Relation, Unit
from textveil.measure.deniability import deniability, protected_distance


def test_the_words_as_plausible_are_counted(tree):
    mechanism = tv.Exponential(tree, epsilon=1.0)
    law = mechanism.transition_matrix()
    for word, output in [(0, 5), (20, 20), (60, 3)]:
        ratio = law[word, output] / law[:, output]
        count = deniability(mechanism, tree.words[word], tree.words[output], factor=2.0)
        assert count == ((ratio <= 2) & (ratio >= 0.5)).sum()
        assert count >= 1


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize(("words", "factor"), [(2, 2.0), (10, 2.0), (10, 5.0)])
def test_the_number_of_plausible_words_is_reached_and_epsilon_could_not_be_larger(tree, words, factor, share):
    def make(epsilon):
        return tv.Exponential(tree, epsilon=epsilon)

    made = tv.calibrate(make, target="deniability", at_least=words, factor=factor, share=share)
    every = list(tree.words)
    reached = tv.statistics(made, every, factor=factor)["promised"] >= words
    assert reached.mean() >= share
    more = tv.statistics(make(1.0001 * made.epsilon), every, factor=factor)["promised"] >= words
    assert more.mean() < share
    plausible = tv.statistics(made, every, factor=factor)["plausible"] >= words
    assert plausible.mean() >= share


def test_a_radius_that_hides_all_words_from_each_other_is_used(clustered):
    made = tv.calibrate(
        lambda epsilon: tv.Exponential(clustered, epsilon=epsilon, radius=1.5), target="deniability", at_least=300
    )
    assert made.epsilon == pytest.approx(math.log(2) / 1.5)
    assert (tv.statistics(made)["promised"] == 600).all()


def test_what_other_guarantees_promise():
    def guarantee(pairs, **more):
        return tv.Guarantee(epsilon=0.5, unit=Unit.WORD, relation=Relation(pairs=pairs, metric="m", **more))

    assert protected_distance(guarantee(Pairs.METRIC), math.e) == 2.0
    assert protected_distance(guarantee(Pairs.METRIC, radius=1.9), math.e) == math.inf
    assert protected_distance(guarantee(Pairs.METRIC, rounding=0.5), math.e) == 1.5
    assert protected_distance(guarantee(Pairs.ANY), math.e) == math.inf
    assert protected_distance(guarantee(Pairs.ANY), 1.2) == 0.0
    assert protected_distance(guarantee(Pairs.WITHIN, radius=3.0), math.e) == 3.0
    assert protected_distance(guarantee(Pairs.WITHIN, radius=3.0), 1.2) == 0.0
    assert protected_distance(guarantee(Pairs.EDGES), math.e) == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "at_least"),
        ({"at_least": 3, "at_most": 4}, "at_least"),
        ({"at_least": 1}, "plausible words"),
        ({"at_least": 2.5}, "plausible words"),
        ({"at_least": 1000}, "has 85 words"),
        ({"at_least": 3, "factor": 1.0}, "factor"),
        ({"at_least": 3, "share": 0.0}, "share"),
    ],
)
def test_what_cannot_be_had_is_refused(tree, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.calibrate(lambda epsilon: tv.Exponential(tree, epsilon=epsilon), target="deniability", **options)


def test_noise_with_slack_or_a_refuted_promise_cannot_be_calibrated_so(clustered, tree):
    with pytest.raises(tv.InvalidInputError, match="delta = 0"):
        tv.calibrate(
            lambda epsilon: tv.NearestWord(clustered, tv.Laplace(epsilon=epsilon, dimension=12)),
            target="deniability",
            at_least=3,
        )
    with pytest.raises(tv.InvalidInputError, match="refuted"):
        tv.calibrate(
            lambda epsilon: tv.NearestWord(
                tree, tv.HyperbolicLaplace(epsilon=epsilon, dimension=2, variant="published", margin=-1e-4)
            ),
            target="deniability",
            at_least=3,
        )
    twins = tv.Vocabulary(["a", "b", "c", "d"], np.array([[0.0], [0.0], [1.0], [1.0]]), unknown="a")
    with pytest.raises(tv.InvalidInputError, match="share one point"):
        tv.calibrate(lambda epsilon: tv.Exponential(twins, epsilon=epsilon), target="deniability", at_least=2)
