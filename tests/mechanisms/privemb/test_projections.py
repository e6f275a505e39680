"""Projections: reproducible, orthonormal where they should be, the same dense and sparse, in bounded memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse, stats

import textveil as tv
from textveil.mechanisms.privemb.constants import operator_norm
from textveil.mechanisms.privemb.projections import projection_of
from textveil.mechanisms.privemb.table import PublicTable


def made(name, dimension=60, target=12, seed=0, table=None):
    return projection_of(name, dimension, target, seed=seed, table=table)


@pytest.mark.parametrize("name", ["gaussian", "haar", "sparse"])
def test_random_projections_come_from_their_public_seed(name):
    assert made(name).digest == made(name).digest
    assert made(name).digest != made(name, seed=1).digest
    assert made(name).matrix.shape == (12, 60)


def test_a_gaussian_projection_has_normal_entries():
    """KS at 1e-7 on 40,000 entries; the same test must fail for a scale x1.3."""
    entries = made("gaussian", 400, 100).matrix.ravel() * 10
    assert stats.kstest(entries, stats.norm.cdf).pvalue > 1e-7
    assert stats.kstest(entries, stats.norm(scale=1.3).cdf).pvalue < 1e-7


def test_a_haar_projection_has_orthonormal_uniform_rows():
    matrix = made("haar", 60, 60).matrix
    assert np.abs(matrix @ matrix.T - np.eye(60)).max() < 1e-4
    lengths = [np.linalg.norm(made("haar", 6, 2, seed=seed).matrix[:, 0]) ** 2 for seed in range(400)]
    assert stats.kstest(lengths, stats.beta(1, 2).cdf).pvalue > 1e-7
    assert stats.kstest(lengths, stats.beta(1.3, 2).cdf).pvalue < 0.05


def test_a_sparse_projection_has_the_three_entries_of_achlioptas():
    matrix = made("sparse", 300, 100).matrix / np.sqrt(3 / 100)
    counts = [np.count_nonzero(np.isclose(matrix, value)) for value in (1, -1, 0)]
    assert sum(counts) == matrix.size
    assert stats.chisquare(counts, np.array([1 / 6, 1 / 6, 2 / 3]) * matrix.size).pvalue > 1e-7
    assert stats.chisquare(counts, np.array([0.2, 0.2, 0.6]) * matrix.size).pvalue < 1e-7


def test_pca_takes_the_directions_in_which_the_public_table_varies_most():
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    points = rng.normal(size=(500, 8)) * np.array([9, 5, 3, 1, 0.1, 0.1, 0.1, 0.1]) @ rotation.T + 100
    matrix = made("pca", 8, 3, table=PublicTable.of(points, 8)).matrix
    spread = np.linalg.svd(points - points.mean(0), compute_uv=False)
    assert np.var(points @ matrix.T, axis=0) * 500 == pytest.approx(spread[:3] ** 2, rel=1e-4)


@pytest.mark.parametrize("name", ["gaussian", "sparse"])
def test_columns_drawn_again_are_those_kept_in_memory(name, monkeypatch):
    kept = made(name, 5000, 3)
    monkeypatch.setattr("textveil.mechanisms.privemb.projections._MOST_KEPT", 0)
    drawn = made(name, 5000, 3)
    assert drawn.digest == kept.digest
    some = np.array([4999, 7, 4096, 7])
    assert (drawn.columns(some) == kept.columns(some)).all()


@pytest.mark.parametrize("name", ["gaussian", "haar", "sparse"])
def test_products_are_right_and_do_not_depend_on_the_batch(name):
    projection = made(name, 5000, 7)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 5000)) * (rng.random((600, 5000)) < 0.01)
    whole = projection.apply(x)
    assert whole == pytest.approx(x @ projection.matrix.T, abs=1e-9)
    assert (projection.apply(x[599:])[0] == whole[599]).all()
    rows = sparse.csr_array(x)
    assert (projection.apply_sparse(rows) == whole).all()
    assert (projection.apply_sparse(rows[[599]])[0] == whole[599]).all()


def test_the_operator_norm_is_an_upper_bound_and_tight():
    rng = np.random.default_rng(2)
    for shape in ((1, 1), (1, 40), (5, 40), (40, 40), (90, 300)):
        matrix = rng.normal(size=shape)
        bound = projection_of(matrix, shape[1], shape[0], seed=0, table=None).operator_norm
        assert np.linalg.norm(matrix, 2) <= bound <= np.linalg.norm(matrix, 2) * (1 + 1e-10)
    assert operator_norm(np.array([[4.0]]), 1) >= 2.0
    twice = projection_of(np.ones((2, 3)), 3, 2, seed=0, table=None).operator_norm
    assert np.sqrt(6) <= twice <= np.sqrt(6) * (1 + 1e-11)


def test_sparse_and_dense_vectors_are_released_alike():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=50, target=5, projection="sparse")
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2000, 50)) * (rng.random((2000, 50)) < 0.2)
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array):
        released = mechanism.release(kind(x), source=tv.RandomSource.seeded(1))
        assert released.shape == (2000, 5)
        assert released.dtype == np.float64
        norms = np.linalg.norm(released - x @ mechanism.chosen.matrix.T, axis=1)
        assert stats.kstest(norms, stats.gamma(5, scale=mechanism.scale).cdf).pvalue > 1e-7
    repeated = sparse.csr_array((np.array([1.0, 2.0]), np.array([3, 3]), np.array([0, 2])), shape=(1, 50))
    key = tv.RandomSource.keyed(bytes(32))
    once = sparse.csr_array(([3.0], ([0], [3])), shape=(1, 50))
    assert (mechanism.release(repeated, source=key) == mechanism.release(once, source=key)).all()
    assert mechanism.release(sparse.csr_array((0, 50))).shape == (0, 5)


def test_bad_sparse_vectors_are_refused():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=50, target=5, projection="sparse")
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            mechanism.release(sparse.csr_array(([bad], ([0], [3])), shape=(1, 50)))
    with pytest.raises(ValueError, match="rescale"):
        mechanism.release(sparse.csr_array(([1e200], ([0], [3])), shape=(1, 50)))
    with pytest.raises(ValueError, match=r"\(n, 50\)"):
        mechanism.release(sparse.csr_array((3, 51)))
    with pytest.raises(ValueError, match="numbers"):
        mechanism.release(sparse.csr_array(([1j], ([0], [3])), shape=(1, 50)))


def test_a_million_dimensions_take_bounded_memory():
    """A dense matrix of 50 x 10^6 would take 400 MB; the process may grow by a quarter of that."""
    code = """
import resource, numpy as np, textveil as tv
from scipy import sparse
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
tv.PrivEmb(epsilon=1.0, dimension=9000, target=50, projection="sparse").release(sparse.csr_array((2, 9000)))
before, d = peak(), 10**6
columns = (np.arange(20_000) * 7919) % d
rows = sparse.csr_array((np.ones(20_000), (np.arange(20_000) % 100, columns)), shape=(100, d))
for kind in ("sparse", "gaussian"):
    assert tv.PrivEmb(epsilon=1.0, dimension=d, target=50, projection=kind).release(rows).shape == (100, 50)
assert peak() - before < 100_000, peak() - before
"""
    subprocess.run([sys.executable, "-c", code], check=True)
