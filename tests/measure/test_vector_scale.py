from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import textveil as tv
from textveil.measure.vector_scale import vector_scale
from textveil.mechanisms.directions import Directions

ROWS = np.random.default_rng(0).normal(size=(3000, 20))


def test_distances_losses_and_errors_are_those_of_the_public_vectors():
    scale = vector_scale(tv.Laplace(epsilon=2.0, dimension=20, precision="exact"), ROWS)
    # Differences of standard normal vectors have a squared length of 2 chi-squared(20).
    assert scale.distances == pytest.approx([4.99, 6.22, 7.54], rel=0.03)
    assert scale.losses == pytest.approx([2 * value for value in scale.distances])
    # The squared length of the noise is 20 x 21 / epsilon^2 on average.
    assert scale.error == pytest.approx(math.sqrt(20 * 21) / 2 / math.sqrt(20), rel=0.1)
    assert 0.2 < scale.cosine < 0.7
    assert "two public vectors lie" in str(scale)
    assert vector_scale(tv.Laplace(epsilon=2.0, dimension=20, precision="exact"), ROWS) == scale


def test_the_metric_is_that_of_the_promise():
    stretched = tv.Mahalanobis(np.diag([4.0] + [1.0] * 19), epsilon=1.0)
    assert vector_scale(stretched, ROWS).distances[1] == pytest.approx(6.22 * math.sqrt(23 / 20), rel=0.05)
    unit = vector_scale(Directions(tv.Laplace(epsilon=1.0, dimension=20, normalise=True)), 1000 * ROWS)
    assert unit.distances[1] == pytest.approx(math.sqrt(2), rel=0.05)
    fewer = vector_scale(tv.PrivEmb(epsilon=1e6, dimension=20, target=5), ROWS)
    assert fewer.error < 0.01
    assert fewer.cosine > 0.99


def test_promises_of_another_kind_say_so():
    within = vector_scale(tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=6.22, dimension=20), ROWS)
    assert within.within == pytest.approx(0.5, abs=0.05)
    assert "the promise is about" in str(within)
    assert vector_scale(tv.PrivUnit(epsilon=3.0, dimension=20), ROWS).losses == (3.0, 3.0, 3.0)
    beyond = vector_scale(tv.Laplace(epsilon=1000.0, dimension=20, precision="exact"), ROWS)
    assert "more than is promised" in str(beyond)


def test_a_table_of_equal_rows_has_no_scale():
    with pytest.raises(tv.InvalidInputError, match="two different rows"):
        vector_scale(tv.Laplace(epsilon=1.0, dimension=2), np.ones((5, 2)))


def test_the_tables_of_the_page_are_measured():
    page = (Path(__file__).parents[2] / "docs" / "choosing-vectors.md").read_text()
    section = page.partition("## How to choose epsilon")[2].partition("\n## ")[0]
    rows = [
        [float(cell.replace(",", "")) for cell in row.split("|")]
        for row in re.findall(r"^\| (\d.*) \|$", section, re.M)
    ]
    words = tv.Vocabulary.default().points
    for epsilon, loss, error, cosine in (row for row in rows if len(row) == 4):
        scale = vector_scale(tv.Laplace(epsilon=epsilon, dimension=50, precision="exact"), words)
        assert scale.losses[1] == pytest.approx(loss, rel=0.005)
        assert scale.error == pytest.approx(error, rel=0.05)
        assert scale.cosine == pytest.approx(cosine, abs=0.01)
    for dimension, epsilon, error, cosine, records in (row for row in rows if len(row) == 5):
        mechanism = tv.PrivUnit(epsilon=epsilon, dimension=int(dimension), domain="sphere")
        assert mechanism.rms == pytest.approx(error, rel=0.02)
        assert records == round((error / 0.1) ** 2)
        units = np.eye(int(dimension))[:200]
        assert vector_scale(mechanism, units).cosine == pytest.approx(cosine, abs=0.02)
    assert len(rows) == 10
