from fractions import Fraction

import numpy as np
import pytest
from tests.gpu.conftest import table

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.gpu import codes as codes_there
from textveil.gpu import neighbours as neighbours_there
from textveil.gpu import pairs as pairs_there
from textveil.gpu import search
from textveil.gpu.neighbours import nearest_others
from textveil.gpu.pairs import DevicePairs
from textveil.gpu.search import Candidates, DeviceTable
from textveil.gpu.secants import all_secants as secants_there
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.mechanisms.privemb.secants import all_secants
from textveil.vocabulary import codes, neighbours
from textveil.vocabulary.neighbours import nearest_neighbours
from textveil.vocabulary.pairs import log_normalisers, steepest_pairs
from textveil.vocabulary.search import half_norms

torch = pytest.importorskip("torch")

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def words_of(points):
    return tv.Vocabulary([f"w{n}" for n in range(len(points))], points, unknown="w0")


def device_table(points, device):
    return DeviceTable(points, torch.device(device))


def candidates_of(table, queries, k):
    """The candidates of all parts, numbered by all queries."""
    found = [(candidates.queries + part.start, candidates.rows) for part, candidates in table.candidates(queries, k)]
    return Candidates(*map(torch.cat, zip(*found, strict=True)))


@pytest.mark.parametrize("device", DEVICES)
def test_codes_are_those_of_the_cpu(device, monkeypatch):
    monkeypatch.setattr(codes_there, "_ROWS", 300)
    points = table(5, 1000, 70)
    halves = half_norms(points)
    halves[3::50] = np.inf
    here = codes.encode_points(points, halves)
    there = codes_there.encode_points(torch.from_numpy(points).to(device), torch.from_numpy(halves).to(device))
    assert there.codes.shape[1] % 64 == 0
    assert (there.codes[:, 70:] == 0).all()
    assert (there.codes[:, :70].cpu().numpy() == here.codes[:, :70]).all()
    for name in ("rows", "halves", "scales"):
        assert (getattr(there, name).cpu().numpy() == getattr(here, name)).all()
    assert np.allclose(there.bounds.cpu().numpy(), here.bounds, rtol=1e-6)
    asked = table(6, 40, 70).astype(np.float64)
    here, there = codes.encode_queries(asked), codes_there.encode_queries(torch.from_numpy(asked).to(device))
    assert (there.codes[:, :70].cpu().numpy() == here.codes[:, :70]).all()
    assert np.allclose(there.norms.cpu().numpy(), here.norms, rtol=1e-6)
    assert np.allclose(there.errors.cpu().numpy(), here.errors, rtol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("k", [1, 4, 7])
def test_the_nearest_few_are_always_among_the_candidates(device, k):
    points = table(1, 1000, 15)
    queries = points[:200] + np.random.default_rng(2).standard_normal((200, 15))
    found = candidates_of(device_table(points, device), torch.from_numpy(queries).to(device), k)
    squares = ((queries[:, None] - points[None].astype(np.float64)) ** 2).sum(axis=2)
    kept = np.zeros(squares.shape, dtype=bool)
    kept[found.queries.cpu().numpy(), found.rows.cpu().numpy()] = True
    nearest = np.argsort(squares, axis=1)[:, :k]
    assert np.take_along_axis(kept, nearest, axis=1).all()
    assert kept.mean() < 0.5


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("limit", "most"), [("_QUERIES", 4), ("_MOST_ENDS", 30), ("_MOST_PAIRS", 5)])
def test_many_queries_are_looked_at_in_parts(device, limit, most, monkeypatch):
    points = table(1, 1000, 15)
    queries = torch.from_numpy(points[:37] + np.random.default_rng(2).standard_normal((37, 15))).to(device)
    there = device_table(points, device)
    whole = candidates_of(there, queries, 3)
    asked = []
    monkeypatch.setattr(search, limit, most)
    monkeypatch.setattr(
        search, "encode_queries", lambda some: asked.append(len(some)) or codes_there.encode_queries(some)
    )
    parts = candidates_of(there, queries, 3)
    assert min(asked) < 5
    assert torch.equal(parts.queries, whole.queries)
    assert torch.equal(parts.rows, whole.rows)
    assert max(part.stop - part.start for part, _ in there.candidates(queries, 3)) < 5


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("k", [1, 5, 20])
def test_the_neighbours_are_those_of_the_cpu(device, k, monkeypatch):
    monkeypatch.setattr(neighbours_there, "_ROWS", 90)
    monkeypatch.setattr(search, "_QUERIES", 40)
    points = table(3, 700, 12)
    points[650:] = points[:50]
    ids, distances = nearest_neighbours(points, k)
    there, apart = nearest_neighbours(points, k, device=device)
    assert (there == ids).all()
    assert (apart == distances).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("scale", [np.pi, 2.0**12])
