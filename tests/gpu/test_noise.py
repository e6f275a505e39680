"""Noise of a device is looked at on the CPU, which draws it instead where the device is wrong."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from textveil.gpu import noise  # noqa: E402
from textveil.noise.chacha import WideStreams  # noqa: E402
from textveil.noise.gaussian import gaussian  # noqa: E402
from textveil.noise.laplace import radial_laplace  # noqa: E402
from textveil.noise.transforms import fill_normals, gammas  # noqa: E402
from textveil.randomness import RandomSource  # noqa: E402

DIMENSION, COUNT = 5, 1000


class Pretended(str):
    """The CPU, which says that it is another device."""

    __slots__ = ()
    type = "cuda"


class Faulty:
    """Reads as the CPU does, but for some vectors."""

    apart = 0.0
    wrong: int | slice | None = None

    def __init__(self, streams, device):
        self._streams, self.count, self.device = streams.select(slice(None)), len(streams), str(device)

    def mixed_deviations(self, shape, scale):
        return torch.from_numpy(scale * np.sqrt(2 * gammas(self._streams, shape)))

    def fill_normals(self, deviations, out):
        fill_normals(self._streams, deviations.numpy(), out.numpy())
        if self.wrong is not None:
            out[self.wrong, -1] += 1e-9


@pytest.fixture(params=["keyed", "secure"])
def streams(request):
    source = RandomSource.keyed(b"k" * 32) if request.param == "keyed" else RandomSource.secure()
    return source.streams(b"test", np.arange(COUNT))


@pytest.fixture
def faulty(monkeypatch):
    for name in ("_AesReader", "_ChaChaReader"):
        monkeypatch.setattr(noise, name, Faulty)
    return lambda rows: monkeypatch.setattr(Faulty, "wrong", rows)


def read(streams):
    """Streams that read what a device reads of these, without moving them on."""
    return WideStreams.instead_of(streams) if hasattr(streams, "wide_key") else streams.select(slice(None))


LAWS = [(noise.radial_laplace, radial_laplace), (noise.gaussian, gaussian)]


@pytest.mark.parametrize(("there", "here"), LAWS)
@pytest.mark.filterwarnings("error")
def test_a_device_that_is_right_is_believed_and_draws_go_on_behind_each_other(streams, faulty, there, here):
    faulty(None)
    for _ in range(2):
        same = read(streams)
        assert (there(streams, DIMENSION, 0.3, Pretended("cpu")).numpy() == here(same, DIMENSION, 0.3)).all()
        assert streams.used == same.used


@pytest.mark.parametrize(("there", "here"), LAWS)
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.filterwarnings("error")
def test_few_vectors_are_looked_at_once_each(faulty, there, here, count):
    faulty(None)
    streams = RandomSource.secure().streams(b"test", np.arange(count))
    expected = here(read(streams), DIMENSION, 0.3)
    assert (there(streams, DIMENSION, 0.3, Pretended("cpu")).numpy() == expected).all()


@pytest.mark.parametrize(("there", "here"), LAWS)
@pytest.mark.parametrize("rows", [0, 1, slice(2, COUNT - 2), COUNT - 2, COUNT - 1])
def test_a_device_that_is_wrong_at_either_end_or_between_is_replaced_by_the_cpu(streams, faulty, there, here, rows):
    faulty(rows)
    for _ in range(2):
        same = read(streams)
        with pytest.warns(UserWarning, match="computes other noise than the CPU"):
            drawn = there(streams, DIMENSION, 0.3, Pretended("cpu"))
        assert (drawn.numpy() == here(same, DIMENSION, 0.3)).all()
        assert streams.used == same.used
