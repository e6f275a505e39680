"""Unit vectors of PrivUnit: both samplers have the law; the float bound of the one that is proved."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy import stats

from textveil.noise import unit
from textveil.noise.cap import Cap, best_cap
from textveil.noise.unit import FromCap, Rejection, asymmetry, expected_tries, lifted

FALSE_ALARM = 1e-6
KINDS = [Rejection, FromCap]


def directions(count, dimension, seed=0):
    g = np.random.default_rng(seed).normal(size=(count, dimension))
    return g / np.linalg.norm(g, axis=1, keepdims=True)


def law_of_t(cap, odds):
    """The distribution function of t = <V, u>."""

    def cdf(t):
        below = stats.beta(cap.shape, cap.shape).cdf((1 + np.asarray(t)) / 2)
        on_cap = np.maximum(0, below - (1 - cap.mass))
        return (odds * below + on_cap) / (odds + cap.mass)

    return cdf


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 1.0), (3, 3.0), (20, 1.0), (101, 4.0)])
def test_the_inner_product_has_its_law(streams, kind, dimension, epsilon):
    cap = best_cap(dimension, epsilon)
    drawer = kind(cap, epsilon)
    units = directions(30_000, dimension)
    drawn = drawer.draw(streams(30_000), units)
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1.0, rtol=1e-12)
    t = np.clip(np.sum(drawn * units, axis=1), -1, 1)
    assert stats.kstest(t, law_of_t(cap, drawer.odds)).pvalue > FALSE_ALARM
    wrong = best_cap(dimension, 1.3 * epsilon)
    assert stats.kstest(t, law_of_t(wrong, 1 / math.expm1(1.3 * epsilon))).pvalue < FALSE_ALARM


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_orthogonal_to_the_input_is_uniform(streams, fits, kind):
    dimension = 6
    units, others = directions(20_000, dimension), directions(20_000, dimension, seed=1)
    across = others - np.sum(others * units, axis=1)[:, None] * units
    across /= np.linalg.norm(across, axis=1)[:, None]
    drawn = kind(best_cap(dimension, 2.0), 2.0).draw(streams(20_000), units)
    t = np.sum(drawn * units, axis=1)
    along = np.sum(drawn * across, axis=1) / np.sqrt(1 - t**2)
    assert fits((1 + along) / 2, stats.beta(2.0, 2.0))
    assert not fits((1 + 1.3 * along) / 2, stats.beta(2.0, 2.0))


def test_both_samplers_draw_from_the_same_law(streams):
    dimension, epsilon = 20, 3.0
    units = directions(20_000, dimension)

    def inner(kind, epsilon, seed):
        return np.sum(kind(best_cap(dimension, epsilon), epsilon).draw(streams(20_000, seed), units) * units, axis=1)

    ours = inner(Rejection, epsilon, 1)
    assert stats.ks_2samp(ours, inner(FromCap, epsilon, 2)).pvalue > FALSE_ALARM
    assert stats.ks_2samp(ours, inner(FromCap, 1.3 * epsilon, 2)).pvalue < FALSE_ALARM


def test_far_in_the_tail_the_cap_is_met_as_often_as_it_should(streams):
    cap = best_cap(50, 100.0)
    units = directions(4000, 50)
    t = np.sum(FromCap(cap, 100.0).draw(streams(4000), units) * units, axis=1)
    assert cap.mass < 1e-40
    on_cap = cap.mass / (cap.mass + math.exp(-100))
    assert stats.binomtest(int(np.sum(t >= cap.gamma - 1e-12)), 4000, on_cap).pvalue > FALSE_ALARM


def test_a_proposal_is_never_touched_by_the_input(streams):
    """Two inputs that read the same stream keep the same proposals or different ones, never nearly the same."""
    cap = best_cap(10, 1.0)
    ours, theirs = (Rejection(cap, 1.0).draw(streams(3000), directions(3000, 10, seed)) for seed in (0, 1))
    same = (ours == theirs).all(axis=1)
    assert 0.2 < same.mean() < 0.9
    assert np.abs(ours - theirs)[~same].max(axis=1).min() > 1e-3


def test_how_many_are_tried_does_not_depend_on_the_input(streams, monkeypatch):
    """The number of tries is geometric with the stated mean, for equal and for spread inputs."""
    counted = np.zeros(6000, dtype=int)
    true_propose = unit._propose

    def counting(words, rows, *others):
        counted[rows] += 1
        true_propose(words, rows, *others)

    monkeypatch.setattr(unit, "_propose", counting)
    cap = best_cap(12, 1.5)
    keep = 1 / expected_tries(cap, 1.5)
    for units in (directions(6000, 12), np.tile(np.eye(12)[3], (6000, 1))):
        counted[:] = 0
        Rejection(cap, 1.5).draw(streams(6000), units)
        deviation = math.sqrt((1 - keep) / 6000) / keep
        assert abs(counted.mean() - 1 / keep) < stats.norm.isf(FALSE_ALARM / 2) * deviation
        assert abs(counted.mean() - 1 / (1.3 * keep)) > stats.norm.isf(FALSE_ALARM / 2) * deviation


@pytest.mark.parametrize("dimension", [2, 3, 301, 1025, 100_000])
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 1.0, 4.0, 8.0])
def test_the_coin_and_the_float_bound_stay_within_epsilon(dimension, epsilon):
    cap = best_cap(dimension, epsilon)
    drawer = Rejection(cap, epsilon)
    kept = Decimal(drawer.coin) / Decimal(2**64)
    chance = float(kept) + (1 - float(kept)) * cap.mass * 0.999
    second = float(1 - kept) * 2 * asymmetry(cap) / (chance - asymmetry(cap))
    loss = -kept.ln() + Decimal(second)
    assert loss <= Decimal(epsilon)
    assert loss >= Decimal(epsilon) * (1 - Decimal("1e-5"))


def test_the_coin_lies_just_above_the_exponential():
    assert unit._above_exponential(1.0) == 6786177901268885274 + 1
    assert unit._above_exponential(1e-30) == 2**64 - 1
    assert unit._above_exponential(200.0) == 1


@pytest.mark.parametrize("dimension", [2, 3])
def test_coarse_uniforms_miss_the_mass_by_less_than_the_bound(dimension):
    """Claim 6 counts cells that a border crosses; with few and wide cells everything can be counted."""
    bits = 7 if dimension == 2 else 3
    cell = 2.0**-bits
    middles = (np.arange(2**bits) + 0.5) * cell
    turns = (np.arange(2 ** (bits + 2)) + 0.5) * cell / 4
    r, turn = (grid.ravel() for grid in np.meshgrid(np.sqrt(-2 * np.log(middles)), 2 * np.pi * turns))
    pair = np.stack([r * np.cos(turn), r * np.sin(turn)], axis=1)
    if dimension == 2:
        points = pair
    else:
        first, last = (grid.ravel() for grid in np.meshgrid(np.arange(len(pair)), np.arange(len(pair))))
        points = np.concatenate([pair[first], pair[last, :1]], axis=1)
    points /= np.linalg.norm(points, axis=1)[:, None]
    bound = -(-dimension // 2) * 3 * cell
    worst = 0.0
    for u, gamma in product(directions(40, dimension, seed=2), (0.0, 0.2, 0.6, 0.9)):
        worst = max(worst, abs(np.mean(points @ u >= gamma) - Cap(dimension, gamma, 1 - gamma).mass))
    assert worst <= bound
    assert worst > bound / 1000


def test_decisions_of_the_kernel_are_those_of_long_arithmetic(streams):
    """Only proposals within the rounding that is allowed for may be decided otherwise."""
    dimension, gamma = 301, 0.02
    cap = Cap(dimension, gamma, 1 - gamma)
    drawer = Rejection(cap, 1.0)
    units = directions(4000, dimension)
    words = streams(4000).words(drawer.words).reshape(4000, 1, -1)
    drawn, kept = np.empty_like(units), np.empty(4000, dtype=bool)
    unit._propose(words, np.arange(4000), units, gamma, np.uint64(0), drawn, kept)
    wide = drawn.astype(np.longdouble)
    t = np.sum(wide * units, axis=1) / np.sqrt(np.sum(wide**2, axis=1)) / np.sqrt(np.sum(units**2, axis=1))
    assert ((t >= gamma) == kept)[np.abs(t - gamma) > 2.0**-46 + (dimension + 8) * 2.0**-50].all()
    assert kept.any()
    assert not kept.all()


@pytest.mark.parametrize("scale", [0.0, 5e-324, 1e-310, 1e-9, 0.5, 1.0, 3.0, 1e200, 1.7e308])
def test_vectors_of_any_length_are_lifted_to_the_sphere(scale):
    vectors = directions(50, 7) * scale
    units = lifted(vectors, 2.0)
    np.testing.assert_allclose(np.linalg.norm(units, axis=1), 1.0, rtol=1e-14)
    assert (units[:, -1] >= 0).all()
    expected = vectors / 2.0 if scale <= 2 else directions(50, 7) * (1 - 2.0**-40)
    np.testing.assert_allclose(units[:, :-1], expected, rtol=1e-12, atol=1e-300)


def test_the_widest_of_vectors_does_not_overflow():
    units = lifted(np.full((1, 1000), -1.7e308), 1e-100)
    np.testing.assert_allclose(units[0, :-1], -1 / math.sqrt(1000), rtol=1e-11)
