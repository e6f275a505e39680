"""The tight form keeps epsilon for every pair and output, and keeps words as often as can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import textveil as tv
from textveil.mechanisms.exponential.covering import solve_cover
from textveil.mechanisms.exponential.triples import cell_order, margins

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")


def distance_matrix(vocabulary, radius=np.inf):
    points = vocabulary.block(0, len(vocabulary))
    return np.minimum(np.linalg.norm(points[:, None] - points[None], axis=2), radius)


def worst_rate(matrix, distances):
    """The largest |log ratio| / distance over all inputs and used outputs; by brute force."""
    used = matrix.max(axis=0) > 0
    assert (matrix[:, used] > 0).all()
    logs = np.log(matrix[:, used])
    ratios = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)
    apart = distances > 0
    assert np.abs(ratios[~apart]).max() < 1e-12
    return float((ratios[apart] / distances[apart]).max())


@pytest.mark.parametrize(
    ("rate", "weights"),
    [
        (0.25, [0.5621765008857981, 0.18463583208765275, 0.35351790983185943, 0.7310585786300048]),
        (0.5, [0.6224593312018546, 0.35351790983185943, 0.6118556566078873, 0.8807970779778824]),
        (1.0, [0.7310585786300049, 0.6118556566078873, 0.8628108680157909, 0.9820137900379086]),
    ],
)
def test_golden_weights_of_the_line(rate, weights):
    law = tv.Exponential(LINE, epsilon=rate, weights="tight").law
    assert law.output_weights == pytest.approx(weights, abs=1e-8)
    assert law.row_boosts == pytest.approx(np.ones(4), abs=1e-8)
    assert law.kept == pytest.approx(law.most_kept, rel=1e-6)


@st.composite
def vocabularies(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, dimension = draw(st.integers(2, 24)), draw(st.sampled_from([1, 2, 4, 12]))
    vectors = draw(st.sampled_from([0.3, 1.0, 3.0])) * rng.normal(size=(size, dimension))
    if draw(st.booleans()):
        vectors[-1] = vectors[0]
    return tv.Vocabulary([f"w{i}" for i in range(size)], vectors, unknown="w0")


@given(vocabularies(), st.sampled_from([0.3, 1.0, 2.5, 8.0]), st.sampled_from([None, 1.5]))
@settings(max_examples=60, deadline=None)
def test_every_entry_keeps_epsilon_and_nothing_passes_the_bound(vocabulary, epsilon, radius):
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, weights="tight")
    distances = distance_matrix(vocabulary, mechanism.guarantee.relation.radius or np.inf)
    matrix = mechanism.transition_matrix()
    assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
    if not distances.any():
        return
    assert worst_rate(matrix, distances) <= epsilon * (1 + 1e-6)
    kept = np.diag(matrix).mean()
    plain = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, calibrated=True)
    assert kept >= np.diag(plain.transition_matrix()).mean() * (1 - 1e-6)
    assert mechanism.law.kept == pytest.approx(kept, rel=1e-6)
    # The truth about the bound, from a solver of its own.
    programme = linprog(-np.ones(len(vocabulary)), A_ub=np.exp(-epsilon * distances), b_ub=np.ones(len(vocabulary)))
    most = -programme.fun / len(vocabulary)
    assert mechanism.law.most_kept >= most * (1 - 1e-6)
    assert kept <= most * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [0.8, 1.2, 1.6])
def test_in_many_dimensions_it_comes_within_five_per_cent_of_the_bound(epsilon):
    rng = np.random.default_rng(1)
    centres = 0.35 * rng.normal(size=(40, 100))
    vectors = centres[rng.integers(40, size=500)] + 0.3 * rng.normal(size=(500, 100))
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(500)], vectors, unknown="w0")
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, weights="tight")
    plain = tv.Exponential(vocabulary, epsilon=epsilon)
    assert worst_rate(mechanism.transition_matrix(), distance_matrix(vocabulary)) <= epsilon * (1 + 1e-6)
    assert mechanism.law.kept >= 0.95 * mechanism.law.most_kept
    assert mechanism.law.kept > plain.law.kept
    assert "no law with this guarantee keeps more than" in str(mechanism.explain("w7"))


def test_the_certificate_is_never_below_the_truth():
    """Random factors t, most of them wrong: the bound on triples against brute force."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(300, 4))
    points = points[cell_order(points)]
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(300)], points, unknown="w0")
    points, table = vocabulary.block(0, 300), distance_matrix(vocabulary)
    c = np.where(rng.random(300) < 0.2, 0.0, rng.random(300))
    for spread in (0.01, 0.3, 2.0):
        t = np.exp(spread * rng.random(300))
        bounds = margins(vocabulary.space, points, table, 1.3, c, t, radius=np.inf, spare=-np.inf)
        logs = np.log(t)[:, None] + np.log(np.where(c > 0, c, 1.0)) - 1.3 * table
        np.fill_diagonal(logs, np.log(np.where(c > 0, c, 1.0)))
        used = c > 0
        truth = np.array(
            [
                max(((logs[x] - logs[z])[used].max() - 1.3 * table[x, z]) / table[x, z] for z in range(300) if z != x)
                for x in range(300)
            ]
        )
        # Where ln t(x) is not the larger, the bound may be anything that is not positive; so may the truth.
        assert np.maximum(bounds, 0) == pytest.approx(np.maximum(truth, 0), abs=1e-9)


@given(st.integers(0, 2**32), st.integers(2, 30), st.floats(0.1, 5.0))
@settings(max_examples=40, deadline=None)
def test_the_covering_programme_is_solved(seed, size, rate):
    points = np.random.default_rng(seed).normal(size=(size, 3))
    kernel = np.exp(-rate * np.linalg.norm(points[:, None] - points[None], axis=2))
    c, u = solve_cover(kernel, np.ones(size))
    assert (c >= 0).all()
    assert (kernel @ c <= 1 + 1e-9).all()
    assert (u >= 0).all()
    assert (kernel @ u >= 1 - 1e-9).all()
    assert u.sum() <= 1.02 * c.sum()


def test_too_many_words_are_refused_with_the_way_out():
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(40_000)], np.arange(40_000.0)[:, None] / 1000, unknown="w0")
    with pytest.raises(tv.InvalidInputError, match="subset"):
        tv.Exponential(vocabulary, epsilon=1.0, weights="tight")


def test_a_tight_law_is_kept_and_made_again_from_its_spec(clustered, monkeypatch):
    first = tv.Exponential(clustered, epsilon=2.0, weights="tight")
    monkeypatch.setattr("textveil.mechanisms.exponential.exponential.tight_law", None)
    again = tv.from_spec(first.spec(), objects={"vocabulary": clustered})
    assert (again.transition_matrix() == first.transition_matrix()).all()


def test_keeping_a_share_is_for_the_plain_form():
    with pytest.raises(tv.InvalidInputError, match=r"tv\.calibrate"):
        tv.Exponential(LINE, epsilon=1.0, weights="tight").keeping(0.5)
    made = tv.calibrate(lambda eps: tv.Exponential(LINE, epsilon=eps, weights="tight"), at_most=0.7)
    assert made.law.output_weights is not None
    assert 0.69 < made.law.kept <= 0.7