def test_points_whose_distances_are_rounded_are_compared_on_the_cpu(device, scale, monkeypatch):
    points = table(3, 60, 4).astype(np.float64) * scale
    monkeypatch.setattr(neighbours, "nearest_others", lambda *_: pytest.fail("compared on the device"))
    assert (nearest_neighbours(points, 3, device=device)[0] == nearest_neighbours(points, 3)[0]).all()
    points[7, 2] = np.nan
    with pytest.raises(InvalidInputError, match="finite"):
        nearest_neighbours(points, 3, device=device)


@pytest.mark.parametrize("dimension", [0, 70_000])
def test_points_that_can_have_no_codes_are_compared_on_the_cpu(dimension, monkeypatch):
    points = table(3, 5, dimension) / 16
    monkeypatch.setattr(neighbours, "DeviceTable", None)
    assert (nearest_neighbours(points, 3, device="cpu")[0] == nearest_neighbours(points, 3)[0]).all()


@pytest.mark.parametrize("device", DEVICES)
def test_more_neighbours_than_blocks_are_found(device):
    points = table(4, 60, 3)
    ids, _ = nearest_neighbours(points, 59)
    assert (nearest_others(device_table(points, device), 59)[0] == ids).all()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("radius", [np.inf, 2.5])
def test_normalisers_and_steepest_pairs_are_those_of_the_cpu(device, radius, monkeypatch):
    points = table(5, 500, 10)
    points[17] = points[3]
    vocabulary = words_of(points)
    weights = np.random.default_rng(6).uniform(0.5, 2.0, 500)
    rates = np.linspace(0.5, 3.0, 7)
    # Several strips.
    monkeypatch.setattr("textveil.gpu.pairs._PAIRS", 500 * 90)
    there = vocabulary.on(device)
    for given in (None, weights):
        here = log_normalisers(vocabulary, rates, radius=radius, weights=given)
        assert np.allclose(log_normalisers(there, rates, radius=radius, weights=given), here, rtol=0, atol=1e-13)
    worst, found = (steepest_pairs(v, here, radius=radius, slack=1e-12) for v in (vocabulary, there))
    assert np.allclose(found.slope, worst.slope, rtol=1e-14)
    for k in range(len(rates)):
        assert {found.first[k], found.second[k]} == {worst.first[k], worst.second[k]}


