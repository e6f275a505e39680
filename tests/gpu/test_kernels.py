"""Triton's kernels against what they must compute: on a GPU, or by Triton's interpreter where there is none."""

import os
from fractions import Fraction

import numpy as np
import pytest

torch = pytest.importorskip("torch")
# torch brings it.
mpmath = pytest.importorskip("mpmath")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton")

from textveil.compiled import compiled  # noqa: E402
from textveil.elementary import fma  # noqa: E402
from textveil.gpu import aes, chacha, fused, noise, normals, passes, tiles  # noqa: E402
from textveil.gpu.codes import encode_queries  # noqa: E402
from textveil.gpu.search import DeviceTable  # noqa: E402
from textveil.noise.chacha import WideStreams  # noqa: E402
from textveil.noise.gaussian import gaussian  # noqa: E402
from textveil.noise.laplace import radial_laplace  # noqa: E402
from textveil.noise.transforms import gammas  # noqa: E402
from textveil.randomness import RandomSource  # noqa: E402

KEY = bytes(range(1, 33))
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@compiled
def fused_multiply_add(a, b, c, out):
    for i in range(a.size):
        out[i] = fma(a[i], b[i], c[i])


@pytest.fixture(autouse=True)
def _one_rounding(monkeypatch):
    """The interpreter multiplies and adds with two roundings; a GPU and the compiled loops have one."""
    if DEVICE.type == "cuda":
        return
    from triton.runtime import interpreter

    def create_fma(_self, x, y, z):
        a, b, c = (np.ascontiguousarray(value.data).reshape(-1) for value in (x, y, z))
        out = np.empty(a.shape)
        fused_multiply_add(a, b, c, out)
        return interpreter.TensorHandle(out.reshape(x.data.shape), x.dtype)

    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_fma", create_fma)


def streams(count=37):
    return RandomSource.seeded(3).streams(b"x", np.arange(count))


def test_the_keystream_is_that_of_the_cpu():
    here = streams()
    starts = torch.from_numpy(here.starts.view(np.int64).copy()).to(DEVICE)
    for blocks in (3, 2):
        used = here.used
        there = aes.keystream(aes.round_keys_there(here.key, DEVICE), starts, used, blocks)
        assert (there.cpu().numpy().view(np.uint64) == here.words(2 * blocks)).all()


@pytest.mark.parametrize("used", [0, 2**32 - 1, 2**32])
def test_gamma_numbers_of_chacha_are_those_of_the_cpu_bit_for_bit(used):
    here = WideStreams(KEY, range(2**40 - 50, 2**40 + 1950))
    here.used = used
    words = here.select(slice(None)).words(4)
    # Some need a second try.
    assert not normals.attempt_gammas(torch.from_numpy(words.view(np.int64)).to(DEVICE), 1.0)[1].all()
    there = torch.full((2000,), torch.nan, dtype=torch.float64, device=DEVICE)
    chacha.mixed_deviations(KEY, 2**40 - 50, used, 1.0, 0.3, there)
    assert (there.cpu().numpy() == 0.3 * np.sqrt(2 * gammas(here, 1.0))).all()


@pytest.mark.parametrize("dimension", [1, 2, 7, 16, 61])
@pytest.mark.parametrize("used", [0, 2**32])
def test_normal_numbers_of_chacha_are_those_of_the_cpu_but_for_the_last_bits(dimension, used, monkeypatch):
    # So that there is more than one launch.
    monkeypatch.setattr(chacha, "_MOST_BLOCKS", 500)
    here = WideStreams(KEY, range(2**33 - 100, 2**33 + 100))
    here.used = used
    expected = gaussian(here.select(slice(None)), dimension, 1.7)
    out = torch.full((200, dimension), torch.nan, dtype=torch.float64, device=DEVICE)
    chacha.fill_normals(KEY, 2**33 - 100, used, torch.full((200,), 1.7, dtype=torch.float64, device=DEVICE), out)
    assert (np.abs(out.cpu().numpy() - expected) <= 2.0**-48 * np.abs(expected)).all()


@pytest.mark.parametrize(
    ("coefficients", "function", "most"),
    [
        (chacha._LOG, lambda s: 4 * mpmath.atanh(s) / s, 0.171574),
        (chacha._SINE, lambda x: mpmath.sin(x) / x, np.pi / 4),
        (chacha._COSINE, mpmath.cos, np.pi / 4),
    ],
)
def test_polynomials_of_chacha_are_within_what_the_slack_counts(coefficients, function, most):
    with mpmath.workdps(40):
        for x in mpmath.linspace(most / 1000, most, 1000):
            exact = function(x)
            assert abs(mpmath.polyval(list(coefficients.value), x * x) - exact) <= 2.0**-52 * abs(exact)


def test_blocks_whose_numbers_have_two_upper_halves_are_refused():
    out = torch.empty((1, 11), dtype=torch.float64, device=DEVICE)
    with pytest.raises(ValueError, match="the same upper half"):
        chacha.fill_normals(KEY, 0, 2**32 - 1, torch.ones(1, dtype=torch.float64, device=DEVICE), out)


def test_noise_of_a_secure_source_is_that_of_the_cpu_but_for_the_last_bits():
    here = WideStreams(KEY, range(30, 230))
    reader = noise._ChaChaReader(here, DEVICE)
    deviations = reader.mixed_deviations(4.0, 0.3)
    expected = radial_laplace(here.select(slice(None)), 7, 0.3)
    drawn = noise._normals(reader, 7, deviations).cpu().numpy()
    assert (np.abs(drawn - expected) <= noise._LAST_BITS * np.abs(expected)).all()


