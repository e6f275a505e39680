"""The largest ratio of all pairs is found exactly, however it hides."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.errors import CertificateError
from textveil.mechanisms.privemb import keeping
from textveil.mechanisms.privemb.secants import Secants, all_secants, secant_ratios

STEP = 2.0**-20


def on_lattice(vectors):
    return np.rint(np.asarray(vectors) / STEP) * STEP


def brute_force(points, codes):
    """All ratios from differences in long doubles: (largest, mean)."""
    points, codes = points.astype(np.longdouble), codes.astype(np.longdouble)
    first, second = np.tril_indices(len(points), -1)
    ratios = ((codes[first] - codes[second]) ** 2).sum(1) / ((points[first] - points[second]) ** 2).sum(1)
    return float(ratios.max()), float(ratios.mean())


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 40),
    st.integers(1, 12),
    st.integers(1, 6),
    st.sampled_from([1e-5, 1e-2, 1.0, 1e3, 1e6]),
    st.sampled_from([0.0, 1.0, 1e4]),
    st.integers(0, 2**32 - 1),
)
def test_it_agrees_with_brute_force(count, dimension, target, scale, offset, seed):
    rng = np.random.default_rng(seed)
    points = np.unique(on_lattice(offset + scale * rng.normal(size=(count, dimension))), axis=0)
    if len(points) < 2:
        return
    codes = np.rint(rng.normal(size=(len(points), target)) * 1000).astype(np.int64)
    found = all_secants(points, codes)
    largest, mean = brute_force(points, codes)
    assert found.largest == pytest.approx(largest, rel=1e-12)
    assert found.mean == pytest.approx(mean, rel=1e-4, abs=1e-4 * largest)
    assert found.largest == secant_ratios(points, codes, np.array([[found.first, found.second]]))[0]


@pytest.mark.parametrize("distance", [1e-3, 0.1, 10.0])
def test_a_planted_worst_pair_among_thousands_is_found(distance):
    rng = np.random.default_rng(5)
    count, dimension, target = 3000, 24, 6
    points = 3 * rng.normal(size=(count, dimension))
    matrix = np.linalg.qr(rng.normal(size=(dimension, target)))[0].T
    points[2711] = points[123] + distance * matrix[2]
    points = on_lattice(points)
    codes = np.rint(points @ matrix.T * 2**30).astype(np.int64)
    found = all_secants(points, codes)
    assert (found.first, found.second) == (2711, 123)
    largest = np.sqrt(found.largest) / 2**30
    assert largest == pytest.approx(1.0, rel=1e-3)
    assert found.largest == pytest.approx(brute_force(points[[123, 2711]], codes[[123, 2711]])[0], rel=1e-12)


def test_tables_where_all_pairs_tie_are_still_exact():
    """A rotation stretches every pair alike: each is a suspect, and each is computed."""
    rng = np.random.default_rng(1)
    points = on_lattice(rng.normal(size=(700, 5)))
    codes = np.rint(points @ np.linalg.qr(rng.normal(size=(5, 5)))[0] * 2**24).astype(np.int64)
    found = all_secants(points, codes)
    largest, mean = brute_force(points, codes)
    assert found.largest == pytest.approx(largest, rel=1e-12)
    assert found.mean == pytest.approx(mean, rel=1e-6)


def test_float32_is_never_trusted_beyond_its_error():
    """Near pairs are stretched alike up to 2^-14: float32 often puts another one first, the search never does."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        base = rng.normal(size=(300, 40))
        directions = rng.normal(size=base.shape)
        directions *= 0.4 / np.linalg.norm(directions, axis=1, keepdims=True)
        stretched = np.concatenate([base, base + directions * (1 + 2.0**-14 * rng.random((300, 1)))])
        points = on_lattice(np.concatenate([base, base + directions]))
        codes = np.rint(stretched @ np.linalg.qr(rng.normal(size=(40, 40)))[0] * 2**24).astype(np.int64)
        pairs = np.stack([np.arange(300, 600), np.arange(300)], axis=1)
        ratios = secant_ratios(points, codes, pairs)
        found = all_secants(points, codes)
        assert found.largest == ratios.max()
        assert found.second == ratios.argmax()


