"""ADePT's noise: the published one breaks its promise, the three others keep it, and their laws are as stated."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import textveil as tv

FALSE_ALARM = 1e-6
SOUND = ["l1", "corrected", "radial"]
VARIANTS = ["published", *SOUND]
PRECISIONS = ["exact", "fast"]


def made(variant="radial", *, epsilon=1.0, clip=2.0, dimension=8, precision="exact"):
    return tv.ClippedLaplace(epsilon=epsilon, clip=clip, dimension=dimension, variant=variant, precision=precision)


def seeded(seed=1):
    return tv.RandomSource.seeded(seed)


def corners(variant, dimension, clip):
    """Two vectors as far apart as the ball allows in the distance that the noise counts."""
    if variant in ("published", "corrected"):
        first = np.full(dimension, clip / math.sqrt(dimension))
    else:
        first = np.eye(dimension)[0] * clip
    return first, -first


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_noise_has_its_law(variant, precision):
    """Kolmogorov and Smirnov's test of coordinates, or of norms; it fails for scale x1.3."""
    mechanism = made(variant, epsilon=0.7, clip=3.0, dimension=4, precision=precision)
    noise = mechanism.release(np.zeros((5000, 4)), source=seeded())
    scale = {"published": 6 / 0.7, "l1": 6 / 0.7, "corrected": 12 / 0.7, "radial": 6 / 0.7}[variant]
    assert mechanism.scale == pytest.approx(scale)
    for factor in (1.0, 1.3):
        if variant == "radial":
            test = stats.kstest(np.linalg.norm(noise, axis=1), stats.gamma(4, scale=factor * scale).cdf)
        else:
            test = stats.kstest(noise.ravel(), stats.laplace(scale=factor * scale).cdf)
        assert (test.pvalue > FALSE_ALARM) == (factor == 1.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_coordinates_and_items_get_noise_of_their_own(variant):
    noise = made(variant, dimension=6).release(np.zeros((5000, 6)), source=seeded())
    correlations = np.corrcoef(noise.T)[np.triu_indices(6, 1)]
    assert np.abs(correlations).max() < stats.norm.isf(FALSE_ALARM / 30) / math.sqrt(5000) * 1.5
    assert len(np.unique(noise, axis=0)) == 5000


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_stated_error_is_the_one_of_the_formula(variant):
    n, epsilon, clip = 32, 4.0, 3.0
    over_clip = {"published": 4.0, "l1": 4.0, "corrected": 22.6, "radial": 16.2}[variant]
    assert made(variant, epsilon=epsilon, clip=clip, dimension=n).rms == pytest.approx(clip * over_clip, rel=4e-3)


@pytest.mark.parametrize("dimension", [1, 2, 12])
@pytest.mark.parametrize("variant", SOUND)
def test_log_densities_of_two_inputs_never_differ_by_more_than_epsilon(variant, dimension):
    random = np.random.default_rng(dimension)
    for epsilon, clip in ((0.01, 1e3), (1.0, 1.0), (50.0, 1e-3)):
        mechanism = made(variant, epsilon=epsilon, clip=clip, dimension=dimension, precision="fast")
        first, second, output = 3 * clip * random.normal(size=(3, 300, dimension))
        losses = mechanism.log_density(output, first) - mechanism.log_density(output, second)
        assert np.abs(losses).max() <= epsilon * (1 + 1e-9)
        assert np.abs(losses).max() > epsilon / 10


@pytest.mark.parametrize("dimension", [2, 32, 300])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_largest_loss_is_the_true_epsilon(variant, dimension):
    mechanism = made(variant, epsilon=1.5, dimension=dimension)
    first, second = corners(variant, dimension, mechanism.clip)
    reached = mechanism.log_density(first, first) - mechanism.log_density(first, second)
    assert reached == pytest.approx(mechanism.true_epsilon, rel=1e-9)
    assert mechanism.true_epsilon == pytest.approx(1.5 * (math.sqrt(dimension) if variant == "published" else 1))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_density_is_normalised(variant):
    mechanism = made(variant, dimension=2, precision="fast")
    axis = np.linspace(-90, 90, 601)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    total = np.exp(mechanism.log_density(grid, np.array([5.0, -7.0]))).sum() * (axis[1] - axis[0]) ** 2
    assert total == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dimension", [1, 5, 300])
def test_rounded_vectors_stay_in_the_ball_by_exact_arithmetic(variant, dimension):
    mechanism = made(variant, epsilon=3.0, clip=0.7, dimension=dimension)
    order = 1 if variant == "l1" else 2
    vectors = np.random.default_rng(2).normal(size=(50, dimension))
    vectors = np.concatenate([vectors, [corners(variant, dimension, 0.7)[0]], 1e300 * vectors])
    for steps in mechanism._rounded(mechanism._clipped(vectors)):
        length = sum(abs(int(step)) ** order for step in steps) * Fraction(mechanism.lattice.step) ** order
        assert length <= Fraction(0.7) ** order


@pytest.mark.parametrize("variant", VARIANTS)
def test_long_vectors_are_shortened_before_the_noise_is_added(variant):
    """Normal test of every coordinate of the mean."""
    count, direction = 5000, np.array([0.6, -0.8, 0.0])
    mechanism = made(variant, epsilon=20.0, dimension=3)
    released = mechanism.release(np.tile(1e6 * direction, (count, 1)), source=seeded())
    shortened = mechanism.clip * direction / (1.4 if variant == "l1" else 1.0)
    limit = stats.norm.isf(FALSE_ALARM / 24) * mechanism.rms / math.sqrt(3 * count)
    assert (np.abs(released.mean(axis=0) - shortened) < limit).all()
    assert (np.abs(1.3 * released.mean(axis=0) - shortened) > limit).any()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("vector", [[0.0, 0.0, 0.0], [1e308, -1e308, 1e308], [5e-324, 0.0, -0.0]], ids=str)
def test_no_vector_is_too_short_or_too_long(variant, vector):
    mechanism = made(variant, dimension=3)
    released = mechanism.release(np.array(vector))
    assert np.isfinite(released).all()
    assert np.array_equal(released / mechanism.lattice.step, np.rint(released / mechanism.lattice.step))


@pytest.mark.parametrize("clip", [1.0, 1.3, 1.99])
@pytest.mark.parametrize("variant", SOUND)
def test_the_sound_variants_promise_epsilon_for_any_pair(variant, clip):
    mechanism = made(variant, epsilon=100.0, dimension=30, clip=clip)
    guarantee = mechanism.guarantee
    assert (guarantee.status, guarantee.relation.pairs, guarantee.unit) == ("proved", "any", "vector")
    assert guarantee.loss(math.inf) == 100.0
    assert (guarantee.slack, guarantee.delta < 30 * 1e-56) == (0.0, True)
    fast = made(variant, epsilon=10.0, dimension=30, clip=clip, precision="fast").guarantee
    assert (fast.delta, 0 < fast.slack < 1e-6) == (0.0, True)
    assert (mechanism.witness, mechanism.nominal_delta) == (None, 0.0)


def test_the_published_variant_is_refuted_and_says_how_far():
    mechanism = made("published", epsilon=4.0, dimension=32)
    assert mechanism.guarantee.status == "refuted"
    for part in ("22.62", "0.657", "5.333"):
        assert part in mechanism.guarantee.reason
    assert mechanism.nominal_delta == pytest.approx(0.6578, abs=1e-4)


def test_the_published_variant_is_right_in_one_dimension():
    mechanism = made("published", dimension=1)
    assert mechanism.guarantee == made("radial", dimension=1).guarantee
    assert mechanism.guarantee.status == "proved"
    assert (mechanism.witness, mechanism.true_epsilon, mechanism.nominal_delta) == (None, 1.0, 0.0)


def test_beyond_many_dimensions_delta_is_that_of_a_pair_with_zeros():
    assert made("published", dimension=5000).nominal_delta == made("published", dimension=1024).nominal_delta


@pytest.mark.parametrize("variant", ["published", "corrected"])
def test_the_witness_refutes_the_published_noise_and_no_other(variant):
    """Clopper and Pearson's bounds of two probabilities: a loss above epsilon is certain, or there is none."""
    count = 40_000
    witness = made("published", dimension=3).witness
    assert witness.loss == pytest.approx(4 / 3, rel=1e-3)
    mechanism = made(variant, dimension=3)
    often, seldom = (
        int(witness.happens(mechanism.release(np.tile(x, (count, 1)), source=seeded(7))).sum()) for x in witness.pair
    )
    least = stats.beta.ppf(FALSE_ALARM / 2, often, count - often + 1)
    most = stats.beta.isf(FALSE_ALARM / 2, seldom + 1, count - seldom)
    assert (math.log(least / most) > mechanism.epsilon) == (variant == "published")
    if variant == "published":
        assert stats.binomtest(often, count, witness.probability).pvalue > FALSE_ALARM
        assert stats.binomtest(seldom, count, witness.probability * math.exp(-witness.loss)).pvalue > FALSE_ALARM


def test_released_vectors_have_the_delta_that_is_computed():
    """Hoeffding's bound of P - e^epsilon Q for the event where the loss is above epsilon; it fails for scale x1.3."""
    count, n = 60_000, 32
    mechanism = made("published", dimension=n)
    pair = corners("published", n, mechanism.clip)
    allowed = math.sqrt(math.log(2 / FALSE_ALARM) * (1 + math.exp(2)) / (2 * count))
    for factor in (1.0, 1.3):
        drawn = made("published", epsilon=1 / factor, dimension=n, precision="fast")
        outputs = (drawn.release(np.tile(x, (count, 1)), source=seeded(3)) for x in pair)
        losses = (mechanism.log_density(y, pair[0]) - mechanism.log_density(y, pair[1]) for y in outputs)
        often, seldom = (float((loss > 1.0).mean()) for loss in losses)
        assert (abs(often - math.e * seldom - mechanism.nominal_delta) < allowed) == (factor == 1.0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": 101.0}, "epsilon must be from 1e-09 to 100"),
        ({"clip": 0.0}, "clip must be a finite number > 0"),
        ({"clip": -1.0}, "clip"),
        ({"clip": math.inf}, "clip"),
        ({"clip": 1e-101}, "clip must be from"),
        ({"dimension": 0}, "dimension must be a whole number >= 1"),
        ({"variant": "gaussian"}, "variant must be one of published, l1, corrected, radial"),
        ({"precision": "double"}, "precision"),
    ],
)
def test_nonsense_is_refused(wrong, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        made(**wrong)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_without_being_quoted(value):
    with pytest.raises(tv.InvalidInputError, match="finite") as caught:
        made(dimension=3).release(np.array([[0.1, 0.2, 0.3], [123.5, value, 0.0]]))
    assert "123" not in str(caught.value)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_spec_gives_the_mechanism_back_and_a_key_its_noise(variant):
    mechanism = made(variant, dimension=3)
    again = tv.from_spec(mechanism.spec())
    assert again == mechanism == made(variant, epsilon=1, clip=np.float32(2), dimension=3.0)
    vectors = np.arange(12.0).reshape(4, 3)
    released = [made.release(vectors, source=tv.RandomSource.keyed(bytes(32))) for made in (mechanism, again)]
    assert np.array_equal(*released)
    assert np.array_equal(mechanism.release(vectors[1:2], source=tv.RandomSource.keyed(bytes(32), 1)), released[0][1:2])
    assert mechanism.release(vectors[0].astype(np.float32)).dtype == np.float32
    assert mechanism.release(np.empty((0, 3))).shape == (0, 3)
