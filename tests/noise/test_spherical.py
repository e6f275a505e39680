import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.noise.mixture import laplace_mixture
from textveil.noise.spherical import SphericalLaplace, _pick, _prefixes

RATE = 2.0**-14
DIMENSIONS = [1, 2, 10, 50, 300]


@pytest.fixture(scope="module")
def made():
    return {dimension: SphericalLaplace(dimension, RATE) for dimension in DIMENSIONS}


def slopes(noise: SphericalLaplace, radii: np.ndarray) -> np.ndarray:
    """h' straight from its definition, in extended precision."""
    logs = np.array([Decimal(weight).ln() for weight in noise.mixture.weights])
    squares = noise.mixture.deviations.astype(np.longdouble) ** 2
    heights = logs.astype(np.longdouble) - noise.dimension / np.longdouble(2) * np.log(squares)
    found = []
    for r in radii.astype(np.longdouble):
        exponents = heights - r * r / (2 * squares)
        chances = np.exp(exponents - exponents.max())
        found.append((chances * r / squares).sum() / chances.sum())
    return np.array(found)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_slope_is_within_the_rate_up_to_the_radius(made, dimension) -> None:
    noise = made[dimension]
    radii = noise.radius * np.exp(-15 * np.random.default_rng(dimension).random(3000))
    found = slopes(noise, np.append(radii, noise.radius))
    assert noise.slope <= RATE
    assert found.max() <= noise.slope
    # It is also nearly reached where the noise lies, so nothing is wasted.
    typical = slopes(noise, stats.gamma(dimension).ppf([0.3, 0.5, 0.7]) / RATE)
    np.testing.assert_allclose(typical.astype(float), RATE, rtol=2e-6)


def test_the_slope_is_the_derivative_of_the_log_probability(made) -> None:
    getcontext().prec = 60
    noise = made[2]
    step = Decimal("1e-12")

    def log_probability(r: Decimal) -> Decimal:
        terms = zip(noise.mixture.deviations, noise.mixture.weights, strict=True)
        return sum(
            Decimal(w) / Decimal(int(s)) ** 2 * (-r * r / (2 * Decimal(int(s)) ** 2)).exp() for s, w in terms
        ).ln()

    for r in (Decimal(700), Decimal(40_000), Decimal(900_000)):
        numeric = (log_probability(r) - log_probability(r + step)) / step
        assert float(numeric) == pytest.approx(float(slopes(noise, np.array([float(r)]))[0]), rel=1e-10)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_slope_holds_beyond_the_last_quantile_and_little_escapes(made, dimension) -> None:
    noise = made[dimension]
    assert noise.radius * RATE > stats.gamma(dimension).isf(1e-30)
    assert noise.escape(0) < 1e-60
    assert noise.escape(50 / RATE) < 1e-39
    assert noise.escape(0) < noise.escape(50 / RATE) < noise.escape(120 / RATE) < 1e-25
    assert noise.escape(noise.radius) == 1.0
    assert noise.escape(2 * noise.radius) == 1.0


@pytest.mark.parametrize("dimension", [1, 10, 300])
def test_the_tail_bound_lies_above_the_true_tail(made, dimension) -> None:
    for chance in (0.5, 1e-3, 1e-12, 1e-30):
        radius = stats.gamma(dimension).isf(chance) / RATE
        bound = made[dimension].mixture.tail(radius)
        assert chance <= bound <= 1000 * chance


@pytest.mark.parametrize("rate", [2.0**-13, 2.0**-14.9, 2.0**-30])
@pytest.mark.parametrize("dimension", [1, 4, 100, 1024, 4096])
def test_every_table_is_certified_at_its_own_rate(dimension, rate) -> None:
    noise = SphericalLaplace(dimension, rate)
    assert noise.slope <= rate
    assert sum(noise.mixture.weights) == 2**256
    assert min(noise.mixture.weights) > 0


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_norms_are_gamma(made, streams, fits, dimension) -> None:
    drawn = made[dimension].draw(streams(4000))
    assert drawn.dtype == np.int64
    norms = RATE * np.linalg.norm(drawn.astype(float), axis=1)
    assert fits(norms, stats.gamma(dimension))
    assert not fits(1.3 * norms, stats.gamma(dimension))


def test_directions_are_uniform(made, streams, fits) -> None:
    drawn = made[10].draw(streams(20_000)).astype(float)
    along = drawn[:, 3] / np.linalg.norm(drawn, axis=1)
    assert fits((along + 1) / 2, stats.beta(4.5, 4.5))
    assert not fits((1.3 * along + 1) / 2, stats.beta(4.5, 4.5))


def test_deviations_are_chosen_by_their_integer_weights(made, streams, counts_fit) -> None:
    mixture = made[300].mixture
    chances = np.array([weight / 2**256 for weight in mixture.weights])
    picked = np.empty(200_000, dtype=np.int64)
    _pick(streams(200_000).words(4), _prefixes(mixture.weights), picked)
    places = np.arange(len(chances))
    assert counts_fit(picked, places, chances)
    assert not counts_fit(picked, places, np.roll(chances, 1))


def test_the_look_up_is_exact_at_the_borders() -> None:
    weights = (3, 2**200, 2**256 - 2**200 - 3)
    numbers = {0: 0, 2: 0, 3: 1, 2**200 + 2: 1, 2**200 + 3: 2, 2**256 - 1: 2}
    words = [[(number >> shift) & (2**64 - 1) for shift in (192, 128, 64, 0)] for number in numbers]
    picked = np.empty(len(numbers), dtype=np.int64)
    _pick(np.array(words, dtype=np.uint64), _prefixes(weights), picked)
    assert picked.tolist() == list(numbers.values())


def test_a_table_with_a_wrong_rate_is_seen() -> None:
    radii = np.array([300 / RATE])
    right, _ = laplace_mixture(300, RATE).slopes(radii)
    wrong, _ = laplace_mixture(300, 1.3 * RATE).slopes(radii)
    assert right[0] == pytest.approx(RATE, rel=1e-6)
    assert wrong[0] == pytest.approx(1.3 * RATE, rel=1e-6)


@pytest.mark.parametrize("rate", [2.0**-12.9, 0.0, -1.0, math.nan, math.inf, 2.0**-60])
def test_other_rates_are_refused(rate) -> None:
    with pytest.raises(InvalidInputError, match="rate"):
        SphericalLaplace(300, rate)