@pytest.mark.parametrize("dimension", [1, 7, 20])
def test_noise_is_that_of_the_cpu_bit_for_bit(dimension):
    reader = noise._AesReader(streams(200), DEVICE)
    drawn = noise._normals(reader, dimension, reader.mixed_deviations((dimension + 1) / 2, 0.3))
    assert (drawn.cpu().numpy() == radial_laplace(streams(200), dimension, 0.3)).all()
    reader = noise._AesReader(streams(200), DEVICE)
    drawn = noise._normals(reader, dimension, torch.full((200,), 1.7, dtype=torch.float64, device=DEVICE))
    assert (drawn.cpu().numpy() == gaussian(streams(200), dimension, 1.7)).all()


def test_ends_and_comparisons_of_codes_are_the_plain_ones(monkeypatch):
    monkeypatch.setattr(fused, "_RUN", 4)
    generator = np.random.default_rng(4)
    points = (np.rint(generator.standard_normal((700, 50)) * 2**20) / 2**20).astype(np.float32)
    table = DeviceTable(points, DEVICE)
    coded = encode_queries(torch.from_numpy(generator.standard_normal((300, 50))).to(DEVICE))
    plain = tiles.plain_ends(coded, table._codes)
    for one, other in zip(fused.fused_ends(coded, table._codes), plain, strict=True):
        assert torch.allclose(one, other, rtol=1e-6, atol=1e-5)
    pairs = torch.from_numpy(generator.integers(0, 2, plain[0].shape)).to(DEVICE).nonzero().T
    least = plain[0].amax(dim=0) - 6.0
    found = fused.fused_above(coded, table._codes, pairs, least)
    # Products and sums may be fused there: scores at the very edge fall on either side.
    assert (found != tiles.plain_above(coded, table._codes, pairs, least)).float().mean() < 1e-4
    assert 0.01 < found.float().mean() < 0.5


@pytest.mark.parametrize("width", [5, 64, 150])
def test_products_of_candidates_are_the_plain_ones(width):
    generator = np.random.default_rng(7)
    queries = torch.from_numpy(generator.standard_normal((30, width))).to(DEVICE)
    points = torch.from_numpy(generator.standard_normal((50, width)).astype(np.float32)).to(DEVICE)
    asked, rows = (torch.from_numpy(generator.integers(0, n, 101)).to(DEVICE) for n in (30, 50))
    found = fused.fused_products(queries, points, asked, rows)
    assert torch.allclose(found, (queries[asked] * points[rows]).sum(dim=1), rtol=1e-12, atol=1e-12)


def test_kernels_read_tensors_however_they_lie_in_memory():
    generator = np.random.default_rng(9)
    queries, points = (torch.from_numpy(generator.standard_normal((20, n))).to(DEVICE).T for n in (30, 40))
    asked, rows = (torch.from_numpy(generator.integers(0, n, 50)).to(DEVICE) for n in (30, 40))
    found = fused.fused_products(queries, points, asked, rows)
    assert torch.allclose(found, (queries[asked] * points[rows]).sum(dim=1), rtol=1e-12, atol=1e-12)
    distances, values = queries.abs(), points[:20].T
    rates, weights = distances[0, :3].contiguous(), distances[1].contiguous()
    for one, other in (
        (passes.fused_sums(distances, rates, weights), passes.fused_sums(distances.contiguous(), rates, weights)),
        (passes.fused_slopes(distances[:20], values, 0.1, 0)[0], _plain_slopes(distances[:20], values)),
    ):
        assert torch.allclose(one, other, rtol=1e-14)


def _plain_slopes(distances, values):
    return (((values[:, :, None] - values[:, None, :]).abs() + 0.1) / distances).amax(dim=2).T


def test_a_sum_of_weights_has_few_roundings():
    weights = torch.full((2**19,), 2.0**-54, dtype=torch.float64)
    weights[:128] = 1.0
    distances, rates = torch.zeros((1, len(weights)), dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    (found,) = passes.fused_sums(*(tensor.to(DEVICE) for tensor in (distances, rates, weights))).cpu()
    exact = 128 + (len(weights) - 128) * Fraction(1, 2**54)
    assert abs(Fraction(float(found)) / exact - 1) <= 140 * 2.0**-53


@pytest.mark.parametrize("count", [1, 3, 16])
def test_passes_over_pairs_are_the_plain_ones(count):
    generator = np.random.default_rng(8)
    points = generator.standard_normal((150, 3))
    distances = torch.cdist(*(torch.from_numpy(part).to(DEVICE) for part in (points[20:45], points)))
    rates, weights = (torch.from_numpy(generator.random(n)).to(DEVICE) for n in (count, 150))
    sums = torch.stack([torch.exp(-rate * distances) @ weights for rate in rates], dim=1)
    assert torch.allclose(passes.fused_sums(distances, rates, weights), sums, rtol=1e-13)
    values = torch.from_numpy(generator.standard_normal((count, 150))).to(DEVICE)
    best, columns, sound = passes.fused_slopes(distances, values, 1e-9, 20)
    apart = torch.where(distances == 0, torch.inf, distances)
    slopes = ((values[:, 20:45, None] - values[:, None, :]).abs() + 1e-9) / apart
    assert torch.allclose(best, slopes.amax(dim=2).T, rtol=1e-15)
    assert torch.equal(columns, slopes.argmax(dim=2).T.int())
    assert sound.all()
    values[-1, 30] = torch.nan
    assert not passes.fused_slopes(distances, values, 1e-9, 20)[2].any()
