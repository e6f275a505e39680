"""Public weights of outputs keep epsilon x distance for every pair, and general ones make words more general."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import textveil as tv
from textveil.cache import cache_folder
from textveil.cli.options import mechanism_of, vocabulary_of
from textveil.measure.calibration import unchanged
from textveil.mechanisms.exponential.law import steepest_rate
from textveil.mechanisms.exponential.weighting import general_weights, largest_epsilon
from textveil.spaces import Poincare

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")


def distance_matrix(vocabulary, radius):
    points = vocabulary.block(0, len(vocabulary))
    return np.minimum(vocabulary.space.distances(points, points), radius or math.inf)


def worst_rate(mechanism):
    """The largest |log ratio| / distance over all inputs and outputs; by brute force."""
    distances = distance_matrix(mechanism.vocabulary, mechanism.guarantee.relation.radius)
    matrix = mechanism.transition_matrix()
    assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    logs = np.log(matrix)
    ratios = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)
    apart = distances > 0
    assert np.abs(ratios[~apart]).max() < 1e-12
    return float((ratios[apart] / distances[apart]).max()) if apart.any() else None


@st.composite
def laws(draw):
    """A vocabulary of either space, and weights for it."""
    size, dimension = draw(st.integers(2, 25)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    ball = draw(st.booleans())
    points = rng.normal(size=(size, dimension))
    if ball:
        points *= np.tanh(rng.uniform(0, 4, size=(size, 1))) / np.linalg.norm(points, axis=1, keepdims=True)
    space = Poincare(dimension) if ball else None
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(size)], points, unknown="w0", space=space)
    return vocabulary, "general" if ball and draw(st.booleans()) else np.exp(rng.uniform(-8, 8, size=size))


@pytest.fixture(scope="module")
def nouns():
    return tv.Vocabulary.hyperbolic(2000)


@pytest.fixture
def general(nouns):
    return tv.Exponential(nouns, epsilon=2.0, weights="general")


# -- the guarantee ------------------------------------------------------------------------------------------


@given(laws(), st.floats(0.05, 4.0), st.sampled_from([None, 0.7, 3.0]))
@settings(max_examples=150, deadline=None)
def test_every_entry_keeps_epsilon_and_the_law_uses_nearly_all_of_it(law, epsilon, radius):
    vocabulary, weights = law
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, weights=weights, calibrated=True)
    used = worst_rate(mechanism)
    if used is not None:
        assert used <= epsilon * (1 + 1e-6)
        assert used == pytest.approx(mechanism.law.loss, rel=1e-6)
        aim = min(epsilon, largest_epsilon(vocabulary)) if isinstance(weights, str) else epsilon
        assert used >= 0.98 * aim


@given(laws(), st.floats(0.05, 4.0), st.sampled_from([None, 0.7, 3.0]))
@settings(max_examples=50, deadline=None)
def test_without_calibration_epsilon_is_kept_too(law, epsilon, radius):
    vocabulary, weights = law
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, weights=weights, calibrated=False)
    assert not mechanism.law.certified
    used = worst_rate(mechanism)
    assert used is None or used <= epsilon * (1 + 1e-6)


@pytest.mark.parametrize("radius", [None, 1.5])
@pytest.mark.parametrize("weights", [None, [1.0, 0.01, 5.0, 1e-3], "tight"])
def test_at_a_rate_of_zero_words_are_drawn_by_their_weights_whatever_came_in(weights, radius):
    mechanism = tv.Exponential(LINE, epsilon=5e-324, radius=radius, weights=weights)
    assert mechanism.law.rate == 0
    by_weight = np.array(weights) if isinstance(weights, list) else np.ones(4)
    assert mechanism.transition_matrix() == pytest.approx(np.tile(by_weight / by_weight.sum(), (4, 1)), rel=1e-12)
    assert tv.audit(mechanism, methods=["exact"]).bound == 0
    drawn = mechanism.release_ids(np.repeat(np.arange(4), 500), source=tv.RandomSource.seeded(3)).reshape(4, 500)
    assert ((drawn == np.arange(4)[:, None]).mean(axis=1) < 0.95).all()


@pytest.mark.parametrize("radius", [None, 3.0])
@pytest.mark.parametrize("weights", [None, "general", np.ones(50)])
def test_words_so_near_that_no_rate_is_left_are_named(weights, radius):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(50, 5))
    points *= 0.9 * rng.random((50, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    points[1] = points[0]
    points[1, 0] += 2.0**-46
    words = [f"w{i}" for i in range(50)]
    ball = tv.Vocabulary(words, points, space=Poincare(5))
    for calibrated in (None, False, True):
        with pytest.raises(tv.InvalidInputError, match="'w1' and 'w0' are so near"):
            tv.Exponential(ball, epsilon=2.5, weights=weights, radius=radius, calibrated=calibrated)
    points[1] = points[0]
    merged = tv.Exponential(tv.Vocabulary(words, points, space=Poincare(5)), epsilon=2.5, weights=weights)
    assert worst_rate(merged) <= 2.5 * (1 + 1e-6)


@pytest.mark.parametrize("rate", [0.25, 0.5, 1.0])
def test_the_exact_loss_is_the_rate_and_the_slope_of_the_weighted_normaliser(rate):
    weights = np.array([1.0, 0.01, 5.0, 1e-3])
    distances = distance_matrix(LINE, None)
    normalisers = np.log(np.exp(-rate * distances) @ weights)
    apart = distances > 0
    loss = rate + (np.abs(normalisers[:, None] - normalisers)[apart] / distances[apart]).max()
    mechanism = tv.Exponential(LINE, epsilon=loss, weights=weights)
    assert mechanism.law.rate == pytest.approx(rate, abs=1e-8)
    expected = weights * np.exp(-rate * distances) / np.exp(normalisers)[:, None]
    assert mechanism.transition_matrix() == pytest.approx(expected, rel=1e-7)
    assert mechanism.law.kept == pytest.approx(np.diag(expected).mean(), rel=1e-7)
    assert unchanged(tv.Exponential(LINE, epsilon=2 * rate, weights=weights, calibrated=False)) == pytest.approx(
        np.diag(expected).mean(), rel=1e-5
    )


def test_the_shipped_vocabulary_keeps_epsilon_with_general_weights():
    assert 1.98 <= worst_rate(tv.Exponential(tv.Vocabulary.hyperbolic(300), epsilon=2.0, weights="general")) <= 2 + 1e-6


def test_equal_weights_are_no_weights_and_a_common_factor_does_not_matter(clustered):
    plain = tv.Exponential(clustered, epsilon=1.0, radius=3.0)
    equal = tv.Exponential(clustered, epsilon=1.0, radius=3.0, weights=np.full(600, 7))
    assert equal.law.rate == pytest.approx(plain.law.rate, rel=1e-6)
    assert equal.transition_rows(np.arange(5)) == pytest.approx(plain.transition_rows(np.arange(5)), rel=1e-4)
    uneven = np.linspace(1, 9, 600)
    one, other = (tv.Exponential(clustered, epsilon=1.0, weights=weights) for weights in (uneven, 3e200 * uneven))
    assert other.law.rate == pytest.approx(one.law.rate, rel=1e-9)
    assert one.spec() == tv.Exponential(clustered, epsilon=1.0, weights=uneven / 1024).spec()


def test_small_weights_limit_the_rate_and_are_refused_where_they_leave_no_digits():
    """The rarest output, of weight e^-30 or e^-40 at the end of the line, must keep its digits."""
    small, tiny = ([1.0, 1.0, 1.0, math.exp(-nats)] for nats in (30, 40))
    for epsilon in (1.0, 6.0):
        law = tv.Exponential(LINE, epsilon=epsilon, weights=small)
        assert worst_rate(law) <= epsilon * (1 + 1e-6)
        assert law.transition_matrix().min() > math.exp(-44) / 2**19
    room = 44 + 19 * math.log(2) - math.log(3) - 30
    assert steepest_rate(LINE, 6.0, 6.5, law.law.weights) == pytest.approx(room / 6.5)
    assert steepest_rate(LINE, 1.0, 6.5, law.law.weights) == 1.0
    for calibrated in (True, False):
        with pytest.raises(tv.InvalidInputError, match="leaves no digits"):
            tv.Exponential(LINE, epsilon=6.0, weights=tiny, calibrated=calibrated)
    assert worst_rate(tv.Exponential(LINE, epsilon=6.0, radius=2.0, weights=tiny)) <= 6 * (1 + 1e-6)


# -- sampling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [None, 4.0])
def test_released_words_follow_the_law(clustered, radius):
    """G-tests over 4 words at 1e-8 each; the same test must fail against a rate x1.3."""
    weights = np.exp(-np.random.default_rng(1).uniform(0, 6, size=600))
    mechanism = tv.Exponential(clustered, epsilon=1.5, radius=radius, weights=weights)
    wrong = tv.Exponential(clustered, epsilon=1.5 * 1.3, radius=radius, weights=weights)
    words = np.arange(0, 600, 150)
    ids = np.repeat(words, 40_000)
    drawn = mechanism.release_ids(ids, source=tv.RandomSource.seeded(3))
    for word in words:
        counts = np.bincount(drawn[ids == word], minlength=600)
        for law, right in [(mechanism, True), (wrong, False)]:
            expected = law.transition_rows(np.array([word]))[0] * counts.sum()
            common = expected > 5
            seen = np.append(counts[common], counts[~common].sum())
            hoped = np.append(expected[common], expected[~common].sum())
            assert bool(stats.chisquare(seen, hoped).pvalue > 1e-8) is right


def test_the_batch_makes_no_difference(clustered):
    weights = np.linspace(0.1, 1, 600)
    mechanism = tv.Exponential(clustered, epsilon=0.3, radius=2.0, weights=weights)
    ids = np.arange(600).repeat(3)
    whole = mechanism.release_ids(ids, source=tv.RandomSource.keyed(bytes(32)))
    parts = [mechanism.release_ids(ids[i : i + 7], source=tv.RandomSource.keyed(bytes(32), i)) for i in range(0, 70, 7)]
    assert (np.concatenate(parts) == whole[:70]).all()


# -- general words ------------------------------------------------------------------------------------------


def test_general_weights_are_what_they_are_said_to_be(nouns):
    weights = general_weights(nouns, 2.0, 20.0)
    heights = nouns.space.distances(np.zeros((1, 10)), nouns.block(0, len(nouns)))[0]
    favoured = heights <= np.sort(heights)[int(2001**0.65) - 1]
    assert favoured.sum() == 139
    assert (weights[favoured] == 1).all()
    distances = np.minimum(nouns.space.distances(nouns.block(0, 50), nouns.points[favoured].astype(float)), 20.0)
    expected = np.where(favoured[:50], 1, np.minimum(np.exp(-distances).sum(axis=1) / 3, 1))
    assert weights[:50] == pytest.approx(expected, rel=1e-12)


def test_special_words_stay_in_about_a_quarter_and_become_general_ones(nouns, general):
    """Words that share their point with no other; the rest of them goes mostly to what is nearer to the centre."""
    rows = general.transition_matrix()
    heights = nouns.space.distances(np.zeros((1, 10)), nouns.block(0, len(nouns)))[0]
    _, place, often = np.unique(nouns.points, axis=0, return_inverse=True, return_counts=True)
    special = np.flatnonzero((heights > np.sort(heights)[140]) & (often[place.reshape(-1)] == 1))
    stay = np.diag(rows)[special]
    assert 0.15 < np.quantile(stay, 0.05) <= np.quantile(stay, 0.95) < 0.4
    upward = np.array([rows[x, heights < heights[x]].sum() for x in special]) / (1 - stay)
    assert np.median(upward) > 0.8


def test_ohio_becomes_a_location(general):
    told = general.explain("ohio")
    names = [word for word, _ in told.replacements]
    assert set(names[:2]) == {"oh", "location"}
    assert names[2] == "entity"
    assert told.stays < 0.3
    assert told.recovered <= 1
    assert "stays with chance" in str(told)


def test_beyond_the_epsilon_that_digits_allow_the_law_stays_what_it_was():
    small = tv.Vocabulary.hyperbolic(300)
    most = largest_epsilon(small)
    for epsilon in (2 * most, 100.0):
        beyond = tv.Exponential(small, epsilon=epsilon, weights="general")
        assert beyond.law.loss <= most < epsilon
        assert beyond.law.rate == tv.Exponential(small, epsilon=most, weights="general").law.rate


def test_other_spaces_have_no_general_words(clustered):
    with pytest.raises(tv.InvalidInputError, match="Poincaré ball"):
        tv.Exponential(clustered, epsilon=1.0, weights="general")


# -- specs, certificates, errors ------------------------------------------------------------------------------


def test_a_mechanism_can_be_made_again_from_its_spec(clustered, nouns, general):
    weights = np.linspace(1, 2, 600)
    for options in ({}, {"radius": 2.0}, {"calibrated": False}):
        spec = tv.Exponential(clustered, epsilon=0.7, weights=weights, **options).spec()
        assert len(spec["weights"]) == 64
        again = tv.from_spec(spec, objects={"vocabulary": clustered, "weights": list(weights)})
        assert again.spec() == spec
        with pytest.raises(tv.CertificateError, match="weights is not the one"):
            tv.from_spec(spec, objects={"vocabulary": clustered, "weights": weights[::-1]})
        with pytest.raises(tv.InvalidInputError, match="needs weights"):
            tv.from_spec(spec, objects={"vocabulary": clustered})
        with pytest.raises(tv.InvalidInputError, match="by its sha256"):
            tv.from_spec({**spec, "weights": [1, 2]}, objects={"vocabulary": clustered})
    assert tv.from_spec(general.spec(), objects={"vocabulary": nouns}).spec() == general.spec()


def test_calibrations_of_other_weights_are_not_found(clustered):
    one = tv.Exponential(clustered, epsilon=0.9, weights=np.linspace(1, 2, 600))
    other = tv.Exponential(clustered, epsilon=0.9, weights=np.linspace(1, 2.5, 600))
    assert len(list((cache_folder() / "laws").glob("*.npz"))) == 2
    assert one.law.rate != other.law.rate
    again = tv.Exponential(clustered, epsilon=0.9, weights=np.linspace(1, 2, 600))
    assert (again.law.output_weights == one.law.output_weights).all()
    assert again.law.rate == one.law.rate


def test_weights_are_kept_as_they_were(clustered):
    weights = np.linspace(1, 2, 600)
    mechanism = tv.Exponential(clustered, epsilon=0.9, weights=weights)
    before = mechanism.spec()
    weights[:] = 1
    assert mechanism.spec() == before
    with pytest.raises(ValueError, match="read-only"):
        mechanism.weights[0] = 5
    assert mechanism.calibrate() is mechanism


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 1.0], "4 numbers, one a word"),
        ([1.0, 1.0, 0.0, 1.0], "'c' is 0.0"),
        ([1.0, -1.0, 1.0, 1.0], "finite and > 0"),
        ([1.0, math.nan, 1.0, 1.0], "finite and > 0"),
        ([1.0, math.inf, 1.0, 1.0], "finite and > 0"),
        (["a", "b", "c", "d"], "4 numbers"),
        ([True, True, True, True], "4 numbers"),
        (1.0, "4 numbers"),
        (np.ma.array(np.ones(4), mask=[1, 0, 0, 0]), "got MaskedArray"),
        ("loose", '"general", "tight"'),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Exponential(LINE, epsilon=1.0, weights=weights)


# -- with the rest of the library -------------------------------------------------------------------------------


def test_texts_statistics_and_shares_work_with_weights(nouns, general):
    told = tv.TextRewriter(general).release("Ohio music", source=tv.RandomSource.seeded(0))
    assert len(told.split()) == 2
    assert len(tv.statistics(general, ["ohio", "dog"]).words) == 2
    small = tv.Vocabulary.hyperbolic(300)
    found = tv.calibrate(lambda e: tv.Exponential(small, epsilon=e, weights="general"), at_most=0.15)
    assert 0.14 < unchanged(found) <= 0.15
    with pytest.raises(tv.InvalidInputError, match="leave weights out"):
        tv.calibrate(lambda e: tv.Exponential(small, epsilon=e, weights="general"), at_most=0.9)
    given = tv.calibrate(lambda e: tv.Exponential(LINE, epsilon=e, weights=[1, 2, 3, 4]), at_most=0.5)
    assert unchanged(given) <= 0.5


def test_on_the_command_line_words_of_the_ball_become_general_unless_told_otherwise(tmp_path):
    ball = vocabulary_of(Path("hyperbolic"), 100)

    def made(vocabulary=ball, **options):
        given = {"name": "exponential", "epsilon": 2.0, "unchanged": None, "radius": "auto", "weights": None, **options}
        return mechanism_of(vocabulary, **given)

    assert made().weights == made(weights="general").weights == "general"
    assert made().radius is made(weights="tight").radius is made(weights="none", radius="none").radius is None
    assert made(radius="5").radius == 5
    assert made(weights="none").weights is None
    assert made(weights="none").radius is not None
    assert made(epsilon=None, unchanged=0.2).weights is None
    assert made(LINE).weights is None
    with pytest.raises(tv.InvalidInputError, match="--weights must be"):
        made(weights="heavy")
    with pytest.raises(tv.InvalidInputError, match="Poincaré"):
        made(LINE, weights="general")
