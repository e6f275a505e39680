"""PrivUnit: no bias, its error, what it promises with which sampler, and every vector one might give it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, stats

import textveil as tv
from textveil.noise import reading
from textveil.noise.unit import lifted

FALSE_ALARM = 1e-6
SAMPLERS = ["rejection", "beta"]


def seeded(seed=1):
    return tv.RandomSource.seeded(seed)


def spread(count, dimension, length=1.0, seed=0):
    g = np.random.default_rng(seed).normal(size=(count, dimension))
    return length * g / np.linalg.norm(g, axis=1, keepdims=True)


# SPEC 4.3 as corrected in 13, to the digits printed there.
@pytest.mark.parametrize(
    ("dimension", "epsilon", "rms"),
    [
        (32, 1, 14.1),
        (32, 4, 3.64),
        (32, 10, 1.58),
        (32, 32, 0.515),
        (128, 1, 28.4),
        (128, 10, 3.39),
        (512, 1, 56.9),
        (768, 10, 8.47),
        (1024, 1, 80.5),
        (1024, 10, 9.79),
    ],
)
def test_the_error_is_that_of_the_table(dimension, epsilon, rms):
    assert tv.PrivUnit(epsilon=epsilon, dimension=dimension, clip=2.0).rms == pytest.approx(2 * rms, rel=4e-3)


def test_on_the_sphere_gamma_and_the_error_are_golden():
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=1024, domain="sphere")
    assert mechanism.gamma == pytest.approx(0.012423272346945952, rel=1e-8)
    assert mechanism.rms == pytest.approx(80.48787793178866, rel=1e-8)


@pytest.mark.parametrize("length", [0.0, 1.5, 3.0])
def test_the_measured_error_is_the_stated_one_and_far_below_laplace(length):
    clip, dimension = 3.0, 1024
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=dimension, clip=clip)
    x = spread(2000, dimension, length)
    rms = math.sqrt(np.mean(np.sum((mechanism.release(x, source=seeded()) - x) ** 2, axis=1)))
    assert rms == pytest.approx(80.5 * clip, rel=0.01)
    assert rms == pytest.approx(mechanism.rms, rel=0.01)
    per_coordinate_laplace = 2 * math.sqrt(2) * dimension * clip
    assert per_coordinate_laplace == pytest.approx(2896 * clip, rel=1e-3)
    assert rms < per_coordinate_laplace / 35


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("domain", ["ball", "sphere"])
def test_the_mean_of_the_release_is_the_vector(domain, sampler):
    """Normal test of every coordinate; it fails for a scale x1.3."""
    x = np.array([0.5, -0.1, 0.7, 0.5]) if domain == "sphere" else np.array([0.3, -0.6, 0.2, 0.1])
    mechanism = tv.PrivUnit(epsilon=3.0, dimension=4, domain=domain, sampler=sampler)
    released = mechanism.release(np.tile(x, (40_000, 1)), source=seeded())
    limit = stats.norm.isf(FALSE_ALARM / 8) * released.std(axis=0) / math.sqrt(len(released))
    assert (np.abs(released.mean(axis=0) - x) < limit).all()
    assert (np.abs(1.3 * released.mean(axis=0) - x) > 1.3 * limit).any()


@pytest.mark.parametrize("share", [0.02, 0.125, 0.5])
def test_any_share_of_the_sphere_has_no_bias_and_the_error_stated_at_one_end_of_the_ball(share):
    """Normal tests of the mean and of the squared error at the centre and at the clip; they fail for a scale x1.3."""
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=3, clip=2.0, share=share)
    assert mechanism.cap.mass == pytest.approx(share, rel=1e-12)
    squares = []
    for length in (0.0, 2.0):
        x = np.array([0.0, length, 0.0])
        released = mechanism.release(np.tile(x, (40_000, 1)), source=seeded())
        limit = stats.norm.isf(FALSE_ALARM / 24) / math.sqrt(len(released))
        assert (np.abs(released.mean(axis=0) - x) < limit * released.std(axis=0)).all()
        errors = ((released - x) ** 2).sum(axis=1)
        squares.append((errors.mean(), limit * errors.std()))
    most, allowed = max(squares)
    assert abs(most - mechanism.rms**2) < allowed
    assert abs(1.3**2 * most - mechanism.rms**2) > 1.3**2 * allowed
    assert (squares[1] > squares[0]) == (mechanism.gamma > mechanism.clip / mechanism._scale)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_cap_is_met_as_often_as_p_says(sampler):
    """Binomial test; it fails for epsilon x1.3."""
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=32, domain="sphere", sampler=sampler)
    u = spread(20_000, 32)
    met = int(np.sum(on_cap(mechanism, mechanism.release(u, source=seeded()), u)))
    assert stats.binomtest(met, 20_000, 0.5918321166017088).pvalue > FALSE_ALARM
    q = mechanism.cap.mass
    assert stats.binomtest(met, 20_000, math.exp(1.3) * q / (1 + q * math.expm1(1.3))).pvalue < FALSE_ALARM


def on_cap(mechanism, released, u):
    return np.sum(released * u, axis=1) >= mechanism.gamma * np.linalg.norm(released, axis=1)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("dimension", [2, 3, 9])
def test_no_pair_is_told_apart_better_than_epsilon_allows(dimension, sampler):
    """Opposite inputs reach the bound; so the same test finds a release made with epsilon x1.3."""
    u = np.eye(dimension)[:1]
    claimed = tv.PrivUnit(epsilon=1.0, dimension=dimension, domain="sphere", sampler=sampler)
    for factor in (1.0, 1.3):
        drawn = tv.PrivUnit(epsilon=factor, dimension=dimension, domain="sphere", sampler=sampler)
        near, far = (drawn.release(np.repeat(s * u, 40_000, axis=0), source=seeded(5)) for s in (1, -1))
        k_near, k_far = (int(np.sum(on_cap(drawn, released, u))) for released in (near, far))
        least = stats.beta.ppf(FALSE_ALARM / 2, k_near, 40_000 - k_near + 1)
        most = stats.beta.isf(FALSE_ALARM / 2, k_far + 1, 40_000 - k_far)
        assert (math.log(least / most) <= claimed.epsilon) == (factor == 1.0)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_in_the_plane_every_arc_has_its_probability(sampler):
    mechanism = tv.PrivUnit(epsilon=1.2, dimension=2, domain="sphere", sampler=sampler)
    u = np.array([0.6, 0.8])
    released = mechanism.release(np.tile(u, (30_000, 1)), source=seeded(3))
    edges = np.linspace(-math.pi, math.pi, 25)

    def density(angle):
        point = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return np.exp(mechanism.log_density(point, u)) / (2 * math.pi)

    fine = np.linspace(-math.pi, math.pi, 24 * 2000 + 1)
    middles = (fine[1:] + fine[:-1]) / 2
    probabilities = density(middles).reshape(24, -1).sum(axis=1) * (fine[1] - fine[0])
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-4)
    observed, _ = np.histogram(np.arctan2(released[:, 1], released[:, 0]), edges)
    expected = 30_000 * probabilities / probabilities.sum()
    assert stats.power_divergence(observed, expected, lambda_="log-likelihood").pvalue > FALSE_ALARM
    tilted = expected**1.3 * expected.sum() / np.sum(expected**1.3)
    assert stats.power_divergence(observed, tilted, lambda_="log-likelihood").pvalue < FALSE_ALARM


@pytest.mark.parametrize("given_x", [-0.9, 0.0, 0.4])
def test_the_density_of_a_lifted_number_is_normalised_and_without_bias(given_x):
    """One dimension: the public law of V without its last coordinate is the arc-sine law, by quadrature over angles."""
    mechanism = tv.PrivUnit(epsilon=2.0, dimension=1, clip=1.0)

    def weighted(angle, power):
        y = math.cos(angle) * mechanism._scale
        return y**power * math.exp(mechanism.log_density(np.array([y]), np.array([given_x]))) / math.pi

    turn, half = math.acos(given_x), math.acos(mechanism.gamma)
    borders = sorted({min(abs(turn + s * half), math.pi) for s in (-1, 1)} | {math.pi - abs(math.pi - turn - half)})
    for power, truth in ((0, 1.0), (1, given_x)):
        found, _ = integrate.quad(weighted, 0, math.pi, args=(power,), points=borders, limit=400)
        assert found == pytest.approx(truth, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 6), st.none() | st.floats(0.01, 0.5))
def test_log_densities_of_two_inputs_never_differ_by_more_than_epsilon(seed, epsilon, share):
    mechanism = tv.PrivUnit(epsilon=epsilon, dimension=5, share=share)
    x, y, direction = spread(3, 5, seed=seed)
    output = direction * 0.7 * mechanism._scale
    assert abs(mechanism.log_density(output, x) - mechanism.log_density(output, 0.3 * y)) <= epsilon * (1 + 1e-12)


def test_the_guarantee_tells_which_sampler_draws():
    proved = tv.PrivUnit(epsilon=8.0, dimension=300)
    assert proved.guarantee.status == "proved"
    assert proved.guarantee.relation.pairs == "any"
    assert proved.guarantee.unit == "vector"
    assert proved.guarantee.epsilon == 8.0
    assert (proved.guarantee.delta, proved.guarantee.slack, proved.guarantee.reveals) == (0.0, 0.0, ())
    assert "at most e^8 times as likely" in str(proved.guarantee)
    conditional = tv.PrivUnit(epsilon=10.0, dimension=300).guarantee
    assert conditional.status == "conditional"
    assert "ideal arithmetic" in str(conditional)
    assert tv.PrivUnit(epsilon=1.0, dimension=300, sampler="beta").guarantee.status == "conditional"
    assert tv.PrivUnit(epsilon=10.0, dimension=300, sampler="rejection").guarantee.status == "proved"


def test_outputs_of_the_beta_sampler_lie_on_a_lattice():
    mechanism = tv.PrivUnit(epsilon=20.0, dimension=40)
    steps = mechanism.release(spread(200, 40), source=seeded()) / mechanism._lattice.step
    assert (steps == np.rint(steps)).all()
    assert np.abs(steps).max() < 2**20


@given(arrays(np.float64, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_any_finite_vector_is_released_within_the_same_length(x):
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=3, clip=0.5)
    released = mechanism.release(x, source=seeded())
    assert (np.linalg.norm(released, axis=1) <= mechanism._scale * (1 + 1e-12)).all()


def test_long_vectors_are_shortened():
    mechanism = tv.PrivUnit(epsilon=6.0, dimension=3, clip=2.0)
    x = np.tile([30.0, -40.0, 0.0], (20_000, 1))
    mean = mechanism.release(x, source=seeded()).mean(axis=0)
    np.testing.assert_allclose(mean, [1.2, -1.6, 0.0], atol=0.1)
    np.testing.assert_allclose(lifted(x[:1], 2.0)[0, :3], np.array([0.6, -0.8, 0.0]) * (1 - 2.0**-40), rtol=1e-15)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_fixed_key_repeats_whatever_the_batch(sampler, monkeypatch):
    mechanism = tv.PrivUnit(epsilon=2.0, dimension=3, sampler=sampler)
    x = spread(300, 3)
    x[7, 0] = 0.0
    batch = mechanism.release(x, source=tv.RandomSource.keyed(bytes(32), 100))
    for i in (0, 7, 299):
        assert (batch[i] == mechanism.release(x[i], source=tv.RandomSource.keyed(bytes(32), 100 + i))).all()
    monkeypatch.setattr(reading, "_PORTION_WORDS", 64)
    assert (batch == mechanism.release(x, source=tv.RandomSource.keyed(bytes(32), 100))).all()
    x[7, 0] = -0.0
    assert (batch[7] == mechanism.release(x[7], source=tv.RandomSource.keyed(bytes(32), 107))).all()
    x[7, 0] = 1e-9
    assert (batch[7] != mechanism.release(x[7], source=tv.RandomSource.keyed(bytes(32), 107))).any()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int32])
def test_numpy_in_numpy_out(kind):
    mechanism = tv.PrivUnit(epsilon=1.0, dimension=3)
    assert mechanism.release(np.ones(3, dtype=kind)).shape == (3,)
    many = mechanism.release(np.ones((5, 3), dtype=kind))
    assert many.shape == (5, 3)
    assert many.dtype == (kind if np.dtype(kind).kind == "f" else np.float64)
    assert mechanism.release(np.empty((0, 3))).shape == (0, 3)


def test_the_input_is_left_as_it_was():
    x = np.array([[-0.0, 5.0]])
    tv.PrivUnit(epsilon=1.0, dimension=2).release(x)
    assert np.signbit(x[0, 0])
    assert x[0, 1] == 5.0


def test_torch_in_torch_out():
    torch = pytest.importorskip("torch")
    released = tv.PrivUnit(epsilon=1.0, dimension=3).release(torch.ones(4, 3))
    assert isinstance(released, torch.Tensor)
    assert released.dtype == torch.float32


def test_a_spec_makes_it_again_with_the_sampler_that_was_chosen():
    for options in ({}, {"clip": 2.5}, {"domain": "sphere"}, {"sampler": "beta"}, {"epsilon": 40.0}, {"share": 0.1}):
        mechanism = tv.PrivUnit(**{"epsilon": 0.5, "dimension": 7, **options})
        again = tv.from_spec(mechanism.spec())
        assert again.spec() == mechanism.spec()
        assert again.guarantee == mechanism.guarantee
    assert tv.PrivUnit(epsilon=40.0, dimension=300).spec()["sampler"] == "beta"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": 301.0}, "epsilon must be from 1e-09 to 300"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": 1.5}, "dimension"),
        ({"dimension": 1_000_001}, "dimension must be at most 1,000,000"),
        ({"dimension": 1, "domain": "sphere"}, "dimension"),
        ({"clip": 0.0}, "clip"),
        ({"clip": -1.0}, "clip"),
        ({"clip": math.inf}, "clip"),
        ({"clip": 2.0, "domain": "sphere"}, 'clip belongs to domain="ball"'),
        ({"domain": "cube"}, "domain"),
        ({"sampler": "sloppy"}, "sampler"),
        ({"share": 0.0}, "share"),
        ({"share": 0.6}, "share must be from 1e-09 to 0.5"),
        ({"epsilon": 30.0, "dimension": 300, "sampler": "rejection"}, 'use sampler="beta"'),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tv.PrivUnit(**{"epsilon": 1.0, "dimension": 2, **options})


@pytest.mark.parametrize(
    "private", [np.array([1.0, math.nan]), np.array([math.inf, 0.0]), np.ones(3), np.array(["a", "b"]), 1.0]
)
def test_bad_vectors_are_refused_without_being_quoted(private):
    with pytest.raises(ValueError, match="vectors must"):
        tv.PrivUnit(epsilon=1.0, dimension=2).release(private)


@pytest.mark.parametrize("private", [[0.0, 0.0], [0.123, 0.0], [[1.0, 0.0], [1e300, 1e300]], [1.0001, 0.0]])
def test_what_is_no_unit_vector_is_refused_on_the_sphere_without_being_quoted(private):
    with pytest.raises(ValueError, match="vectors must have length 1") as caught:
        tv.PrivUnit(epsilon=1.0, dimension=2, domain="sphere").release(np.array(private))
    assert "0.123" not in str(caught.value)
    assert "e+300" not in str(caught.value)


def test_unit_vectors_of_single_precision_are_taken():
    x = spread(50, 200).astype(np.float32)
    assert tv.PrivUnit(epsilon=1.0, dimension=200, domain="sphere").release(x).dtype == np.float32