def test_tight_clusters_far_from_the_origin_are_computed_by_differences():
    rng = np.random.default_rng(2)
    centres = 1000 * rng.normal(size=(8, 6))
    points = np.unique(on_lattice(centres[rng.integers(8, size=900)] + 1e-4 * rng.normal(size=(900, 6))), axis=0)
    codes = np.rint(points[:, :3] * 2**22).astype(np.int64)
    found = all_secants(points, codes)
    largest, mean = brute_force(points, codes)
    assert found.largest == pytest.approx(largest, rel=1e-12)
    assert found.mean == pytest.approx(mean, rel=1e-4)


def test_the_constant_is_that_of_the_stored_projections():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(400, 10))
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=10, target=4, projection="haar", public=table, step=2.0**-6)
    codes = mechanism.certificate.codes
    snapped = on_lattice(table)
    assert (np.abs(codes - snapped @ mechanism.chosen.matrix.T * 64) <= 0.5 + 1e-9).all()
    largest = math.sqrt(brute_force(snapped, codes)[0]) / 64
    assert mechanism.lipschitz == pytest.approx(largest, rel=3e-9)
    assert mechanism.lipschitz >= largest
    plain = math.sqrt(brute_force(snapped, snapped @ mechanism.chosen.matrix.T)[0])
    assert abs(mechanism.lipschitz - plain) > 1e-6


def test_a_kept_certificate_is_used_again_and_refused_if_edited(monkeypatch, tmp_path):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path))
    monkeypatch.setattr("textveil.mechanisms.privemb.keeping._LEAST_ROWS", 10)
    table = np.random.default_rng(4).normal(size=(100, 6))
    options = {"dimension": 6, "target": 2, "projection": "haar", "public": table}
    first = tv.PrivEmb(epsilon=1.0, **options)
    (file,) = tmp_path.rglob("*.json")
    with monkeypatch.context() as patched:
        patched.setattr("textveil.mechanisms.privemb.certificates.all_secants", None)
        assert tv.PrivEmb(epsilon=1.0, **options).lipschitz == first.lipschitz
    content = json.loads(file.read_text())
    content["secants"]["largest"] /= 2
    for damaged in (json.dumps(content), "{}", "nonsense"):
        file.write_text(damaged)
        with pytest.raises(CertificateError, match="delete it"):
            tv.PrivEmb(epsilon=1.0, **options)


def test_a_forged_certificate_below_the_ratio_of_neighbouring_rows_is_refused(monkeypatch, tmp_path):
    """The checksum is right and the pair has the ratio, but it is not the largest."""
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path))
    monkeypatch.setattr("textveil.mechanisms.privemb.keeping._LEAST_ROWS", 10)
    table = on_lattice(np.random.default_rng(4).normal(size=(100, 6)))
    options = {"epsilon": 1.0, "dimension": 6, "target": 2, "projection": "haar", "public": table}
    honest = tv.PrivEmb(**options)
    (file,) = tmp_path.rglob("*.json")
    pairs = np.stack([np.arange(1, 100), np.arange(99)], axis=1)
    ratios = secant_ratios(table, honest.certificate.codes, pairs)
    first, second = pairs[ratios.argmin()].tolist()
    forged = Secants(largest=float(ratios.min()), first=first, second=second, mean=0.1)
    subject = {"table": honest._table.digest, "matrix": honest.chosen.digest, "step": honest.certificate.lattice.step}
    keeping.save(subject, forged, len(table))
    assert list(tmp_path.rglob("*.json")) == [file]
    with pytest.raises(CertificateError, match="delete it"):
        tv.PrivEmb(**options)
