"""Errors of released vectors: golden values, what is measured, and that the page on choosing says the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from textveil.measure.utility.errors import vector_errors
from textveil.mechanisms.privunit import PrivUnit
from textveil.noise.gaussian import gaussian
from textveil.noise.laplace import radial_laplace
from textveil.randomness import RandomSource

PAGE = Path(__file__).parents[3] / "docs" / "choosing-vectors.md"
NAMES = ["Laplace in each coordinate", "Laplace", "Gaussian", "Laplace with delta", "PrivUnit"]


def cells(*values):
    return "| " + " | ".join(map(str, values)) + " |"


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def mean_cosine_of_laplace(dimension, epsilon):
    """E cos of the angle between a unit vector x and x + Laplace noise, by quadrature over norm and direction."""
    levels = (np.arange(2000) + 0.5) / 2000
    radius = stats.gamma(dimension, scale=1 / epsilon).ppf(levels)[:, None]
    along = 2 * stats.beta((dimension - 1) / 2, (dimension - 1) / 2).ppf(levels)[None] - 1
    return float(((1 + radius * along) / np.sqrt(1 + 2 * radius * along + radius**2)).mean())


@pytest.mark.parametrize(
    ("n", "epsilon", "golden"),
    [
        (32, 1, (90.5, 65.0, 47.8, 42.7, 14.1)),
        (32, 10, (9.05, 6.50, 6.12, 5.03, 1.58)),
        (128, 1, (362, 257, 95.6, 92.9, 28.4)),
        (768, 10, (217, 154, 30.0, 29.7, 8.47)),
        (1024, 1, (2896, 2049, 270, 269, 80.5)),
    ],
)
def test_errors_have_their_golden_values(n, epsilon, golden):
    errors = vector_errors(n, epsilon)
    assert [errors[name] for name in NAMES] == pytest.approx(golden, rel=4e-3)
    half = vector_errors(n, epsilon, clip=0.5)
    assert half == pytest.approx({name: error / 2 for name, error in errors.items()})


def test_errors_are_those_of_the_noise():
    n, epsilon, count = 20, 3.0, 4000
    errors = vector_errors(n, epsilon)
    streams = RandomSource.seeded(3).streams(b"test", np.arange(count))
    laplace = radial_laplace(streams, n, 2 / epsilon)
    normal = gaussian(streams, n, errors["Gaussian"] / math.sqrt(n))
    for noise, name in [(laplace, "Laplace"), (normal, "Gaussian")]:
        squares = (noise**2).sum(axis=1)
        reach = 5.1 * squares.std() / math.sqrt(count)  # false alarm below 1e-6
        assert abs(squares.mean() - errors[name] ** 2) < reach
        assert abs(1.3**2 * squares.mean() - errors[name] ** 2) > reach


def test_the_table_of_errors_on_the_page_is_computed():
    page = PAGE.read_text(encoding="utf-8")
    for epsilon in (1, 10):
        for n in (32, 128, 300, 768):
            errors = vector_errors(n, epsilon)
            assert cells(n, epsilon, *(short(errors[name]) for name in NAMES)) in page


def test_the_table_of_gaussian_against_laplace_on_the_page_is_computed():
    page = PAGE.read_text(encoding="utf-8")
    for n in (16, 32, 64, 128, 300, 768):
        errors = [vector_errors(n, epsilon) for epsilon in (1, 10)]
        ratios = [error["Laplace with delta"] / error["Gaussian"] for error in errors]
        assert cells(n, *(f"{ratio:.3f}" for ratio in ratios)) in page


def test_the_table_of_cosines_on_the_page_is_computed():
    page = PAGE.read_text(encoding="utf-8")
    for n, epsilon in [(50, 10), (300, 10), (300, 100), (768, 100)]:
        cap = PrivUnit(epsilon=2.0 * epsilon, dimension=n, domain="sphere").gamma
        assert cells(n, epsilon, f"{mean_cosine_of_laplace(n, epsilon):.3f}", f"{cap:.3f}") in page
