import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.noise.gaussian import gaussian
from textveil.noise.laplace import radial_laplace

# SPEC 10.6: quantiles .05, .5, .95 and 1 - 1e-6 of the norm at scale 1.
GOLDEN = {
    10: (5.42540569709, 9.66871461471, 15.7052164221, 32.7103405175),
    50: (38.9647325825, 49.667064618, 62.171056702, 91.0633885598),
    100: (84.1392772183, 99.6668649193, 116.997134446, 154.919045995),
    200: (177.320487033, 199.666765612, 223.816233915, 274.557619002),
    300: (272.090037193, 299.66673259, 329.046786569, 389.642302555),
    768: (722.992033256, 767.666692399, 814.144915621, 907.000776202),
}


@pytest.mark.parametrize("dimension", GOLDEN)
def test_the_law_of_the_norm_has_the_golden_quantiles(dimension) -> None:
    law = stats.gamma(dimension)
    found = [*law.ppf([0.05, 0.5, 0.95]), law.isf(1e-6)]
    np.testing.assert_allclose(found, GOLDEN[dimension], rtol=1e-8)


@pytest.mark.parametrize("dimension", [1, 2, 3, 10, 50, 300, 768])
def test_the_norm_of_laplace_noise_is_gamma(streams, fits, dimension) -> None:
    noise = radial_laplace(streams(5000), dimension, 0.25)
    norms = np.linalg.norm(noise, axis=1)
    law = stats.gamma(dimension, scale=0.25)
    assert fits(norms, law)
    assert not fits(1.3 * norms, law)


def test_in_one_dimension_it_is_the_laplace_law(streams, fits) -> None:
    noise = radial_laplace(streams(20_000), 1, 2.0)
    assert fits(noise, stats.laplace(scale=2.0))
    assert not fits(1.3 * noise, stats.laplace(scale=2.0))


@pytest.mark.parametrize("dimension", [2, 10, 301])
def test_directions_are_uniform_and_independent_of_the_norm(streams, fits, dimension) -> None:
    noise = radial_laplace(streams(20_000), dimension, 1.0)
    norms = np.linalg.norm(noise, axis=1)
    half = (dimension - 1) / 2
    for place in (0, dimension // 2, dimension - 1):
        along = noise[:, place] / norms
        assert fits((along + 1) / 2, stats.beta(half, half))
        assert not fits((1.3 * along + 1) / 2, stats.beta(half, half))
        assert abs(stats.spearmanr(norms, along).statistic) < stats.norm.isf(5e-7) / np.sqrt(20_000)


@pytest.mark.parametrize("dimension", [1, 7, 300])
def test_gaussian_noise_is_normal_in_every_coordinate(streams, fits, dimension) -> None:
    noise = gaussian(streams(60_000 // dimension), dimension, 3.0)
    assert noise.shape == (60_000 // dimension, dimension)
    assert fits(noise, stats.norm(scale=3.0))
    assert not fits(1.3 * noise, stats.norm(scale=3.0))


@pytest.mark.parametrize("draw", [radial_laplace, gaussian])
def test_bad_parameters_are_refused(streams, draw) -> None:
    for dimension, scale in [(0, 1.0), (2.5, 1.0), (3, 0.0), (3, -1.0), (3, np.nan), (3, np.inf)]:
        with pytest.raises(InvalidInputError):
            draw(streams(2), dimension, scale)


@pytest.mark.parametrize("draw", [radial_laplace, gaussian])
def test_no_items_give_no_vectors(streams, draw) -> None:
    assert draw(streams(1).select(slice(0, 0)), 5, 1.0).shape == (0, 5)
