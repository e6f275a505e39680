from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.conftest import clustered_vocabulary
from tests.ledger.conftest import Plain

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.guarantees import Pairs, Relation, Status, Unit, local_privacy, metric_privacy
from textveil.ledger.costs import cost_of, metric_name
from textveil.ledger.curve import square_of
from textveil.ledger.datasets import Dataset

NO = {"delta": 0, "counting": "sum", "metric": "", "radius": None, "offset": 0, "summed_delta": 0}
WORDS = metric_privacy(2.0, metric="distance", unit=Unit.WORD, radius=3.0)


def dataset(unit="record", epsilon=100, **more):
    return Dataset.checked("d", unit=unit, epsilon=epsilon, **{**NO, **more})


def test_a_loss_for_any_pair_is_the_cost():
    assert cost_of(local_privacy(0.1, unit=Unit.VECTOR), dataset()).cost.epsilon == Fraction(0.1)


def test_a_text_costs_words_times_epsilon_times_radius_exactly():
    bill = cost_of(WORDS.for_text(), dataset(), pieces=7)
    assert bill.cost.epsilon == 7 * 2 * 3
    tenth = metric_privacy(0.1, metric="distance", unit=Unit.WORD, radius=0.7).for_text()
    assert cost_of(tenth, dataset(), pieces=3).cost.epsilon == 3 * Fraction(0.1) * Fraction(0.7)
    assert cost_of(WORDS.for_text(), dataset("word")).cost.epsilon == 6
    assert cost_of(WORDS.for_text(5), dataset()).cost.epsilon == 30


def test_a_person_costs_as_many_records_as_it_may_have():
    assert cost_of(WORDS.for_text(), dataset("person"), pieces=7, rows=4).cost.epsilon == 4 * 42
    with pytest.raises(InvalidInputError, match=r"protects persons.*--max-rows"):
        cost_of(WORDS.for_text(), dataset("person"), pieces=7)
    with pytest.raises(InvalidInputError, match="protects records"):
        cost_of(WORDS.for_text(), dataset(), pieces=7, rows=4)


def test_what_is_not_known_or_not_bounded_is_refused_with_the_remedy():
    with pytest.raises(InvalidInputError, match=r"give max_words= \(--max-words\)"):
        cost_of(WORDS.for_text(), dataset())
    with pytest.raises(InvalidInputError, match="with radius="):
        cost_of(metric_privacy(2.0, metric="distance", unit=Unit.VECTOR), dataset())
    with pytest.raises(InvalidInputError, match="refuted"):
        cost_of(local_privacy(1.0, unit=Unit.VECTOR, status=Status.REFUTED, reason="wrong"), dataset())
    with pytest.raises(InvalidInputError, match="public graph"):
        cost_of(replace(WORDS, relation=Relation(pairs=Pairs.EDGES, metric="graph")), dataset("word"))


def test_rounding_offset_and_sampling_are_paid_for():
    relation = Relation(pairs=Pairs.METRIC, metric="distance", radius=3.0, rounding=0.25)
    promise = replace(WORDS, relation=relation, offset=0.5, slack=1e-12, delta=1e-9)
    cost = cost_of(promise, dataset("word", delta=1e-3)).cost
    assert cost.epsilon == 2 * Fraction(3.25) + Fraction(0.5)
    assert float(cost.delta) >= 1e-9 + (1 + math.exp(7)) * 1e-12
    assert float(cost.delta) == pytest.approx(1e-9 + (1 + math.exp(7)) * 1e-12, rel=1e-9)
    text = cost_of(promise.for_text(), dataset(delta=1e-3), pieces=10).cost
    assert text.epsilon == 10 * cost.epsilon
    assert text.delta == 10 * cost.delta


def test_sentences_that_are_exchanged_together_cost_the_delta_of_a_group():
    one = local_privacy(0.5, unit=Unit.SENTENCE, delta=1e-6)
    cost = cost_of(one, dataset(delta=0.1), pieces=3).cost
    assert cost.epsilon == Fraction(3, 2)
    assert float(cost.delta) == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)), rel=1e-9)
    assert cost_of(one, dataset("sentence", delta=0.1)).cost.delta == Fraction(1e-6)


def test_noise_on_sentences_that_are_exchanged_together_costs_the_square_of_all_steps():
    gaussian = tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=4, precision="exact").guarantee
    one = replace(gaussian, unit=Unit.SENTENCE)
    counted = dataset(counting="gaussian", metric=one.relation.metric, radius=1.0, delta=1e-6)
    cost = cost_of(one, counted, pieces=10).cost
    assert cost.square == 100 * cost_of(one, counted, pieces=1).cost.square
    assert cost.gaussians
    # The sum of ten sentences moves by ten, each by one: that is noise for a distance of ten.
    assert (
        cost.square
        == cost_of(
            gaussian, dataset(counting="gaussian", metric=one.relation.metric, radius=10.0, delta=1e-6)
        ).cost.square
    )


def test_near_pairs_alone_are_counted_only_where_the_ceiling_is_for_near_pairs():
    gaussian = tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=4, precision="exact")
    metric = gaussian.guarantee.relation.metric
    near = dataset(delta=1e-5, metric=metric, radius=1.0)
    cost = cost_of(gaussian.guarantee, near).cost
    assert (cost.epsilon, cost.delta) == (1, Fraction(1e-6))
    with pytest.raises(InvalidInputError, match="only for things within 1"):
        cost_of(gaussian.guarantee, dataset(delta=1e-5))
    with pytest.raises(InvalidInputError, match="only for things within 1"):
        cost_of(gaussian.guarantee, dataset(delta=1e-5, metric=metric, radius=1.5))
    with pytest.raises(InvalidInputError, match="only for things within 1"):
        cost_of(gaussian.guarantee, dataset(delta=1e-5, metric="another", radius=1.0))


