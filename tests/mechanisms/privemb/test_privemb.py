"""PrivEmb: what each certificate covers and what it refuses, the law of the noise, specs and errors."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy import sparse, stats

import textveil as tv
from textveil.errors import CertificateError
from textveil.guarantees import Pairs, Status, Unit

DIMENSION = 12


@pytest.fixture(scope="module")
def table():
    """900 vectors whose variance decays, as that of word vectors does."""
    return on_lattice(np.random.default_rng(0).normal(size=(900, DIMENSION)) * np.geomspace(3, 0.2, DIMENSION))


def on_lattice(vectors):
    return np.rint(vectors * 2**20) / 2**20


def mechanism_for(table, **options):
    return tv.PrivEmb(**{"epsilon": 2.0, "dimension": DIMENSION, "target": 4, "public": table, **options})


@pytest.mark.parametrize(
    ("certify", "precision"),
    [("operator", "fast"), ("secants", "fast"), ("secants", "exact"), ("probabilistic", "fast")],
)
def test_the_noise_has_a_gamma_norm_for_the_certified_stretch(table, certify, precision):
    """KS at 1e-7 on 4,000 vectors; the same test must fail for a scale x1.3."""
    delta = 1e-6 if certify == "probabilistic" else None
    mechanism = mechanism_for(table, projection="haar", certify=certify, precision=precision, delta=delta)
    x = np.tile(table[:8], (500, 1))
    released = mechanism.release(x, source=tv.RandomSource.seeded(3))
    norms = np.linalg.norm(released - x @ mechanism.chosen.matrix.T, axis=1)
    scale = mechanism.lipschitz / 2.0
    assert mechanism.scale == pytest.approx(scale, rel=1e-12)
    assert stats.kstest(norms, stats.gamma(4, scale=scale).cdf).pvalue > 1e-7
    assert stats.kstest(norms, stats.gamma(4, scale=1.3 * scale).cdf).pvalue < 1e-7


def test_the_secant_certificate_is_pure_and_covers_every_pair_of_rows(table):
    mechanism = mechanism_for(table, precision="exact")
    guarantee = mechanism.guarantee
    assert guarantee.status is Status.PROVED
    assert guarantee.unit is Unit.VECTOR
    assert guarantee.relation.pairs is Pairs.METRIC
    assert guarantee.relation.rounding == 0
    assert "both rows of the certified table" in guarantee.relation.condition
    assert guarantee.delta < 1e-30
    codes, first, second = mechanism.certificate.codes, *np.tril_indices(len(table), -1)
    images = mechanism.certificate.lattice.step * np.linalg.norm(codes[first] - codes[second], axis=1)
    losses = 2.0 / mechanism.lipschitz * images
    assert (losses <= 2.0 * np.linalg.norm(table[first] - table[second], axis=1)).all()
    assert losses.max() > 0


def test_only_rows_of_the_table_are_released_and_averages_are_refused(table):
    mechanism = mechanism_for(table)
    assert mechanism.release(table[5]).shape == (4,)
    assert mechanism.release(table[5] + 2.0**-23).shape == (4,)
    for outside in (table[:2].mean(axis=0), table[5] + 1e-5, np.zeros(DIMENSION), np.full(DIMENSION, 1.7e308)):
        with pytest.raises(ValueError, match='certify="operator"'):
            mechanism.release(outside)
    with pytest.raises(ValueError, match='certify="operator"'):
        mechanism.release(np.concatenate([table[:3], table[:2].mean(axis=0, keepdims=True)]))
    with pytest.raises(ValueError, match="sparse"):
        mechanism.release(sparse.csr_array(table[:2]))
    assert mechanism_for(table, certify="operator").release(table[:2].mean(axis=0)).shape == (4,)


def test_averages_can_be_stretched_further_than_any_row_of_the_table():
    """Why they are refused: two clusters that differ most along a direction which the matrix keeps (SPEC 13, 2.2)."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(200, 30))
    points[:100, 0] += 1.0
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=30, target=1, projection=np.eye(1, 30), public=points)
    first, second = points[:100].mean(axis=0), points[100:].mean(axis=0)
    assert abs(first[0] - second[0]) > mechanism.lipschitz * np.linalg.norm(first - second)


