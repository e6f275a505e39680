"""Hyperbolic noise: the repaired law keeps epsilon, the published one keeps nothing; words in the Poincaré ball."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import textveil as tv
from textveil.spaces import Poincare
from textveil.spaces.hyperbolic import Polar, distance
from textveil.vocabulary.pairs import log_normalisers, steepest_pairs

TOY = tv.Vocabulary(["root", "near", "far"], [[0, 0], [0.5, 0], [0, 0.9]], unknown="root", space=Poincare(2))


def tree(size, dimension, seed=0):
    """Points that crowd towards the boundary, each near one of the points before it."""
    rng = np.random.default_rng(seed)
    tangents = np.zeros((size, dimension))
    for child in range(1, size):
        parent = tangents[rng.integers((child + 2) // 3)]
        outward = rng.standard_normal(dimension) + 2 * parent
        tangents[child] = parent + 1.2 * outward / np.linalg.norm(outward)
    return tv.Vocabulary([f"w{i}" for i in range(size)], Polar.of_tangents(tangents).ball(), space=Poincare(dimension))


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 0.7), (2, 3.0), (10, 12.0), (100, 110.0)])
def test_released_points_lie_at_the_distances_of_the_law(dimension, epsilon):
    """Kolmogorov–Smirnov at 1e-6 around inputs near and far; epsilon x 1.3 must fail."""
    for norm in (0.0, 0.6, 0.99):
        inputs = np.zeros((3000, dimension))
        inputs[:, 0] = norm
        for scale, passes in [(1.0, True), (1.3, False)]:
            mechanism = tv.HyperbolicLaplace(epsilon=scale * epsilon, dimension=dimension)
            outputs = mechanism.release(inputs, source=tv.RandomSource.seeded(3))
            drawn = distance(Polar.of_ball(outputs), Polar.of_ball(inputs))
            law = tv.HyperbolicLaplace(epsilon=epsilon, dimension=dimension).radius_law
            assert (stats.kstest(drawn, law.cdf).pvalue > 1e-6) == passes


def test_the_density_is_normalised_and_keeps_epsilon():
    rng = np.random.default_rng(1)
    mechanism = tv.HyperbolicLaplace(epsilon=3.5, dimension=2)
    x, y, z = rng.uniform(-0.69, 0.69, (3, 500, 2))
    losses = mechanism.log_density(z, x) - mechanism.log_density(z, y)
    bound = 3.5 * distance(Polar.of_ball(x), Polar.of_ball(y))
    assert (losses <= bound + 1e-9).all()
    assert mechanism.log_density([0.1, 0.2], x).shape == (500,)
    assert mechanism.log_density([0.1, 0.2], [0.3, 0.4]).shape == ()
    at_the_input = mechanism.log_density(x, x) - mechanism.log_density(x, y)
    assert np.allclose(at_the_input, bound, rtol=1e-12)
    axis = np.linspace(-1, 1, 1201)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    grid = grid[(grid**2).sum(axis=1) < 1 - 1e-9]
    volume = (2 / (1 - (grid**2).sum(axis=1))) ** 2 * (axis[1] - axis[0]) ** 2
    assert np.sum(np.exp(mechanism.log_density(grid, np.array([0.4, -0.2]))) * volume) == pytest.approx(1, abs=0.01)


def test_an_epsilon_below_the_dimension_is_refused_and_the_way_out_named():
    for dimension, epsilon in [(10, 9.0), (100, 8.0), (2, 0.5)]:
        with pytest.raises(
            tv.InvalidInputError, match=rf"> {dimension - 1} .*T12.*Exponential.*Poincare\({dimension}\)"
        ):
            tv.HyperbolicLaplace(epsilon=epsilon, dimension=dimension)
    assert tv.HyperbolicLaplace(epsilon=0.01, dimension=1).guarantee.epsilon == 0.01


def test_guarantees_say_what_is_true():
    repaired = tv.HyperbolicLaplace(epsilon=5, dimension=3).guarantee
    assert repaired.status is tv.Status.CONDITIONAL
    assert "ideal arithmetic" in repaired.reason
    assert "hyperbolic distance" in str(repaired)
    assert repaired.loss(2.0) == 10
    assert tv.HyperbolicLaplace(epsilon=0.5, dimension=3, variant="lebesgue").guarantee.status is tv.Status.CONDITIONAL
    published = tv.HyperbolicLaplace(epsilon=1, dimension=100, variant="published").guarantee
    assert published.status is tv.Status.REFUTED
    assert "infinite" in published.reason
    for noise in (repaired, published):
        assert noise.relation.metric == Poincare(3).metric


def test_the_lebesgue_variant_keeps_epsilon_with_its_smaller_rate():
    """The exact worst log-ratio in one dimension, over a grid of inputs and outputs; at rate epsilon it would fail."""
    outputs = np.tanh(np.linspace(-9, 9, 20_001))
    inputs = np.tanh(np.linspace(-4, 4, 33))
    apart = np.abs(2 * np.arctanh(inputs)[:, None] - 2 * np.arctanh(inputs))
    for epsilon in (0.5, 1.9, 2.1, 6.0):
        mechanism = tv.HyperbolicLaplace(epsilon=epsilon, dimension=1, variant="lebesgue")
        for rate, kept in [(mechanism.rate, True), (epsilon, False)]:
            logs = -rate * np.abs(2 * np.arctanh(outputs) - 2 * np.arctanh(inputs)[:, None])
            logs -= np.log((np.exp(logs) * (1 - outputs**2)).sum(axis=1, keepdims=True))
            losses = (logs[:, None] - logs[None]).max(axis=-1)
            assert (losses <= epsilon * apart + 1e-3).all() == kept
    with pytest.raises(tv.InvalidInputError, match="at most 5 dimensions"):
        tv.HyperbolicLaplace(epsilon=1, dimension=6, variant="lebesgue")


def test_the_published_noise_can_be_told_apart_with_certainty():
    """From -.9 an output is at most .1; from .9 at least -.1. One out of reach of the other has infinite loss."""
    noise = tv.HyperbolicLaplace(epsilon=1.0, dimension=2, variant="published", steps=50)
    left = noise.release(np.tile([-0.9, 0.0], (500, 1)), source=tv.RandomSource.seeded(1))
    beyond = np.linalg.norm(left - [0.9, 0.0], axis=1) >= 1
    assert beyond.mean() > 0.9
    right = noise.release(np.tile([0.9, 0.0], (500, 1)), source=tv.RandomSource.seeded(2))
    assert (np.linalg.norm(right - [0.9, 0.0], axis=1) < 1).all()


def test_a_word_may_be_out_of_reach_of_the_published_noise():
    line = tv.Vocabulary(list("abcd"), [[-0.95], [0.0], [0.5], [0.95]], unknown="b", space=Poincare(1))
    noise = tv.HyperbolicLaplace(epsilon=1.0, dimension=1, variant="published", steps=30, margin=-1e-4)
    mechanism = tv.NearestWord(line, noise)
    ids = mechanism.release_ids(np.repeat([0, 3], 2000), source=tv.RandomSource.seeded(4)).reshape(2, -1)
    assert 3 not in ids[0]
    assert np.mean(ids[1] == 3) > 0.2
    assert mechanism.guarantee.status is tv.Status.REFUTED


def test_the_published_projection_leaves_the_ball_as_printed():
    inputs = np.tile([0.99, 0.0], (200, 1))
    for margin, inside in [(1e-4, False), (-1e-4, True)]:
        noise = tv.HyperbolicLaplace(epsilon=0.2, dimension=2, variant="published", steps=20, margin=margin)
        norms = np.linalg.norm(noise.release(inputs, source=tv.RandomSource.seeded(5)), axis=1)
        assert (norms < 1).all() == inside
        assert np.isclose(norms, 1 + margin, rtol=1e-12).mean() > 0.1
    with pytest.raises(tv.InvalidInputError, match="outside the ball"):
        tv.NearestWord(TOY, tv.HyperbolicLaplace(epsilon=0.2, dimension=2, variant="published"))


def test_at_epsilon_8_the_published_mechanism_releases_the_private_point():
    private = np.full((20, 100), 0.05)
    private[0] = 0
    noise = tv.HyperbolicLaplace(epsilon=8, dimension=100, variant="published")
    assert (noise.release(private, source=tv.RandomSource.seeded(6)) == private).all()


def test_the_decoded_word_has_the_law_that_can_be_computed():
    """In one dimension hyperbolic space is a line with coordinate 2 artanh x. Chi-square at 1e-7; x 1.3 must fail."""
    places = np.array([-1.0, 0.5, 2.0])
    line = tv.Vocabulary(list("abc"), np.tanh(places / 2)[:, None], unknown="b", space=Poincare(1))
    mechanism = tv.NearestWord(line, tv.HyperbolicLaplace(epsilon=1.0, dimension=1))
    drawn = mechanism.release_ids(np.ones(40_000, dtype=int), source=tv.RandomSource.seeded(7))
    counts = np.bincount(drawn, minlength=3)
    for epsilon, passes in [(1.0, True), (1.3, False)]:
        noise = stats.laplace(0.5, 1 / epsilon)
        law = np.diff([0, noise.cdf(-0.25), noise.cdf(1.25), 1])
        assert (stats.chisquare(counts, law * counts.sum()).pvalue > 1e-7) == passes
    assert mechanism.guarantee.status is tv.Status.CONDITIONAL
    assert mechanism.guarantee.unit is tv.Unit.WORD


def test_noise_and_vocabulary_must_share_their_space(clustered):
    with pytest.raises(tv.InvalidInputError, match="hyperbolic distance, the vocabulary has Euclidean"):
        tv.NearestWord(clustered, tv.HyperbolicLaplace(epsilon=20, dimension=12))
    with pytest.raises(tv.InvalidInputError, match="Euclidean distance, the vocabulary has hyperbolic"):
        tv.NearestWord(TOY, tv.Laplace(epsilon=1, dimension=2))


@pytest.mark.parametrize("bad", [[1.0, 0.0], [0.8, 0.7], [3.0, 0.0], [np.nan, 0.0], [np.inf, 0.0], [0.1], ["a", "b"]])
def test_bad_points_are_refused_and_not_quoted(bad):
    mechanism = tv.HyperbolicLaplace(epsilon=2, dimension=2)
    with pytest.raises(tv.InvalidInputError) as caught:
        mechanism.release([bad] if len(bad) == 2 else bad)
    assert "0.8" not in str(caught.value)


@pytest.mark.parametrize(
    "bad", [{"epsilon": 0}, {"epsilon": np.nan}, {"dimension": 0}, {"variant": "best"}, {"steps": 0}, {"margin": 1.5}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(tv.InvalidInputError, match=next(iter(bad))):
        tv.HyperbolicLaplace(**{"epsilon": 3.0, "dimension": 2, **bad})


@pytest.mark.parametrize("variant", ["repaired", "lebesgue"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_outputs_stay_inside_the_ball_in_every_precision(variant, kind):
    epsilon = 1.001 if variant == "repaired" else 0.01
    mechanism = tv.HyperbolicLaplace(epsilon=epsilon, dimension=2, variant=variant)
    released = mechanism.release(np.zeros((2000, 2), dtype=kind), source=tv.RandomSource.seeded(8))
    assert released.dtype == kind
    assert (np.linalg.norm(released.astype(np.float64), axis=1) < 1).all()
    if kind is np.float64:
        assert (TOY.nearest(released) >= 0).all()


def test_a_spec_makes_it_again_and_one_point_gives_one_point():
    for more in ({}, {"variant": "lebesgue"}, {"variant": "published", "steps": 7, "margin": -1e-5}):
        mechanism = tv.HyperbolicLaplace(epsilon=3.0, dimension=2, **more)
        assert tv.from_spec(mechanism.spec()) == mechanism
        assert mechanism.release([0.1, 0.2]).shape == (2,)
    word = tv.NearestWord(TOY, tv.HyperbolicLaplace(epsilon=3.0, dimension=2))
    assert tv.from_spec(word.spec(), objects={"vocabulary": TOY}).spec() == word.spec()
    keyed = [mechanism.release(np.full((9, 2), 0.3), source=tv.RandomSource.keyed(bytes(32))) for _ in range(2)]
    assert (keyed[0] == keyed[1]).all()


def test_golden_losses_and_rows_of_the_toy_in_the_plane():
    for rate, golden in [(0.5, 0.5849415053), (1.0, 1.0834101462)]:
        normalisers = log_normalisers(TOY, np.array([rate]), radius=np.inf)
        slope = steepest_pairs(TOY, normalisers, radius=np.inf, slack=0.0).slope[0]
        assert rate + slope == pytest.approx(golden, abs=1e-10)
    row = np.exp(-0.5 * TOY.space.distances(TOY.block(0, 1), TOY.block(0, 3))[0])
    assert np.allclose(row / row.sum(), [0.5534751032, 0.3195489998, 0.126975897], rtol=0, atol=1e-10)
    tight = tv.Exponential(TOY, epsilon=1.0, weights="tight").law
    assert np.allclose(tight.weights, [0.7054684814, 0.7352218701, 0.9396936765], rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "options", [{}, {"radius": 3.0}, {"weights": "tight"}, {"calibrated": False}, {"weights": "tight", "radius": 4.0}]
)
@pytest.mark.parametrize(("dimension", "epsilon"), [(2, 0.5), (5, 1.0), (50, 2.0)])
def test_words_in_the_ball_keep_epsilon_at_every_epsilon(dimension, epsilon, options):
    vocabulary = tree(40 if "weights" in options else 120, dimension)
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, **options)
    matrix = mechanism.transition_matrix()
    assert np.allclose(matrix.sum(axis=1), 1)
    table = vocabulary.block(0, len(vocabulary))
    apart = np.minimum(vocabulary.space.distances(table, table), options.get("radius", np.inf))
    used = matrix.max(axis=0) > 0
    logs = np.log(matrix[:, used])
    losses = np.array([(row - logs).max(axis=1) for row in logs])
    assert (losses <= epsilon * apart + 1e-12).all()
    if mechanism.law.certified and not options:
        assert (losses[apart > 0] / apart[apart > 0]).max() > 0.999 * epsilon
    assert mechanism.guarantee.status is tv.Status.PROVED
    assert "hyperbolic distance" in str(mechanism.guarantee)
