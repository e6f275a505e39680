import pickle
from contextlib import nullcontext

import numpy as np
import pytest
from tests.gpu.conftest import table

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.gpu import depth, devices, pairs, search
from textveil.gpu.devices import accelerator_of, checked_device, there
from textveil.mechanisms import nearest_word
from textveil.noise.lattice import Lattice
from textveil.randomness import RandomSource

torch = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture(scope="module")
def vocabulary():
    return tv.Vocabulary([f"w{n}" for n in range(900)], table(1, 900, 20), unknown="w0")


@pytest.mark.parametrize("bad", ["no such thing", "meta", 3.5])
def test_devices_that_cant_be_used_are_refused(bad):
    with pytest.raises(InvalidInputError, match="device"):
        checked_device(bad)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_gpu_that_is_not_there_is_refused(vocabulary):
    with pytest.raises(InvalidInputError, match="no CUDA device"):
        vocabulary.on("cuda")


def test_a_gpu_has_its_number_as_that_of_a_tensor_has(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert checked_device("cuda") == torch.device("cuda:1")
    assert checked_device("cuda:0") == torch.device("cuda:0")
    with pytest.raises(InvalidInputError, match="has 2 CUDA devices"):
        checked_device("cuda:2")


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [lambda words: words, lambda words: tv.Candidates(words.points, words.words)])
def test_a_worker_takes_a_device_of_the_same_kind_if_it_sees_one(vocabulary, device, kind, monkeypatch):
    public = kind(vocabulary)
    sent = pickle.dumps(public.on(device))
    arrived = pickle.loads(sent)  # noqa: S301
    assert arrived.device == checked_device(device)
    assert arrived.digest == public.digest
    assert pickle.loads(pickle.dumps(public)).device is None  # noqa: S301

    def sees_none(device):
        raise InvalidInputError("no such device")

    monkeypatch.setattr(devices, "checked_device", sees_none)
    arrived = pickle.loads(sent)  # noqa: S301
    assert arrived.device is None
    assert arrived.digest == public.digest


def test_what_other_threads_and_queues_use_is_finished(monkeypatch):
    finished = []
    for module in (search, pairs, depth):
        monkeypatch.setattr(module, "finish", finished.append)
    points, device = table(5, 10, 3), torch.device("cpu")
    made = (
        lambda: search.DeviceTable(points, device),
        lambda: pairs.DevicePairs(points, device),
        lambda: depth.DeviceDepth(np.rint(points * 8).astype(float), np.eye(3), closed=True, device=device),
    )
    for count, make in enumerate(made, start=1):
        make()
        assert finished == [device] * count


def test_arrays_that_are_closed_or_go_backwards_are_taken_too(vocabulary):
    queries = vocabulary.points[::-3].astype(np.float64)
    queries.flags.writeable = False
    assert (vocabulary.on("cpu").nearest(queries) == vocabulary.nearest(queries)).all()
    assert there(np.arange(5)[::-1], torch.device("cpu"), np.float64).tolist() == [4.0, 3.0, 2.0, 1.0, 0.0]


def test_what_is_in_the_own_memory_has_no_accelerator():
    assert accelerator_of(np.zeros(3)) is None
    assert accelerator_of([1.0]) is None
    assert accelerator_of(torch.zeros(3)) is None


def test_tensors_on_devices_without_float64_are_refused(vocabulary):
    there = torch.zeros((1, 20), device="meta")
    for use in (vocabulary.nearest, tv.Laplace(epsilon=2.0, dimension=20).release):
        with pytest.raises(InvalidInputError, match=r'on "cpu" or "cuda" \(got one on meta\).*tensor\.cpu\(\)'):
            use(there)


@pytest.mark.parametrize("device", DEVICES)
def test_a_zero_that_is_released_never_shows_the_sign_of_what_was_private(device):
    lattice = Lattice(1.0)
    tiny = np.array([0.0, -0.0, 1e-12, -1e-12, -2.0, 2.0])
    x, noise = (grid.ravel() for grid in np.meshgrid(tiny, tiny))
    there = lattice.add_there(torch.from_numpy(x).to(device), torch.from_numpy(noise).to(device))
    here = lattice.to_vectors(lattice.snap(x) + lattice.to_integers(noise))
    assert there.cpu().numpy().tobytes() == here.tobytes()


@pytest.mark.parametrize("device", DEVICES)
def test_a_vocabulary_on_a_device_is_the_same_vocabulary(vocabulary, device):
    there = vocabulary.on(device)
    assert there == vocabulary
    assert there.device.type == device
    assert there.on(None).device is None
    assert vocabulary.device is None


@pytest.mark.parametrize("device", DEVICES)
def test_the_nearest_words_are_those_of_the_cpu(vocabulary, device):
    generator = np.random.default_rng(2)
    points = vocabulary.points
    queries = points[generator.integers(0, 900, 400)] + 0.5 * generator.standard_normal((400, 20))
    queries[50:100] = (points[50:100].astype(np.float64) + points[150:200]) / 2
    queries[100], queries[101], queries[102] = 0.0, 1e-30, 1e30
    there = vocabulary.on(device)
    assert (there.nearest(queries) == vocabulary.nearest(queries)).all()
    tensor = there.nearest(torch.from_numpy(queries).to(device))
    assert tensor.device.type == device
    assert (tensor.cpu().numpy() == vocabulary.nearest(queries)).all()
    assert there.nearest(queries[0]).tolist() == vocabulary.nearest(queries[0]).tolist()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64, "autocast"])
