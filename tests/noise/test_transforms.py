import numpy as np
import pytest
from scipy import stats

from textveil.errors import InvalidInputError
from textveil.noise.transforms import _SQUEEZE, _box_muller, below, gammas, normals, uniforms


def test_uniforms_never_reach_zero_or_one() -> None:
    words = np.array([[0, 2**64 - 1], [2**63, 2**12]], dtype=np.uint64)
    assert uniforms(words).tolist() == [[2.0**-53, 1 - 2.0**-53], [0.5 + 2.0**-53, 3 * 2.0**-53]]


def test_uniforms_are_uniform(streams, fits) -> None:
    sample = uniforms(streams(1000).words(100))
    assert fits(sample, stats.uniform())
    assert not fits(sample, stats.uniform(scale=1.3))


@pytest.mark.parametrize("count", [1, 2, 3, 8, 301])
def test_normals_are_normal(streams, fits, count) -> None:
    sample = normals(streams(60_000 // count), count)
    assert sample.shape == (60_000 // count, count)
    assert fits(sample, stats.norm())
    assert not fits(sample, stats.norm(scale=1.3))


def test_the_two_normals_of_a_pair_and_their_squares_are_uncorrelated(streams) -> None:
    x, y = normals(streams(100_000), 2).T
    bound = stats.norm.isf(5e-7) / np.sqrt(100_000)
    assert abs(np.corrcoef(x, y)[0, 1]) < bound
    assert abs(np.corrcoef(x**2, y**2)[0, 1]) < bound
    assert abs(np.corrcoef(np.abs(x), y)[0, 1]) < bound


def test_the_angle_of_a_pair_is_uniform(streams, fits) -> None:
    x, y = normals(streams(100_000), 2).T
    assert fits(np.arctan2(y, x), stats.uniform(-np.pi, 2 * np.pi))
    assert not fits(1.3 * np.arctan2(y, x), stats.uniform(-np.pi, 2 * np.pi))


def test_normals_follow_box_and_muller() -> None:
    words = np.random.default_rng(3).integers(0, 2**64, (20, 10), dtype=np.uint64)
    out = np.empty((20, 10))
    _box_muller(words, np.full(20, 2.0), out)
    radius = 2 * np.sqrt(-2 * np.log(uniforms(words[:, :5])))
    np.testing.assert_allclose(np.hypot(out[:, :5], out[:, 5:]), radius, rtol=1e-15)


def test_normals_are_never_zero_and_always_finite_for_extreme_bits() -> None:
    extremes = [0, 2**64 - 1, 2**62 - 1, 2**62, 2**63, 2**61, 2**61 - 1, 2**63 + 2**61, 2**62 + 2**61]
    words = np.array([[a, b] for a in extremes for b in extremes], dtype=np.uint64)
    out = np.empty((len(words), 2))
    _box_muller(words, np.ones(len(words)), out)
    assert np.isfinite(out).all()
    assert (out != 0).all()


@pytest.mark.parametrize("shape", [0.1, 0.7, 1.0, 1.5, 10.0, 300.0])
def test_gammas_follow_their_law(streams, fits, shape) -> None:
    sample = gammas(streams(30_000), shape)
    assert fits(sample, stats.gamma(shape))
    # At shape 0.1 a scale of 1.3 moves the distribution function by .016 only; more draws would show it.
    wrong = 1.3 if shape > 0.5 else 1.3**4
    assert not fits(sample * wrong, stats.gamma(shape))


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_whole_numbers_below_n_are_uniform(streams, counts_fit, n) -> None:
    sample = below(streams(50_000), n)
    assert counts_fit(sample, np.arange(n), np.full(n, 1 / n))
    if n > 2:
        assert not counts_fit((sample / 1.3).astype(int), np.arange(n), np.full(n, 1 / n))


def test_the_only_number_below_one_is_zero(streams) -> None:
    assert (below(streams(100), 1) == 0).all()


def test_whole_numbers_below_large_n_are_uniform_where_most_words_are_refused(streams, fits) -> None:
    for n in (2**62 + 1, 2**63 - 1, 2**63):
        sample = below(streams(20_000), n)
        assert sample.min() >= 0
        assert fits(sample / n, stats.uniform())
        assert not fits(sample / n, stats.uniform(scale=1.3))


def test_refused_words_keep_remainders_even(streams, counts_fit) -> None:
    # Without the refusal the remainders 0, 1, 2 of numbers below 3 * 2^61 would come as 3 : 3 : 2.
    sample = below(streams(20_000), 3 * 2**61) % 3
    assert counts_fit(sample, np.arange(3), np.full(3, 1 / 3))
    assert not counts_fit(sample, np.arange(3), np.array([3, 3, 2]) / 8)


def test_the_squeeze_of_the_gamma_sampler_lies_below_the_exact_bound() -> None:
    x = np.linspace(-8, 8, 4001)[:, None]
    d = np.array([2 / 3, 1, 2, 10, 150.5, 4000])
    v = np.maximum(1 + x / np.sqrt(9 * d), 1e-300) ** 3
    exact = np.exp(np.minimum(x**2 / 2 + d - d * v + d * np.log(np.maximum(v, 1e-300)), 0))
    squeeze = np.where(v > 1e-300, 1 - _SQUEEZE * x**4, 0)
    assert (squeeze <= exact + 1e-12).all()


@pytest.mark.parametrize("n", [0, -1, 2**63 + 1, 2.5, True])
def test_below_refuses_other_limits(streams, n) -> None:
    with pytest.raises(InvalidInputError, match="2\\^63"):
        below(streams(1), n)


@pytest.mark.parametrize("shape", [0.0, -1.0, np.nan, np.inf])
def test_gammas_refuse_other_shapes(streams, shape) -> None:
    with pytest.raises(InvalidInputError, match="shape"):
        gammas(streams(1), shape)