@pytest.mark.parametrize("device", DEVICES)
def test_sums_of_many_weights_have_few_roundings(device):
    # A small weight is lost when it is added to a large one alone.
    count = 2**19
    weights = torch.full((count,), 2.0**-54, dtype=torch.float64)
    weights[0] = 1.0
    distances, rates = torch.zeros((2, count), dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    sums = pairs_there._sums(*(tensor.to(device) for tensor in (distances, rates, weights)))
    exact = 1 + (count - 1) * Fraction(1, 2**54)
    # What claim 8 of docs/mechanisms/exponential.md allows.
    assert all(abs(Fraction(found) / exact - 1) <= 1536 * 2.0**-53 for found in sums.flatten().tolist())


@pytest.mark.parametrize("device", DEVICES)
def test_calibration_there_finds_the_rate_of_the_cpu(device):
    vocabulary = words_of(table(7, 400, 8))
    here = calibrate(vocabulary, 3.0, np.inf)
    there = calibrate(vocabulary.on(device), 3.0, np.inf)
    assert there.rate == pytest.approx(here.rate, rel=1e-9)
    assert there.loss <= 3.0


def test_tables_whose_distances_are_rounded_stay_on_the_cpu(monkeypatch):
    vocabulary = words_of(table(8, 50, 4).astype(np.float64) + 100.0).on("cpu")
    monkeypatch.setattr(DevicePairs, "__init__", lambda *_: pytest.fail("distances would not be exact"))
    log_normalisers(vocabulary, np.array([1.0]), radius=np.inf)


@pytest.mark.parametrize("device", DEVICES)
def test_secants_are_those_of_the_cpu(device, monkeypatch):
    points = table(9, 300, 16)
    codes = np.rint(points.astype(np.float64) @ np.random.default_rng(10).standard_normal((16, 5)) * 2**12).astype(int)
    here = all_secants(points, codes)
    monkeypatch.setattr("textveil.gpu.secants._PAIRS", 300 * 70)
    largest, first, second, mean = secants_there(points, codes, torch.device(device))
    assert largest == pytest.approx(here.largest, rel=1e-14)
    assert {first, second} == {here.first, here.second}
    assert mean == pytest.approx(here.mean, rel=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_nothing_is_certified_by_distances_that_are_not_exact(device):
    pairs = DevicePairs(np.array([[0.0], [1.0], [3.0]]), torch.device(device))
    values, rates = np.array([[0.0, 5.0, 5.5]]), np.array([1.0])
    assert pairs.steepest(values, radius=10.0, slack=0.0)[0] == [5.0]
    for fault in (-(2.0**-50), 2.0**-40, np.nan):
        pairs._squares[0] = fault
        with pytest.raises(InvalidInputError, match="a squared distance is negative"):
            pairs.steepest(values, radius=10.0, slack=0.0)
        with pytest.raises(InvalidInputError, match="a squared distance is negative"):
            pairs.log_normalisers(rates, radius=10.0, weights=np.ones(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_certify_nothing(bad):
    pairs = DevicePairs(np.array([[0.0], [1.0], [3.0]]), torch.device("cpu"))
    with pytest.raises(InvalidInputError, match="a slope is not finite"):
        pairs.steepest(np.array([[0.0, bad, 5.5]]), radius=10.0, slack=0.0)
    with pytest.raises(InvalidInputError, match="a sum of weights is no positive number"):
        pairs.log_normalisers(np.array([1.0]), radius=10.0, weights=np.array([1.0, bad, 1.0]))


@pytest.mark.parametrize(
    ("points", "codes", "reason"),
    [
        ([[2.0**20, 0.0], [2.0**20 + 2.0**-20, 0.0], [0.0, 1.0]], [[0], [9], [5]], r"squared norms below 2\^11"),
        ([[2.0**-30], [0.0]], [[1], [0]], r"multiples of 2\^-20"),
        ([[np.nan], [0.0]], [[1], [0]], r"multiples of 2\^-20"),
        ([[1.0], [2.0], [1.0]], [[1], [2], [1]], "must be distinct"),
        ([[1.0], [2.0]], [[2**26], [0]], r"squared norms below 2\^51"),
        ([[1.0], [2.0]], [[0.5], [0.0]], "whole numbers"),
        ([[1.0]], [[1]], "two points or more"),
        ([[1.0], [2.0]], [[1]], "each with codes"),
    ],
)
def test_secants_that_would_not_be_exact_are_refused(points, codes, reason):
    with pytest.raises(InvalidInputError, match=reason):
        secants_there(np.array(points), np.array(codes), torch.device("cpu"))
