"""What a device computes for Exponential and PrivEmb is exact, so that the words and the certificates are the CPU's."""

import math

import numpy as np
import pytest
from tests.gpu.conftest import table

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.gpu.pairs import DevicePairs, least_square
from textveil.gpu.secants import all_secants as secants_there
from textveil.mechanisms.exponential.rows import Rows
from textveil.mechanisms.privemb import secants
from textveil.randomness import RandomSource
from textveil.vocabulary import pairs

torch = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def table_with_repeats(seed, count, dimension):
    points = table(seed, count, dimension)
    points[count // 2 : count // 2 + 5] = points[:5]
    return points


@pytest.fixture(scope="module")
def vocabulary():
    return tv.Vocabulary([f"w{n}" for n in range(400)], table_with_repeats(1, 400, 9), unknown="w0")


def integers(row):
    return [part.tolist() for part in (row.ids, row.high, row.low)] + [row.own, row.share, row.total]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("radius", [None, 0.9, 2.0**-20, "of a pair"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_and_words_are_those_of_the_cpu(vocabulary, device, radius, weighted):
    if radius == "of a pair":
        radius = float(pairs.distances_to_all(vocabulary, np.array([7]))[0, 8])
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 400) if weighted else None
    options = {"epsilon": 4.0, "radius": radius, "weights": weights, "calibrated": False}
    here, there = (tv.Exponential(words, **options) for words in (vocabulary, vocabulary.on(device)))
    assert there.spec() == here.spec()
    ids = np.arange(400)
    for row, same in zip(there._rows._rows(ids), here._rows._rows(ids), strict=True):
        assert integers(row) == integers(same)
    source = RandomSource.keyed(b"k" * 32)
    tokens = np.random.default_rng(3).integers(0, 400, 3000)
    assert (there.release_ids(tokens, source=source) == here.release_ids(tokens, source=source)).all()


@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_a_tight_law_are_those_of_the_cpu(vocabulary, device, monkeypatch, tmp_path):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path))
    few = vocabulary.subset(60)
    law = tv.Exponential(few, epsilon=3.0, weights="tight").law
    here, there = (list(Rows(words, law)._rows(np.arange(60))) for words in (few, few.on(device)))
    assert [integers(row) for row in there] == [integers(row) for row in here]


@pytest.mark.parametrize("device", DEVICES)
def test_the_cpu_computes_no_distance_for_rows_that_a_device_makes(vocabulary, device, monkeypatch):
    mechanism = tv.Exponential(vocabulary.on(device), epsilon=4.0, radius=0.9, calibrated=False)
    monkeypatch.setattr("textveil.mechanisms.exponential.rows.distances_to_all", None)
    assert len(mechanism.release_ids(np.arange(400))) == 400


@pytest.mark.parametrize("device", DEVICES)
def test_the_points_are_sent_to_a_device_once(vocabulary, device):
    there = vocabulary.on(device)
    assert vocabulary.pairs_there() is None
    mechanisms = [tv.Exponential(there, epsilon=epsilon, calibrated=False) for epsilon in (1.0, 2.0)]
    assert all(mechanism._rows._there is there.pairs_there() is not None for mechanism in mechanisms)


def test_calibration_is_expected_to_be_quicker_on_a_gpu_that_computes_it(vocabulary, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_THREADS", "2")
    here = tv.Exponential(vocabulary, epsilon=4.0, calibrated=False)
    there = tv.Exponential(vocabulary.on("cpu"), epsilon=4.0, calibrated=False)
    assert there._seconds_to_calibrate() == here._seconds_to_calibrate()
    assert there.vocabulary.pairs_there() is not None
    there.vocabulary._device = torch.device("cuda")
    assert there._seconds_to_calibrate() < here._seconds_to_calibrate() / 2
    monkeypatch.setattr(tv.Vocabulary, "pairs_there", lambda _: None)
    assert there._seconds_to_calibrate() == here._seconds_to_calibrate()


def test_rows_of_points_that_are_not_exact_are_made_on_the_cpu():
    points = table_with_repeats(4, 50, 4).astype(np.float64) + 100.0
    words = tv.Vocabulary([f"w{n}" for n in range(50)], points, unknown="w0")
    assert words.on("cpu").pairs_there() is None
    matrices = [tv.Exponential(v, epsilon=2.0, calibrated=False).transition_matrix() for v in (words, words.on("cpu"))]
    assert (matrices[0] == matrices[1]).all()


@pytest.mark.parametrize("fault", [2.0**-40, -(2.0**-40), math.nan])
def test_no_row_is_made_of_distances_that_are_not_exact(fault):
    there = DevicePairs(np.array([[0.0], [1.0], [3.0]]), torch.device("cpu"))
    assert [ids.tolist() for ids, _ in there.within(np.array([2, 0]), 2.5)] == [[1], [1]]
    there._squares[2] += fault
    with pytest.raises(InvalidInputError, match="that of a point to itself is not 0"):
        list(there.within(np.array([2]), 2.5))


@pytest.mark.parametrize("radius", [2.0**-20, 0.1, 0.9, 1.0, 1 / 3, 2**0.5, 4.68, 90.5, 1e200, math.inf])
def test_squares_are_below_the_least_one_exactly_if_their_roots_are_below_the_radius(radius):
    least = least_square(radius)
    assert math.sqrt(least) >= radius
    assert math.sqrt(math.nextafter(least, 0.0)) < radius


@pytest.mark.parametrize("device", DEVICES)
def test_a_projection_is_certified_on_a_device_as_on_the_cpu(vocabulary, device, monkeypatch):
    options = {"epsilon": 2.0, "dimension": 9, "target": 3}
    here = tv.PrivEmb(public=vocabulary, **options)
    monkeypatch.setattr(secants, "_Scanner", None)
    there = tv.PrivEmb(public=vocabulary.on(device), **options)
    assert there.spec() == here.spec()
    assert there.certificate.mean == pytest.approx(here.certificate.mean, rel=1e-6)


@pytest.mark.parametrize("device", [None, *DEVICES])
def test_a_projection_to_one_point_is_refused_on_a_device_as_on_the_cpu(vocabulary, device):
    with pytest.raises(InvalidInputError, match="one lattice point"):
        tv.PrivEmb(public=vocabulary.on(device), epsilon=2.0, dimension=9, target=3, step=2.0**20)


def test_secants_that_would_not_be_exact_on_a_device_are_computed_on_the_cpu(monkeypatch):
    monkeypatch.setattr(secants, "all_secants_there", None)
    for shift, scale in ((100.0, 1.0), (0.0, 2.0**30)):
        points = np.unique(table_with_repeats(5, 40, 3).astype(np.float64), axis=0) + shift
        codes = np.rint(points[:, :2] * scale).astype(np.int64)
        assert secants.all_secants(points, codes, torch.device("cpu")) == secants.all_secants(points, codes)


def test_secants_of_a_device_that_does_not_compute_exactly_are_refused(monkeypatch):
    points = np.unique(table_with_repeats(6, 40, 3), axis=0)
    codes = np.rint(points[:, :2] * 2**12).astype(np.int64)
    monkeypatch.setattr(torch.Tensor, "__matmul__", lambda a, b: torch.matmul(a.float(), b.float()).double())
    with pytest.raises(InvalidInputError, match="not at distance 0 from itself"):
        secants_there(points, codes, torch.device("cpu"))