def test_duplicates_in_the_table_are_one_row():
    rng = np.random.default_rng(2)
    points = on_lattice(rng.normal(size=(50, 5)))
    doubled = np.concatenate([points, points[::-1], points + 2.0**-23])
    once = tv.PrivEmb(epsilon=1.0, dimension=5, target=2, projection="haar", public=points)
    twice = tv.PrivEmb(epsilon=1.0, dimension=5, target=2, projection="haar", public=doubled)
    assert once.lipschitz == twice.lipschitz
    assert once.spec() == twice.spec()
    assert len(twice.certificate.codes) == 50


def test_a_vocabulary_is_a_public_table(clustered):
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=12, target=3, public=clustered)
    released = mechanism.release(clustered.points[clustered.ids(["w3", "w4"])])
    assert released.shape == (2, 3)
    assert released.dtype == np.float32
    as_array = tv.PrivEmb(epsilon=1.0, dimension=12, target=3, public=clustered.points)
    assert as_array.spec() == mechanism.spec()


def test_rounding_and_float_products_are_in_the_guarantee_of_every_vector():
    mechanism = tv.PrivEmb(epsilon=3.0, dimension=40, target=6, step=2.0**-8)
    guarantee = mechanism.guarantee
    least = 2.0**-8 * math.sqrt(6) / mechanism.lipschitz
    assert least <= guarantee.relation.rounding <= 1.1 * least
    assert guarantee.loss(1.0) == pytest.approx(3.0 * (1 + guarantee.relation.rounding))
    assert "for rounding" in str(guarantee)
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4000, 40)) * np.geomspace(1e-4, 1e4, 4000)[:, None]
    y = x + rng.normal(size=x.shape) * 2.0**-10
    distances = np.linalg.norm(x - y, axis=1)
    codes = [mechanism.certificate.lattice.snap(mechanism.chosen.apply(part)) for part in (x, y)]
    images = 2.0**-8 * np.linalg.norm(codes[0] - codes[1], axis=1)
    losses = 3.0 / mechanism.lipschitz * images
    assert (losses <= 3.0 * (distances + guarantee.relation.rounding)).all()
    assert (losses > 3.0 * distances).any()


def test_vectors_too_long_for_float_products_are_refused():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=40, target=6)
    reach = mechanism.certificate.reach / 40
    direction = np.full(40, 1 / math.sqrt(40))
    assert mechanism.release(0.99 * reach * direction).shape == (6,)
    with pytest.raises(ValueError, match="rescale"):
        mechanism.release(1.01 * reach * direction)
    with pytest.raises(ValueError, match="rescale"):
        mechanism.release(np.full(40, 1e300))
    error = mechanism.chosen.apply(0.99 * reach * direction[None]) - (
        mechanism.chosen.matrix.astype(np.longdouble) @ (0.99 * reach * direction).astype(np.longdouble)
    ).astype(float)
    share = mechanism.certificate.lattice.step * math.sqrt(6) / 32
    assert np.linalg.norm(error) <= share


def test_the_default_is_the_most_efficient_projection(table):
    haar, pca = (mechanism_for(table, projection=name) for name in ("haar", "pca"))
    default = mechanism_for(table)
    assert default.chosen.name == "pca"
    assert default.efficiency == pca.efficiency > haar.efficiency
    assert default.certificate.kind == "secants"
    flat = np.random.default_rng(5).normal(size=(900, DIMENSION))
    options = [mechanism_for(flat, projection=name).efficiency for name in ("haar", "pca")]
    assert mechanism_for(flat).efficiency == max(options)
    alone = tv.PrivEmb(epsilon=1.0, dimension=30, target=6)
    assert (alone.chosen.name, alone.certificate.kind) == ("haar", "operator")
    assert alone.efficiency == pytest.approx(6 / 30, rel=1e-4)
    every = mechanism_for(table, certify="operator")
    assert every.efficiency == pytest.approx(every.mean_ratio / every.lipschitz**2)
    assert every.mean_ratio == pytest.approx(pca.mean_ratio, rel=1e-4)


