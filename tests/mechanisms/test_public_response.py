"""PublicResponse: the exact law, its loss between any two vectors, and the choice of how many are near."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import textveil as tv
from textveil.mechanisms.public_response import best_nearest
from textveil.noise.digits import digits_of

KEY = b"a key of 16 bytes"


@pytest.fixture(scope="module")
def candidates():
    return tv.Candidates(np.random.default_rng(0).normal(size=(40, 5)), [f"text {i}" for i in range(40)])


def make(candidates, **options):
    return tv.PublicResponse(candidates, **({"epsilon": 2.0, "nearest": 6} | options))


def nearest(candidates, x, count):
    return np.argsort(((candidates.vectors.astype(float) - x) ** 2).sum(axis=1), kind="stable")[:count]


def test_near_candidates_are_e_to_the_epsilon_times_as_likely(candidates):
    """G-test at 1e-7 over all candidates; the law of an epsilon x1.3 must fail."""
    x = np.full(5, 0.3)
    drawn = np.bincount(
        make(candidates).release_indices(np.tile(x, (40_000, 1)), source=tv.RandomSource.seeded(1)), minlength=40
    )
    for epsilon, passes in ((2.0, True), (2.6, False)):
        weights = np.ones(40)
        weights[nearest(candidates, x, 6)] = math.exp(epsilon)
        law = weights / weights.sum()
        assert (stats.power_divergence(drawn, law * drawn.sum(), lambda_=0).pvalue > 1e-7) == passes
        rows = make(candidates, epsilon=epsilon).transition_rows(x)
        assert rows[0] == pytest.approx(law, rel=1e-12)


@given(st.integers(0, 2**32), st.floats(0.01, 30), st.integers(1, 39))
@settings(max_examples=50, deadline=None)
def test_the_loss_between_any_two_vectors_is_at_most_epsilon(seed, epsilon, near):
    rng = np.random.default_rng(seed)
    public = tv.Candidates(rng.integers(-2, 3, size=(40, 3)))
    rows = make(public, epsilon=epsilon, nearest=near).transition_rows(rng.normal(size=(6, 3)) * 10)
    assert rows.sum(axis=1) == pytest.approx(np.ones(6), rel=1e-12)
    assert np.log(rows.max(axis=0) / rows.min(axis=0)).max() <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [1e-9, 0.5, 8.0, 500.0])
def test_the_chance_of_a_near_one_has_the_right_digits(epsilon):
    """Near ones get the chance q of being meant and, like all, a share of the rest: odds of e^epsilon exactly."""
    mechanism = make(tv.Candidates(np.arange(40.0)[:, None]), epsilon=epsilon)
    first, second = digits_of(mechanism._chance, 2)
    q = Fraction((first << 64) + second, 2**128)
    near, far = q / 6 + (1 - q) / 40, (1 - q) / 40
    if epsilon < 50:
        assert float(near / far - 1) == pytest.approx(math.expm1(epsilon), rel=1e-12)
    assert 0 < q < 1


def test_vectors_in_candidates_out(candidates):
    mechanism = make(candidates)
    one = mechanism.release(np.zeros(5))
    assert one.text == f"text {one.index}"
    assert (one.vector == candidates.vectors[one.index]).all()
    assert [type(item) for item in mechanism.release(np.zeros((3, 5)))] == [tv.Chosen] * 3
    assert mechanism.release(np.zeros((0, 5))) == []
    assert mechanism.release_indices(np.zeros(5)).shape == (1,)


def test_an_array_of_public_vectors_is_enough(candidates):
    mechanism = tv.PublicResponse(candidates.vectors, epsilon=3.0, nearest=4)
    assert mechanism.spec() == make(tv.Candidates(candidates.vectors), epsilon=3.0, nearest=4).spec()
    assert mechanism.release(np.zeros(5)).text is None


def test_a_release_does_not_depend_on_the_batch(candidates):
    vectors = np.random.default_rng(2).normal(size=(700, 5))
    mechanism, source = make(candidates), tv.RandomSource.keyed(KEY)
    together = mechanism.release_indices(vectors, source=source)
    for row in (0, 300, 699):
        assert mechanism.release(vectors[row], source=source.at(row)).index == together[row]
    assert mechanism.release(-np.zeros(5), source=source).index == mechanism.release(np.zeros(5), source=source).index


def test_how_many_are_near_is_chosen_by_mean_cosine():
    """Against the plain formula, over all candidates."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(6, 8))
    vectors = np.repeat(centres, 15, axis=0) + 0.5 * rng.normal(size=(90, 8))
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T
    for epsilon in (0.5, 4.0, 12.0):
        utility = []
        for near in range(1, 90):
            q = near * math.expm1(epsilon) / (90 + near * math.expm1(epsilon))
            means = []
            for row in range(90):
                others = np.sort(np.delete(cosines[row], row))[::-1]
                means.append(q * others[:near].mean() + (1 - q) * others.mean())
            utility.append(np.mean(means))
        chosen = best_nearest(tv.Candidates(vectors), epsilon)
        assert utility[chosen - 1] == pytest.approx(max(utility), abs=1e-6)
        assert tv.PublicResponse(tv.Candidates(vectors), epsilon=epsilon).nearest == chosen
    assert best_nearest(tv.Candidates(vectors), 500.0) == 1
    assert best_nearest(tv.Candidates(np.zeros((4, 2))), 1.0) >= 1


def test_the_promise_is_for_any_pair_and_exact(candidates):
    guarantee = make(candidates).guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.slack, guarantee.status) == (2.0, 0.0, 0.0, "proved")
    assert guarantee.relation.pairs is tv.Pairs.ANY


def test_a_spec_makes_it_again(candidates):
    mechanism = tv.PublicResponse(candidates, epsilon=3.0)
    again = tv.from_spec(mechanism.spec(), objects={"candidates": candidates})
    assert again.spec() == mechanism.spec()
    assert pickle.loads(pickle.dumps(mechanism)).spec() == mechanism.spec()  # noqa: S301


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 501}, "from 1e-09 to 500"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"nearest": 0}, "nearest"),
        ({"nearest": 40}, "below 40"),
        ({"nearest": 1.5}, "nearest"),
    ],
)
def test_bad_parameters_are_refused(candidates, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(candidates, **options)
    with pytest.raises(tv.InvalidInputError, match="at least two"):
        make(tv.Candidates([[1.0]]))


@pytest.mark.parametrize("private", [np.full(4, 0.777), np.full((2, 5), np.nan), np.full(5, np.inf), ["0.777"] * 5])
def test_bad_vectors_are_refused_without_being_quoted(candidates, private):
    with pytest.raises(tv.InvalidInputError) as caught:
        make(candidates).release(private)
    assert "777" not in str(caught.value)
