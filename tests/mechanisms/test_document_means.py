"""Means of sentences with noise: scales, what is promised, errors as in the specification's table."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import textveil as tv

KEY = b"a key of 16 bytes"
WIDTHS = np.array([0.5, 2.0, 8.0, 0.5])


def truncated(**options):
    return tv.TruncatedMean(**({"lower": -WIDTHS / 2, "upper": WIDTHS / 2, "epsilon": 3.0} | options))


def gaussian(**options):
    return tv.GaussianMean(**({"epsilon": 2.0, "delta": 1e-5, "dimension": 4, "clip": 1.5} | options))


def privunit(**options):
    return tv.AveragedPrivUnit(**({"epsilon": 2.0, "dimension": 4} | options))


ALL = pytest.mark.parametrize("make", [truncated, gaussian, privunit])


@pytest.mark.parametrize("variant", ["published", "optimal"])
def test_scales_are_those_of_the_formulas_and_spend_epsilon_exactly(variant):
    mechanism = truncated(variant=variant)
    step = mechanism.lattice.step
    ideal = 4 * WIDTHS / 3 if variant == "published" else np.cbrt(WIDTHS) * (WIDTHS ** (2 / 3)).sum() / 3
    assert mechanism.scales * step == pytest.approx(ideal, rel=1e-5)
    low, high = mechanism._corners
    spent = sum(Fraction(int(side), int(scale)) for side, scale in zip(high - low, mechanism.scales, strict=True))
    assert 0.9999 * 3 < spent <= 3


def test_the_optimal_split_has_the_smaller_error():
    errors = {
        variant: (truncated(variant=variant).scales.astype(float) ** 2).sum() for variant in ("published", "optimal")
    }
    assert errors["optimal"] < errors["published"]
    nearby = truncated().scales.astype(float)
    for tilt in (0.9, 1.1):
        tilted = nearby * np.array([tilt, 1, 1, 1])
        tilted *= (WIDTHS / tilted).sum() / (WIDTHS / nearby).sum()
        assert (tilted**2).sum() > errors["optimal"]


@pytest.mark.parametrize("variant", ["published", "optimal"])
def test_truncated_means_have_laplace_noise_of_their_scale(variant):
    """Kolmogorov-Smirnov at 1e-7 for k = 5 sentences; a scale x1.3 must fail."""
    mechanism = truncated(variant=variant)
    document = np.array([[9.0, 0.5, 1.0, -9.0]] * 3 + [[0.0, 0.0, 0.0, 0.0]] * 2)
    mean = np.clip(document, -WIDTHS / 2, WIDTHS / 2).mean(axis=0)
    released = np.array(mechanism.release([document] * 4000, source=tv.RandomSource.seeded(1)))
    noise = (released - mean) / (mechanism.scales * mechanism.lattice.step / 5)
    for column in noise.T:
        assert stats.kstest(column, stats.laplace().cdf).pvalue > 1e-7
        assert stats.kstest(column, stats.laplace(scale=1.3).cdf).pvalue < 1e-7


def test_gaussian_means_have_noise_of_their_scale():
    """The variance is chi-square, at 1e-7 for k = 3 sentences; a scale x1.3 must fail."""
    mechanism = gaussian()
    document = np.array([[9.0, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 0, -1.0]])
    mean = np.array([1.5, 0.5, 0, -1.0]) / 3
    released = np.array(mechanism.release([document] * 3000, source=tv.RandomSource.seeded(2)))
    ratio = (((released - mean) * 3 * mechanism.noise.guarantee.mu) ** 2).sum()
    law = stats.chi2(released.size)
    assert 5e-8 < law.cdf(ratio) < 1 - 5e-8
    assert law.sf(1.3**2 * ratio) < 1e-7
    assert law.cdf(ratio / 1.3**2) < 1e-7
    assert mechanism.noise.sigma == pytest.approx(1.9938124456 * 3.0, rel=1e-9)


def test_averages_of_privunit_have_its_error_over_the_root_of_k():
    mechanism = privunit(dimension=20, epsilon=4.0)
    document = np.random.default_rng(3).normal(size=(9, 20)) / 10
    released = np.array(mechanism.release([document] * 3000, source=tv.RandomSource.seeded(4)))
    errors = ((released - document.mean(axis=0)) ** 2).sum(axis=1)
    expected = mechanism.each.rms**2 / 9
    assert abs(errors.mean() - expected) < 6 * errors.std() / math.sqrt(len(errors))
    assert abs(errors.mean() * 1.3**2 - expected) > 6 * 1.3**2 * errors.std() / math.sqrt(len(errors))


def test_errors_in_768_dimensions_are_those_of_the_table():
    """Ten unit sentences at epsilon 10: 2.68, 2.77, and 25 for a box of side 0.083."""
    root = math.sqrt(768)
    assert privunit(epsilon=10.0, dimension=768, domain="sphere").each.rms / math.sqrt(10) == pytest.approx(
        2.68, abs=5e-3
    )
    assert gaussian(epsilon=10.0, dimension=768, clip=1.0).noise.sigma / 10 * root == pytest.approx(2.77, abs=5e-3)
    box = truncated(lower=np.full(768, 0.0), upper=np.full(768, 0.083), epsilon=10.0, variant="published")
    assert math.sqrt(2) * box.scales[0] * box.lattice.step / 10 * root == pytest.approx(25, abs=0.05)


def test_no_sentence_moves_the_sum_by_more_than_the_sensitivity():
    """Sentences that are far too long, that have a length of exactly the clip, and next to it."""
    rng = np.random.default_rng(5)
    mechanism = gaussian(dimension=300, clip=0.7)
    vectors = rng.normal(size=(200, 300)) * 10.0 ** rng.integers(-3, 300, size=(200, 1))
    step = mechanism.noise.lattice.step
    inside = mechanism.inside(vectors) / step
    assert (inside == np.rint(inside)).all()
    squares = [sum(int(number) ** 2 for number in row) for row in inside]
    assert max(squares) <= (Fraction(0.7) / Fraction(step)) ** 2
    box = truncated()
    low, high = box._corners
    assert (box.inside(vectors[:, :4]) >= low).all()
    assert (box.inside(vectors[:, :4]) <= high).all()


@ALL
def test_the_promise_names_the_sentence_and_its_number(make):
    guarantee = make().guarantee
    assert guarantee.unit is tv.Unit.SENTENCE
    assert guarantee.reveals == ("the number of sentences",)
    assert "their number being the same" in str(guarantee)
    assert guarantee.slack == 0
    assert guarantee.status == "proved"


def test_privunit_says_when_it_holds_in_ideal_arithmetic_only():
    guarantee = privunit(sampler="beta").guarantee
    assert guarantee.status == "conditional"
    assert "floating point" in guarantee.reason


@ALL
def test_a_release_does_not_depend_on_the_batch(make):
    rng = np.random.default_rng(6)
    documents = [rng.normal(size=(k, 4)) for k in rng.integers(1, 9, size=60)]
    mechanism, source = make(), tv.RandomSource.keyed(KEY)
    together = mechanism.release(documents, source=source)
    for row in (0, 31, 59):
        assert (mechanism.release(documents[row], source=source.at(row)) == together[row]).all()
    assert together[0].shape == (4,)
    assert mechanism.release([]) == []


@ALL
def test_numbers_are_plain_and_arrays_closed(make):
    mechanism = make(epsilon=np.float16(0.5))
    assert type(mechanism.epsilon) is float
    assert type(mechanism.guarantee.epsilon) is float
    copy = pickle.loads(pickle.dumps(mechanism))  # noqa: S301
    assert copy.spec() == mechanism.spec()
    arrays = [value for value in vars(copy).values() if isinstance(value, np.ndarray)]
    assert not any(array.flags.writeable for array in arrays)


@ALL
def test_a_spec_makes_it_again(make):
    mechanism = make()
    again = tv.from_spec(mechanism.spec())
    assert again.spec() == mechanism.spec()
    assert again.guarantee == mechanism.guarantee


@ALL
@pytest.mark.parametrize("private", [np.zeros((0, 4)), np.zeros((2, 5)), np.zeros(4), np.full((2, 4), np.nan)])
def test_bad_documents_are_refused(make, private):
    with pytest.raises(tv.InvalidInputError):
        make().release(private)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (truncated, {"epsilon": 0}, "epsilon"),
        (truncated, {"variant": "best"}, "variant"),
        (truncated, {"upper": -WIDTHS}, "below it"),
        (truncated, {"upper": WIDTHS[:2]}, "as long"),
        (truncated, {"lower": np.full(4, np.nan)}, "finite"),
        (truncated, {"epsilon": 1e-12}, "too small"),
        (gaussian, {"clip": 0}, "clip"),
        (gaussian, {"delta": 0}, "delta"),
        (gaussian, {"epsilon": -1}, "epsilon"),
        (privunit, {"epsilon": 0}, "epsilon"),
        (privunit, {"dimension": 0}, "dimension"),
    ],
)
def test_bad_parameters_are_refused(make, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(**options)