def test_the_probabilistic_certificate_says_what_it_depends_on(table):
    mechanism = mechanism_for(table, certify="probabilistic", projection="gaussian", delta=1e-6)
    guarantee = mechanism.guarantee
    assert guarantee.status is Status.CONDITIONAL
    assert guarantee.delta == pytest.approx(1e-6)
    assert "fixed before it was drawn" in str(guarantee)
    assert mechanism.lipschitz == pytest.approx(math.sqrt(stats.chi2.isf(1e-6 / (450 * 899), 4) / 4), rel=1e-6)
    with pytest.raises(ValueError, match="rows of the certified"):
        mechanism.release(table[:2].mean(axis=0))


def test_the_density_is_that_of_the_noise_around_the_projection(table):
    for certify in ("operator", "secants"):
        mechanism = mechanism_for(table, certify=certify, projection="haar")
        output = np.random.default_rng(6).normal(size=(20, 4))
        densities = [mechanism.log_density(output, np.tile(table[row], (20, 1))) for row in (0, 1)]
        losses = np.abs(densities[0] - densities[1])
        assert (losses <= mechanism.guarantee.loss(float(np.linalg.norm(table[0] - table[1]))) + 1e-9).all()
        assert mechanism.log_density(output[0], table[0]) == pytest.approx(densities[0][0])


def test_numpy_and_torch_in_the_same_out(table):
    mechanism = mechanism_for(table, certify="operator")
    assert mechanism.release(table[:3].astype(np.float32)).dtype == np.float32
    assert mechanism.release(np.empty((0, DIMENSION))).shape == (0, 4)
    torch = pytest.importorskip("torch")
    released = mechanism.release(torch.ones(3, DIMENSION))
    assert isinstance(released, torch.Tensor)
    assert released.shape == (3, 4)


def test_a_fixed_key_repeats_whatever_the_batch(table):
    for certify in ("operator", "secants"):
        mechanism = mechanism_for(table, certify=certify)
        batch = mechanism.release(table[:10], source=tv.RandomSource.keyed(bytes(32), 100))
        assert (batch[7] == mechanism.release(table[7], source=tv.RandomSource.keyed(bytes(32), 107))).all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"certify": "operator", "projection": "gaussian", "seed": 5, "precision": "exact"},
        {"certify": "probabilistic", "projection": "haar", "delta": 1e-5},
        {"projection": np.eye(4, DIMENSION), "step": 2.0**-18},
        {"variant": "published", "beta": 0.9, "target": 11, "public": None},
    ],
    ids=["default", "operator", "probabilistic", "own", "published"],
)
def test_a_spec_makes_it_again(table, options):
    mechanism = mechanism_for(table, **options)
    objects = {"public": table, "projection": options.get("projection")}
    spec = mechanism.spec()
    assert tv.from_spec(spec, objects).spec() == spec
    assert len(spec["matrix"]) == 64
    assert spec["seed"] == mechanism.seed
    receipt = mechanism.release_with_receipt(table[:2]).receipt
    assert receipt.mechanism == spec


