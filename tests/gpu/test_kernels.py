"""Triton's kernels against what they must compute: on a GPU, or by Triton's interpreter where there is none."""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton")

from textveil.compiled import compiled  # noqa: E402
from textveil.elementary import fma  # noqa: E402
from textveil.gpu import aes, fused, noise, normals, tiles  # noqa: E402
from textveil.gpu.search import DeviceTable  # noqa: E402
from textveil.noise.gaussian import gaussian  # noqa: E402
from textveil.noise.laplace import radial_laplace  # noqa: E402
from textveil.randomness import RandomSource  # noqa: E402
from textveil.vocabulary.codes import encode_points  # noqa: E402
from textveil.vocabulary.search import half_norms  # noqa: E402

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
    starts = torch.from_numpy(here.counters[1].view(np.int64).copy()).to(DEVICE)
    for blocks in (3, 2):
        used = here.used
        there = aes.keystream(here.counters[0], starts, used, blocks)
        assert (there.cpu().numpy().view(np.uint64) == here.words(2 * blocks)).all()


@pytest.mark.parametrize("dimension", [1, 7, 20])
def test_noise_is_that_of_the_cpu_bit_for_bit(dimension):
    reader = noise._Reader(streams(200), DEVICE)
    deviations = normals.mixed_deviations(noise._gammas(reader, (dimension + 1) / 2), 0.3)
    drawn = noise._normals(reader, dimension, deviations)
    assert (drawn.cpu().numpy() == radial_laplace(streams(200), dimension, 0.3)).all()
    reader = noise._Reader(streams(200), DEVICE)
    drawn = noise._normals(reader, dimension, torch.full((200,), 1.7, dtype=torch.float64, device=DEVICE))
    assert (drawn.cpu().numpy() == gaussian(streams(200), dimension, 1.7)).all()


def test_maxima_and_comparisons_of_codes_are_the_plain_ones():
    generator = np.random.default_rng(4)
    points = (np.rint(generator.standard_normal((700, 50)) * 2**20) / 2**20).astype(np.float32)
    halves = half_norms(points)
    table = DeviceTable(points, halves, encode_points(points, halves), DEVICE)
    coded = table._coded(torch.from_numpy(generator.standard_normal((300, 50))).to(DEVICE))
    given = (coded.codes, coded.scales, table._codes, table._code_halves, table._scales)
    best = tiles.plain_maxima(*given)
    assert torch.allclose(fused.fused_maxima(*given), best, rtol=1e-6)
    pairs = torch.from_numpy(generator.integers(0, 2, best.shape)).to(DEVICE).nonzero().T
    thresholds = best[pairs[0], pairs[1]] - 3.0
    found = fused.fused_above(*given, pairs, thresholds)
    assert torch.equal(found, tiles.plain_above(*given, pairs, thresholds))
    assert 0.01 < found.float().mean() < 0.5