def test_gaussian_noise_costs_its_mu_at_the_radius_squared():
    gaussian = tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=4, precision="exact").guarantee
    squares = {"counting": "gaussian", "metric": gaussian.relation.metric, "delta": 1e-6}
    cost = cost_of(gaussian, dataset(radius=2.0, **squares)).cost
    assert cost.square == (2 * Fraction(gaussian.mu)) ** 2
    assert (cost.gaussians, cost.epsilon, cost.delta) == (1, 0, 0)
    assert cost_of(gaussian, dataset("person", radius=2.0, **squares), rows=3).cost.square == 3 * cost.square


def test_pure_losses_cost_the_least_square_that_is_proved():
    squares = dataset(counting="gaussian", delta=1e-6)
    small = metric_privacy(0.01, metric="distance", unit=Unit.WORD, radius=1.0).for_text()
    assert cost_of(small, squares, pieces=50).cost.square == 50 * square_of(Fraction(0.01))
    sentences = local_privacy(0.01, unit=Unit.SENTENCE)
    assert cost_of(sentences, squares, pieces=50).cost.square == square_of(50 * Fraction(0.01))


def test_distances_are_counted_in_one_metric_only():
    words = clustered_vocabulary(40, 4)
    rewriter = tv.TextRewriter(tv.Exponential(words, epsilon=2.0))
    name = metric_name(rewriter.guarantee, rewriter.spec())
    assert name == f"Euclidean distance of 40 public word vectors [{rewriter.spec()['words']['vocabulary'][:12]}]"
    counted = dataset(counting="metric", metric=name)
    assert cost_of(rewriter.guarantee, counted, metric=name).cost.epsilon == 2
    other = tv.TextRewriter(tv.Exponential(clustered_vocabulary(40, 4, seed=1), epsilon=2.0))
    with pytest.raises(InvalidInputError, match="counted by another distance"):
        cost_of(other.guarantee, counted, metric=metric_name(other.guarantee, other.spec()))


def test_encoders_that_differ_measure_different_distances():
    noise = tv.Laplace(epsilon=1.0, dimension=4, precision="exact")
    tables = (clustered_vocabulary(40, 4), clustered_vocabulary(40, 4, seed=1))
    works = [tv.TextEmbedder(noise, encoder=tv.AveragedWords(table)) for table in tables]
    names = {metric_name(work.guarantee, work.spec()) for work in works}
    assert len(names) == 2
    assert len({work.guarantee.relation.metric for work in works}) == 1


def test_words_that_are_rewritten_before_they_are_encoded_are_as_far_apart_as_their_own_vocabulary_has_them():
    table = clustered_vocabulary(40, 4)
    wide = tv.Vocabulary(table.words, 8 * table.points)
    works = [
        tv.RewrittenWords(tv.TextRewriter(tv.Exponential(each, epsilon=1.0)), encoder=tv.AveragedWords(table))
        for each in (table, wide)
    ]
    names = {metric_name(work.guarantee, work.spec()) for work in works}
    assert len(names) == 2
    assert names == {metric_name(work.rewriter.guarantee, work.rewriter.spec()) for work in works}


def test_by_distance_sentences_that_are_exchanged_together_cost_the_delta_of_a_group():
    one = local_privacy(0.5, unit=Unit.SENTENCE, delta=1e-6)
    counted = dataset(counting="metric", metric="distance", offset=10, delta=0.1)
    cost = cost_of(one, counted, pieces=3).cost
    assert cost.offset == Fraction(3, 2)
    assert cost.delta == cost_of(one, dataset(delta=0.1), pieces=3).cost.delta
    near = metric_privacy(2.0, metric="distance", unit=Unit.SENTENCE, delta=1e-6)
    assert cost_of(near, counted, pieces=1).cost.delta == Fraction(1e-6)
    with pytest.raises(InvalidInputError, match="counting=sum"):
        cost_of(near, counted, pieces=2)


def test_by_distance_what_does_not_shrink_with_it_is_an_offset():
    counted = dataset(counting="metric", metric="distance", offset=10, delta=1e-3)
    assert cost_of(local_privacy(3.0, unit=Unit.VECTOR), counted).cost.offset == 3
    rounded = replace(WORDS, relation=replace(WORDS.relation, rounding=0.5)).for_text()
    assert cost_of(rounded, counted, pieces=4).cost.offset == 4
    with pytest.raises(InvalidInputError, match="--max-words"):
        cost_of(rounded, counted)
    with pytest.raises(InvalidInputError, match="precision=exact"):
        cost_of(replace(WORDS, slack=1e-9), counted)


def test_beyond_the_largest_loss_nothing_is_promised():
    laplace = tv.Laplace(epsilon=1.0, dimension=4, precision="exact").guarantee
    metric = laplace.relation.metric
    assert cost_of(laplace, dataset(delta=1e-9, metric=metric, radius=50.0)).cost.epsilon == 50
    with pytest.raises(InvalidInputError, match="beyond a loss of 100"):
        cost_of(laplace, dataset(epsilon=1000, delta=1e-9, metric=metric, radius=150.0))


def test_a_released_thing_is_anything_with_a_guarantee_and_a_spec():
    assert Plain(WORDS).spec() == {"mechanism": "Plain"}
    assert metric_name(WORDS, {"mechanism": "Plain"}) == "distance"
