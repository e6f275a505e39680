"""assert_private, as tests of other projects use it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.claim_file import TEMPLATE
from textveil.errors import InvalidInputError
from textveil.guarantees import local_privacy
from textveil.testing import assert_private

CLAIM = local_privacy(1.0, unit=tv.Unit.VECTOR)
PUBLISHED = tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=4, variant="published")


def flipped(seed, truth):
    rng = np.random.default_rng(seed)
    return lambda bit: int(bit if rng.random() < truth else 1 - bit)


def test_what_is_broken_fails_with_the_report():
    with pytest.raises(AssertionError, match="violated") as caught:
        assert_private(PUBLISHED)
    assert "epsilon 2, where 1 was claimed" in str(caught.value)
    assert "x: (0.5, 0.5, 0.5, 0.5)" in str(caught.value)
    with pytest.raises(AssertionError, match="happened"):
        assert_private(flipped(1, 0.97), CLAIM, (0, 1), samples=2000, checks=False)


def test_what_is_kept_gives_the_report():
    fair = flipped(1, math.exp(1) / (1 + math.exp(1)))
    report = assert_private(fair, CLAIM, (0, 1), samples=500, checks=False)
    assert report.verdict == "not certifiable"
    assert assert_private(tv.Laplace(epsilon=1.0, dimension=3), certified=True, seed=1, samples=200).verdict == "holds"


def test_certified_asks_for_more_than_outputs():
    fair = flipped(1, math.exp(1) / (1 + math.exp(1)))
    with pytest.raises(AssertionError, match="not certifiable"):
        assert_private(fair, CLAIM, (0, 1), samples=500, checks=False, certified=True)


def test_a_test_fails_by_chance_once_in_a_million_runs():
    report = assert_private(flipped(2, 0.6), CLAIM, (0, 1), samples=500)
    assert 0 < sum(finding.alpha for finding in report.findings) <= 1e-6 * (1 + 1e-9)


def test_a_claim_file_brings_promise_inputs_and_batches(tmp_path):
    path = tmp_path / "claim.yaml"
    path.write_text(TEMPLATE.replace("batch: false", "batch: true").replace("metric: euclidean", "metric: l1"))
    rng = np.random.default_rng(3)
    report = assert_private(lambda rows: rows + rng.laplace(size=rows.shape), path, samples=200, checks=False)
    assert len(report.findings) == 4
    with pytest.raises(AssertionError, match="violated"):
        assert_private(lambda rows: rows + rng.laplace(0, 0.2, size=rows.shape), str(path), samples=500, checks=False)
    one = assert_private(
        lambda rows: rows + rng.laplace(size=rows.shape), path, (np.zeros(8), np.eye(8)[0]), checks=False, samples=200
    )
    assert len(one.findings) == 1
    with pytest.raises(InvalidInputError, match="batch is for functions"):
        assert_private(tv.Laplace(epsilon=1.0, dimension=8), path)


def test_a_claim_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match=r"nofile\.yaml: it can't be read"):
        assert_private(flipped(1, 0.6), claim=tmp_path / "nofile.yaml")


def test_the_example_of_the_documentation_passes(tmp_path, monkeypatch):
    page = (Path(__file__).parent.parent / "docs" / "auditing.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    (claim,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "claim.yaml").write_text(claim)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code.replace("default_rng()", "default_rng(5)"), names)  # noqa: S102
    names["test_our_noise_keeps_its_promise"]()


def test_pytest_points_at_the_test_that_failed():
    with pytest.raises(AssertionError) as caught:
        assert_private(PUBLISHED)
    assert {entry.path.name for entry in caught.traceback.filter(caught)} == {"test_testing.py"}
