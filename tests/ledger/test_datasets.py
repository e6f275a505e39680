from __future__ import annotations

from fractions import Fraction

import pytest

from textveil.ledger.curve import square_of
from textveil.ledger.datasets import Dataset
from textveil.ledger.tallies import Tally

NO = {"delta": 0, "counting": "sum", "metric": "", "radius": None, "offset": 0, "summed_delta": 0}


def dataset(**more):
    return Dataset.checked("d", **{"unit": "record", "epsilon": 3, **NO, **more})


def pure(epsilon):
    return Tally(epsilon=Fraction(epsilon), square=square_of(Fraction(epsilon)))


def test_the_better_bound_is_taken_and_named():
    squares = dataset(delta=1e-6, counting="gaussian")
    few, many = squares.balance(pure(1.0).times(2)), squares.balance(pure(0.01).times(400))
    assert (few.bound, few.epsilon, few.delta) == ("sum", 2, 0)
    assert many.bound == "gaussian"
    assert float(many.epsilon) < 1.5
    assert many.delta == squares.delta
    assert "by the Gaussian curve" in str(many)
    assert squares.allows(pure(1.0).times(3))
    assert squares.allows(pure(0.01).times(1000))
    assert not dataset(delta=1e-6).allows(pure(0.01).times(400))


def test_a_gaussian_release_has_no_epsilon_to_sum():
    squares = dataset(delta=1e-6, counting="gaussian")
    gaussian = Tally(square=Fraction(9), gaussians=Fraction(1))
    assert not squares.allows(gaussian)
    assert squares.balance(gaussian).bound == "gaussian"
    assert float(squares.balance(gaussian).epsilon) > 3


@pytest.mark.parametrize("amount", ["epsilon", "delta", "offset"])
def test_each_amount_has_its_ceiling(amount):
    metric = dataset(delta=0.5, offset=2, counting="metric", metric="distance")
    limit = getattr(metric, amount)
    assert metric.allows(Tally(**{amount: limit}))
    assert not metric.allows(Tally(**{amount: limit * (1 + Fraction(1, 10**30))}))
    assert metric.balance(Tally(**{amount: limit})).share == 1


def test_a_data_set_survives_the_data_base():
    for made in (dataset(), dataset(delta=1e-6, counting="gaussian", metric="distance", radius=0.3, summed_delta=1e-9)):
        assert Dataset.from_text(made.as_text()) == made


def test_a_data_set_says_what_its_ceiling_is_for():
    assert str(dataset()) == "d: at most epsilon 3 for each record"
    near = dataset(delta=1e-6, metric="distance", radius=0.5)
    assert str(near) == "d: at most epsilon 3, delta 1e-06 for each record, within 0.5 in distance"
    metric = dataset(counting="metric", metric="distance")
    assert str(metric) == "d: at most epsilon 3 per unit of distance for each record, by distance"


def test_costs_add_and_are_taken_back_exactly():
    one = Tally(epsilon=Fraction(0.1), delta=Fraction(1e-9), square=Fraction(1, 3))
    assert (one + one.times(2)).minus(one.times(3)) == Tally()
    assert Tally.from_text(one.as_text()) == one
    assert str(Tally()) == "nothing"