def test_a_spec_with_another_table_or_matrix_is_refused(table):
    spec = mechanism_for(table).spec()
    with pytest.raises(ValueError, match="public"):
        tv.from_spec(spec)
    with pytest.raises(CertificateError, match="not the one of the spec"):
        tv.from_spec(spec, {"public": table[:-1]})
    with pytest.raises(CertificateError, match="lipschitz"):
        tv.from_spec({**spec, "lipschitz": spec["lipschitz"] / 2}, {"public": table})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"dimension": 0}, "dimension"),
        ({"target": None}, "target"),
        ({"target": 13}, "at most dimension = 12"),
        ({"target": 1.5}, "target"),
        ({"seed": -1}, "seed"),
        ({"projection": "magic"}, "projection must be one of"),
        ({"projection": np.ones((3, DIMENSION))}, r"shape \(4, 12\)"),
        ({"projection": np.zeros((4, DIMENSION))}, "not all 0"),
        ({"projection": np.full((4, DIMENSION), np.nan)}, "finite"),
        ({"projection": "pca", "public": None}, "public="),
        ({"certify": "secants", "public": None}, "public="),
        ({"certify": "hope"}, "certify must be one of"),
        ({"certify": "probabilistic"}, "delta"),
        ({"certify": "probabilistic", "delta": 1e-6, "projection": "pca"}, "operator"),
        ({"certify": "probabilistic", "delta": 1e-6, "projection": "haar", "width": 3.0}, "width"),
        ({"delta": 1e-6}, "probabilistic"),
        ({"width": -1.0}, "width"),
        ({"beta": 0.5}, "published"),
        ({"variant": "nonsense"}, "variant"),
        ({"precision": "sloppy"}, "precision"),
        ({"step": 0.3}, "step"),
        ({"public": np.ones((5, 3))}, "3 dimensions"),
        ({"public": np.ones((5, DIMENSION))}, "two different rows"),
        ({"public": np.ones(DIMENSION)}, "public must be"),
        ({"public": np.full((3, DIMENSION), np.inf)}, "finite"),
        ({"projection": np.eye(4, DIMENSION), "public": np.eye(DIMENSION)[6:8]}, "one point"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    table = np.random.default_rng(7).normal(size=(20, DIMENSION))
    with pytest.raises(ValueError, match=message):
        mechanism_for(table, **options)


@pytest.mark.parametrize("private", [np.full(DIMENSION, math.nan), np.ones(3), np.array(["a"] * DIMENSION), 1.0])
def test_bad_vectors_are_refused_without_being_quoted(private, table):
    for certify in ("operator", "secants"):
        with pytest.raises(ValueError, match="vectors must"):
            mechanism_for(table, certify=certify).release(private)


@pytest.mark.parametrize(
    "options",
    [{"variant": "published", "beta": 0.9}, {"certify": "probabilistic", "delta": 1e-6, "projection": "gaussian"}],
    ids=["published", "probabilistic"],
)
def test_where_the_draw_counts_each_mechanism_draws_its_own_projection(options):
    first, second = (tv.PrivEmb(epsilon=1.0, dimension=20, target=5, **options) for _ in range(2))
    assert first.seed != second.seed
    assert (first.chosen.matrix != second.chosen.matrix).all()
    again = tv.PrivEmb(epsilon=1.0, dimension=20, target=5, seed=first.seed, **options)
    assert again.spec() == first.spec() == tv.from_spec(first.spec()).spec()


def test_a_certified_projection_is_the_same_each_time():
    first, second = (tv.PrivEmb(epsilon=1.0, dimension=20, target=5) for _ in range(2))
    assert first.seed == second.seed == 0
    assert first.spec() == second.spec()


def test_a_projection_that_is_drawn_again_survives_a_pickle():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=1 << 21, target=4, projection="sparse")
    again = pickle.loads(pickle.dumps(mechanism))  # noqa: S301
    columns = np.array([0, 5, (1 << 21) - 1])
    assert (again.chosen.columns(columns) == mechanism.chosen.columns(columns)).all()
    assert len(pickle.dumps(mechanism)) < 10_000


def test_a_sparse_row_never_meets_the_noise_of_a_dense_one():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=8, target=2)
    entries = sparse.csr_array((np.arange(1.0, 5.0), np.array([1, 2, 5, 7]), np.array([0, 4])), shape=(1, 8))
    content = np.empty(4, dtype=[("column", "<i8"), ("value", "<f8")])
    content["column"], content["value"] = entries.indices, entries.data
    dense = content.view(np.float64).reshape(1, 8)
    noises = [
        mechanism.release(row, source=tv.RandomSource.keyed(bytes(32))) - mechanism.chosen.apply(plain)
        for row, plain in ((entries, entries.toarray()), (dense, dense))
    ]
    assert np.abs(noises[0] - noises[1]).max() > 0.01


@pytest.mark.parametrize("kind", ["csr_array", "csc_array"])
@pytest.mark.parametrize("index", [-1, 6, 10**6])
def test_a_sparse_matrix_with_an_index_outside_is_refused(kind, index):
    matrix = getattr(sparse, kind)(np.ones((6, 6)))
    matrix.indices[0] = index
    with pytest.raises(tv.InvalidInputError, match="indices of a sparse matrix"):
        tv.PrivEmb(epsilon=1.0, dimension=6, target=2).release(matrix)


def test_entries_that_add_up_to_infinity_are_refused():
    twice = sparse.csr_array((np.full(2, 1e308), np.array([1, 1]), np.array([0, 2])), shape=(1, 6))
    with pytest.raises(tv.InvalidInputError, match="finite"):
        tv.PrivEmb(epsilon=1.0, dimension=6, target=2, variant="published", beta=0.5).release(twice)
