import numpy as np

from textveil.elementary import cosine_of_quarter, exponential, log, multiply_high, sine_of_quarter

RNG = np.random.default_rng(1)


def ulps(values: np.ndarray, truth: np.ndarray) -> float:
    """The largest error in units of the last place of the true value."""
    spacing = np.spacing(np.abs(truth.astype(np.float64))).astype(np.longdouble)
    return float((np.abs(values.astype(np.longdouble) - truth) / spacing).max())


def test_log_is_within_two_ulps_on_all_magnitudes_and_next_to_one() -> None:
    near_one = 1 - np.exp(-36 * RNG.random(4000))
    spread = np.exp(-37 * RNG.random(4000))
    large = np.exp(300 * RNG.random(1000))
    edges = np.array([2.0**-53, 1 - 2.0**-53, 0.5, np.sqrt(0.5), np.sqrt(2), np.nextafter(0.5, 1), 3 * 2.0**-53])
    x = np.concatenate([near_one, spread, large, edges])
    x = x[x != 1.0]
    assert ulps(np.array([log(value) for value in x]), np.log(x.astype(np.longdouble))) < 2


def test_exponential_is_within_two_ulps_and_stops_at_its_least() -> None:
    x = np.concatenate([-44 * RNG.random(6000), 1400 * RNG.random(2000) - 700, [0.0, -1e-300, -(2.0**-53)]])
    assert ulps(np.array([exponential(value) for value in x]), np.exp(x.astype(np.longdouble))) < 2
    assert exponential(0.0) == 1.0
    assert exponential(-1e9) == exponential(-700.0) > 0


def test_log_of_one_is_zero() -> None:
    assert log(1.0) == 0.0


def test_sine_and_cosine_are_within_two_ulps() -> None:
    t = np.concatenate([RNG.random(6000) - 0.5, 2.0 ** -RNG.integers(2, 54, 500), [0.5, -0.5, 2.0**-53]])
    angle = t.astype(np.longdouble) * (np.longdouble(np.pi) + np.longdouble("1.2246467991473531772e-16")) / 2
    assert ulps(np.array([sine_of_quarter(value) for value in t]), np.sin(angle)) < 2
    assert ulps(np.array([cosine_of_quarter(value) for value in t]), np.cos(angle)) < 2


def test_multiply_high_is_the_upper_half_of_the_product() -> None:
    from textveil.compiled import compiled

    @compiled
    def high(a, b):
        return multiply_high(a, b)

    for a, b in RNG.integers(0, 2**64, (200, 2), dtype=np.uint64):
        assert high(a, b) == (int(a) * int(b)) >> 64