def test_no_setting_of_torch_changes_an_answer(device, kind):
    generator = np.random.default_rng(5)
    # Their codes are without error, so that the bound leaves no room for any other.
    whole = generator.integers(-127, 128, (3500, 8))
    whole[:, 0] = 127
    points, queries = whole[:1500] / 64, whole[1500:] / 64
    vocabulary = tv.Vocabulary([f"w{n}" for n in range(1500)], points, unknown="w0")
    expected = vocabulary.nearest(queries)
    default = torch.get_default_dtype()
    try:
        if kind != "autocast":
            torch.set_default_dtype(kind)
        with torch.autocast(device, torch.bfloat16) if kind == "autocast" else nullcontext():
            assert (vocabulary.on(device).nearest(queries) == expected).all()
    finally:
        torch.set_default_dtype(default)


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_may_lie_in_memory_as_they_like_and_want_a_gradient(vocabulary, device):
    queries = torch.from_numpy(np.random.default_rng(6).standard_normal((20, 300))).to(device).T.requires_grad_()
    assert not queries.is_contiguous()
    found = vocabulary.on(device).nearest(queries)
    assert (found.cpu().numpy() == vocabulary.nearest(queries.detach().cpu().numpy())).all()
    with pytest.raises(InvalidInputError, match="points must be real numbers"):
        vocabulary.on(device).nearest(queries + 1j)


@pytest.mark.parametrize("device", DEVICES)
def test_points_that_have_no_codes_are_not_compared_with_all_others(vocabulary, device, monkeypatch):
    there, asked, look = vocabulary.on(device), [], search.DeviceTable.nearest
    monkeypatch.setattr(search.DeviceTable, "nearest", lambda self, few: asked.append(len(few)) or look(self, few))
    queries = np.zeros((50, 20))
    queries[7], queries[8] = 1.0, 1e30
    assert (there.nearest(queries) == vocabulary.nearest(queries)).all()
    assert asked == [1]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("bad", [np.zeros((2, 3)), [["x"] * 20], np.full((1, 20), np.nan), np.full((1, 20), 1e200)])
def test_points_that_are_none_are_refused_there_too(vocabulary, device, bad):
    with pytest.raises(InvalidInputError, match="points must"):
        vocabulary.on(device).nearest(bad)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("noise", [{"precision": "fast"}, {"precision": "exact"}])
def test_words_are_released_as_on_the_cpu(vocabulary, device, noise, monkeypatch):
    monkeypatch.setattr(nearest_word, "_PORTION_THERE", 70)
    monkeypatch.setattr(search, "_QUERIES", 30)
    ids = np.arange(900)[::3]
    source = RandomSource.keyed(b"k" * 32)
    here = tv.NearestWord(vocabulary, tv.Laplace(epsilon=8.0, dimension=20, **noise))
    there = tv.NearestWord(vocabulary.on(device), tv.Laplace(epsilon=8.0, dimension=20, **noise))
    assert there.spec() == here.spec()
    assert (there.release_ids(ids, source=source) == here.release_ids(ids, source=source)).all()
    assert len(there.vocabulary._searches) == 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "mechanism",
    [
        tv.Laplace(epsilon=2.0, dimension=7),
        tv.Laplace(epsilon=2.0, dimension=7, precision="exact"),
        tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=7, precision="fast"),
    ],
    ids=["laplace", "exact laplace", "gaussian"],
)
def test_vectors_on_a_device_get_the_noise_of_the_cpu(device, mechanism):
    vectors = np.random.default_rng(3).standard_normal((50, 7))
    source = RandomSource.keyed(b"k" * 32)
    here = mechanism.release(vectors, source=source)
    there = mechanism.release(torch.from_numpy(vectors).to(device), source=source)
    assert there.device.type == device
    assert (there.cpu().numpy() == here).all()


@pytest.mark.parametrize("device", DEVICES)
def test_sampling_there_is_sampling_here(device):
    mechanism = tv.Laplace(epsilon=2.0, dimension=7)
    vectors = np.random.default_rng(4).standard_normal((50, 7))
    streams = RandomSource.keyed(b"k" * 32).streams(b"x", np.arange(50))
    there = mechanism.sample_there(torch.from_numpy(vectors).to(device), streams.select(slice(None)))
    assert (there.cpu().numpy() == mechanism._sample(vectors, streams)).all()
    with pytest.raises(InvalidInputError, match="finite"):
        mechanism.sample_there(torch.full((50, 7), torch.nan, dtype=torch.float64, device=device), streams)
    with pytest.raises(InvalidInputError, match="steps"):
        mechanism.sample_there(torch.full((50, 7), 1e30, dtype=torch.float64, device=device), streams)


@pytest.mark.parametrize(
    "mechanism",
    [
        tv.CoordinateLaplace(epsilon=1.0, dimension=3),
        tv.Laplace(epsilon=2.0, dimension=3, precision="exact"),
        tv.Laplace(epsilon=2.0, dimension=3, normalise=True),
        tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=3, precision="exact"),
    ],
    ids=["by coordinates", "exact laplace", "normalised laplace", "exact gaussian"],
)
def test_noise_that_no_device_draws_is_refused_there(mechanism):
    streams = RandomSource.keyed(b"k" * 32).streams(b"x", np.arange(2))
    assert not mechanism.draws_there
    with pytest.raises(InvalidInputError, match="drawn on the CPU"):
        mechanism.sample_there(torch.zeros((2, 3), dtype=torch.float64), streams)
    vectors = np.eye(3)
    source = RandomSource.keyed(b"k" * 32)
    released = mechanism.release(torch.from_numpy(vectors), source=source)
    assert (released.numpy() == mechanism.release(vectors, source=source)).all()
