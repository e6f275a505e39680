"""Noise in hyperbolic space: the exact law of its radius, and the two laws that it is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from textveil.errors import InvalidInputError
from textveil.noise.hyperbolic import RadiusLaw, directions, hyperbolic_laplace
from textveil.noise.hyperbolic_lebesgue import lebesgue_noise
from textveil.noise.hyperbolic_published import first_acceptance, log_height, metropolis_noise, printed_constant

# dimension, epsilon, mean, deviation, quantiles at .05, .5, .95, .999
GOLDEN = [
    (2, 1.5, 2.4, 2.0396078, 0.3312032594, 1.822097043, 6.437750626, 14.26179766),
    (2, 2, 1.333333333, 1.0540926, 0.2089924621, 1.057576814, 3.400826668, 7.313220239),
    (2, 8, 0.253968254, 0.18098023, 0.0448133028, 0.2123897557, 0.6051459748, 1.191041134),
    (5, 5, 1.787301587, 1.0880556, 0.5516771561, 1.532142135, 3.895723696, 7.808297434),
    (5, 8, 0.725, 0.35049568, 0.2708113366, 0.6650515723, 1.383503033, 2.398438254),
    (10, 12, 1.180874578, 0.45933526, 0.5739637393, 1.107848973, 2.036514484, 3.368948956),
    (20, 25, 1.095406625, 0.29601391, 0.6745637775, 1.0613664, 1.632152241, 2.353097111),
    (50, 60, 1.198126905, 0.2128151, 0.8807366024, 1.18068894, 1.574919762, 2.025512139),
    (100, 100, 3.284342189, 1.1095948, 1.979790701, 3.042277712, 5.417199354, 9.329872355),
    (100, 110, 1.52143549, 0.21784091, 1.194326394, 1.504712277, 1.905505387, 2.359248445),
    (100, 200, 0.5492987375, 0.057733637, 0.4582701116, 0.5470842173, 0.647880659, 0.7471546741),
]


@pytest.mark.parametrize(("dimension", "epsilon", "mean", "deviation", "q05", "q50", "q95", "q999"), GOLDEN)
def test_golden_radii(dimension, epsilon, mean, deviation, q05, q50, q95, q999):
    law = RadiusLaw(epsilon, dimension)
    assert law.mean() == pytest.approx(mean, abs=1e-8)
    assert law.deviation() == pytest.approx(deviation, abs=1e-7)
    shares = np.array([0.05, 0.5, 0.95, 0.999])
    assert np.allclose(law.quantile(shares), [q05, q50, q95, q999], rtol=1e-9, atol=1e-9)
    assert np.allclose(law.cdf(law.quantile(shares)), shares, rtol=1e-10)


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 0.5), (2, 1.5), (3, 7.0), (10, 9.3)])
def test_the_law_is_that_of_the_density(dimension, epsilon):
    """Against the integral of e^(-epsilon r) sinh^(n-1) r, and times the area of the sphere for the mass."""
    law = RadiusLaw(epsilon, dimension)

    def density(r):
        return np.exp((dimension - 1 - epsilon) * r) * (-np.expm1(-2 * r) / 2) ** (dimension - 1)

    whole = integrate.quad(density, 0, np.inf, epsabs=0, limit=200)[0]
    for radius in law.quantile([0.01, 0.4, 0.99]):
        assert law.cdf(radius) == pytest.approx(integrate.quad(density, 0, radius)[0] / whole, rel=1e-8)
    sphere = {1: 2, 2: 2 * np.pi, 3: 4 * np.pi, 10: np.pi**5 / 12}[dimension]
    assert law.log_mass() == pytest.approx(np.log(sphere * whole), rel=1e-9)


@pytest.mark.parametrize(
    ("dimension", "epsilon"), [(1, 0.3), (2, 1.001), (2, 8.0), (10, 12.0), (100, 99.01), (100, 200.0)]
)
def test_radii_follow_their_law(streams, fits, dimension, epsilon):
    law = RadiusLaw(epsilon, dimension)
    assert fits(law.draw(streams(5000)), law)
    assert not fits(RadiusLaw(1.3 * epsilon, dimension).draw(streams(5000)), law)
    assert np.isfinite(law.draw(streams(100, seed=8))).all()


def test_tiny_shapes_have_quantiles_beyond_the_range_of_floats():
    law = RadiusLaw(99.001, 100)
    shares = np.array([0.05, 0.5, 0.95, 0.999])
    assert law.quantile(0.999) > 6900
    assert np.allclose(law.cdf(law.quantile(shares)), shares, rtol=1e-9)


@pytest.mark.parametrize("dimension", [2, 9])
def test_directions_are_uniform_and_independent_of_the_radius(streams, fits, dimension):
    noise = hyperbolic_laplace(streams(10_000), RadiusLaw(dimension + 1.0, dimension))
    half = (dimension - 1) / 2
    for place in (0, dimension - 1):
        along = noise.direction[:, place]
        assert fits((along + 1) / 2, stats.beta(half, half))
        assert not fits((1.3 * along + 1) / 2, stats.beta(half, half))
        assert abs(stats.spearmanr(noise.radius, along).statistic) < stats.norm.isf(5e-7) / 100
    assert np.allclose(np.linalg.norm(directions(streams(50), dimension), axis=1), 1)


def test_an_epsilon_without_a_law_is_refused():
    for epsilon in (9.0, 2.0, 0.0, np.nan):
        with pytest.raises(InvalidInputError, match="epsilon"):
            RadiusLaw(epsilon, 10)


def distance_to(points, centre):
    gaps = (1 - np.sum(points**2, axis=-1)) * (1 - np.sum(centre**2))
    return 2 * np.arcsinh(np.sqrt(np.sum((points - centre) ** 2, axis=-1) / gaps))


class Tabulated:
    """A law given by the values of its density on a fine grid."""

    def __init__(self, grid, density):
        self.grid, self.shares = grid, np.cumsum(density) / np.sum(density)

    def cdf(self, x):
        return np.interp(x, self.grid, self.shares)


@pytest.mark.parametrize("rate", [0.4, 1.0, 1.7, 6.0])
@pytest.mark.parametrize("centre", [0.0, 0.7, -0.999])
def test_lebesgue_noise_in_one_dimension(streams, fits, rate, centre):
    grid = np.tanh(np.linspace(-15, 15, 200_001))
    middle = np.array([centre])
    density = {scale: np.exp(-scale * rate * distance_to(grid[:, None], middle)) * (1 - grid**2) for scale in (1, 1.3)}
    drawn = lebesgue_noise(streams(8000), np.full((8000, 1), centre), rate)[:, 0]
    assert fits(drawn, Tabulated(grid, density[1]))
    if rate >= 1:
        stronger = lebesgue_noise(streams(8000), np.full((8000, 1), centre), 1.3 * rate)[:, 0]
        assert not fits(stronger, Tabulated(grid, density[1]))


@pytest.mark.parametrize("rate", [1.0, 5.0])
def test_lebesgue_noise_in_two_dimensions(streams, fits, rate):
    """Both coordinates around a centre off the middle, against a table of the density."""
    centre = np.array([0.6, 0.3])
    axis = np.linspace(-1, 1, 1501)
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    inside = np.sum(grid**2, axis=-1) < 1
    density = np.zeros(inside.shape)
    density[inside] = np.exp(-rate * distance_to(grid[inside], centre))
    drawn = lebesgue_noise(streams(4000), np.tile(centre, (4000, 1)), rate)
    stronger = lebesgue_noise(streams(4000), np.tile(centre, (4000, 1)), 2 * rate)
    for place in (0, 1):
        law = Tabulated(axis, density.sum(axis=1 - place))
        assert fits(drawn[:, place], law)
        assert not fits(stronger[:, place], law)


def test_lebesgue_noise_in_five_dimensions_around_the_origin(streams, fits):
    grid = np.linspace(0, 1, 20_001)[:-1]
    drawn = np.linalg.norm(lebesgue_noise(streams(1000), np.zeros((1000, 5)), 0.8), axis=1)
    assert fits(drawn, Tabulated(grid, grid**4 * ((1 - grid) / (1 + grid)) ** 0.8))
    assert not fits(drawn, Tabulated(grid, grid**4 * ((1 - grid) / (1 + grid)) ** 4))


def test_the_normaliser_by_euclidean_volume_has_the_slopes_that_it_should():
    """n = 2 at t = 4 for rates .5, 1, 4: the slopes of -ln Z; never above min(rate, n tanh(t/2))."""
    angles = (np.arange(1000) + 0.5) * np.pi / 1000
    r = np.linspace(0, 25, 1501)[1:, None]

    def log_mass(rate, t):
        weights = np.exp(-rate * r) * np.sinh(r)
        cosh = np.cosh(t) * np.cosh(r) + np.sinh(t) * np.sinh(r) * np.cos(angles)
        return np.log((weights * (1 + cosh) ** -2.0).sum())

    for rate, golden in [(0.5, 0.4924), (1.0, 0.9548), (4.0, 1.886)]:
        slope = (log_mass(rate, 3.995) - log_mass(rate, 4.005)) / 0.01
        assert slope == pytest.approx(golden, abs=1e-3)
        assert slope <= min(rate, 2 * np.tanh(2))


def test_the_printed_constant_is_that_of_one_dimension():
    assert printed_constant(1) == pytest.approx(0.77258872224, abs=1e-11)
    assert printed_constant(8) == pytest.approx(0.124052126844, abs=1e-11)
    for epsilon in (1.0, 8.0):
        whole = 2 * integrate.quad(lambda x, e=epsilon: np.exp(log_height(np.array([[x]]), e))[0], 0, 1)[0]
        assert whole == pytest.approx(printed_constant(epsilon), rel=1e-8)


def test_how_the_published_chain_leaves_the_origin(streams):
    """The chance at a step of typical length, which is that of the golden values, and its mean; binomial at 1e-6."""
    typical = np.zeros((1, 100))
    typical[0, 0] = 10 / (1 + np.sqrt(101))
    golden = [(0.125, 0.687), (0.5, 0.223), (1, 0.0499), (2, 0.00249), (8, 3.8e-11)]
    for epsilon, chance in golden:
        assert np.exp(log_height(typical, epsilon))[0] == pytest.approx(chance, rel=0.01)
        assert 1 <= first_acceptance(epsilon, 100) / chance < 1.25
    for epsilon in (0.5, 1.0):
        moved = np.count_nonzero(metropolis_noise(streams(4000), 100, epsilon, 1).any(axis=1))
        assert stats.binomtest(moved, 4000, first_acceptance(epsilon, 100)).pvalue > 1e-6
        assert stats.binomtest(moved, 4000, first_acceptance(1.3 * epsilon, 100)).pvalue < 1e-6


def test_the_published_noise_hardly_depends_on_epsilon_and_then_vanishes(streams):
    """Mean norms .905, .904, .904 at epsilon .125, .5, 1 with deviation .006: the mean of 64 is within .005."""
    for epsilon in (0.125, 0.5, 1.0):
        norms = np.linalg.norm(metropolis_noise(streams(64), 100, epsilon, 600), axis=1)
        assert norms.mean() == pytest.approx(0.904, abs=0.005)
    assert not metropolis_noise(streams(64), 100, 8.0, 600).any()
